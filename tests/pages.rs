//! The pages: links lead somewhere, on GitHub and in rustdoc, `docs/guarantees.md` names a test for every promise, and the crate's
//! documentation all of its features.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag, TagEnd};

/// All files below this folder with this extension. Nothing that is built, and nothing hidden.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.append(&mut files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Where the links and pictures of a page lead, in their order, and what its headings are called in a link.
#[derive(Debug, Default)]
struct Page {
    links: Vec<String>,
    headings: Vec<String>,
}

impl Page {
    fn new(text: &str) -> Self {
        let mut undefined = Vec::new();
        let mut note = |link: BrokenLink<'_>| {
            if !matches!(link.link_type, LinkType::Shortcut) {
                undefined.push(link.reference.to_string());
            }
            None // one in brackets alone is text
        };
        let (mut page, mut heading) = (Self::default(), None);
        for event in Parser::new_with_broken_link_callback(text, Options::ENABLE_TABLES, Some(&mut note)) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => heading.iter_mut().for_each(|heading| *heading += &text),
                Event::End(TagEnd::Heading(_)) => page.add(&heading.take().unwrap()),
                _ => {}
            }
        }
        let title = text.lines().find(|line| line.starts_with('#'));
        assert!(undefined.is_empty(), "links without a destination in {title:?}: {undefined:?}");
        page
    }

    /// GitHub and rustdoc agree on this.
    fn add(&mut self, heading: &str) {
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let anchor: String = heading.to_lowercase().chars().filter(is_kept).collect();
        let anchor = anchor.replace(' ', "-");
        let before = self.headings.iter().filter(|known| **known == anchor).count();
        self.headings.push(if before == 0 { anchor } else { format!("{anchor}-{before}") });
    }
}

#[test]
fn links_lead_to_files_and_headings() {
    let pages = files(root(), "md");
    let pages: BTreeMap<PathBuf, Page> =
        pages.into_iter().map(|path| (path.canonicalize().unwrap(), Page::new(&read(&path)))).collect();
    let mut followed = 0;
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let place = format!("`{link}` in {}", path.display());
            let file = file.canonicalize().unwrap_or_else(|_| panic!("there is no file for {place}"));
            if let Some(anchor) = anchor {
                let known = pages.get(&file).is_some_and(|page| page.headings.iter().any(|heading| heading == anchor));
                assert!(known, "there is no heading for {place}");
            }
            followed += 1;
        }
    }
    assert!(pages.len() > 15 && followed > 80, "{} pages, {followed} links", pages.len());
}

/// The pages that rustdoc shows, by the path of their module: the files that each is made of.
fn modules() -> HashMap<String, Vec<String>> {
    let mut modules = HashMap::new();
    for (source, name) in [("src/lib.rs", "crate"), ("src/guide.rs", "crate::guide")] {
        let mut parts = Vec::new();
        let text = read(source);
        for line in text.lines() {
            if let Some(module) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(" {}")) {
                modules.insert(format!("{name}::{module}"), std::mem::take(&mut parts));
            } else if line.starts_with("#[") || line.starts_with("#![") {
                parts.extend(
                    line.split("include_str!(\"../").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned),
                );
            } else if line.is_empty() && !parts.is_empty() {
                modules.insert(name.to_owned(), std::mem::take(&mut parts)); // the inner ones, at the top
            }
        }
    }
    modules
}

/// On GitHub a page links to files, in rustdoc to modules: the same ones.
#[test]
fn links_lead_to_the_same_page_in_rustdoc() {
    let modules = modules();
    assert!(modules.len() > 12, "{modules:?}");
    for (module, parts) in &modules {
        let page = parts.last().unwrap();
        let there = Page::new(&parts.iter().map(read).collect::<Vec<_>>().join("\n"));
        for (here, there) in Page::new(&read(page)).links.iter().zip(&there.links) {
            let place = format!("`{here}` in {page}, which is `{there}` in {module}");
            if here.contains("://") || here.starts_with('#') || there.starts_with("data:image") {
                continue;
            }
            let (target, anchor) = there.split_once('#').unwrap_or((there, ""));
            let shown = modules.get(target).unwrap_or_else(|| panic!("not a module: {place}")).last().unwrap();
            let (file, wanted) = here.split_once('#').unwrap_or((here, ""));
            let file = root().join(page).parent().unwrap().join(file).canonicalize().unwrap();
            if file.is_dir() {
                assert!(
                    Page::new(&read(shown)).headings.iter().any(|heading| heading == anchor),
                    "no heading: {place}"
                );
            } else {
                assert!(
                    file == root().join(shown).canonicalize().unwrap() && anchor == wanted,
                    "another page: {place}"
                );
            }
        }
    }
}

/// One with its module is in the file of that module.
#[test]
fn the_tests_of_every_promise_exist() {
    let tests: String = files(&root().join("tests"), "rs").iter().map(read).collect();
    let page = read("docs/guarantees.md");
    let is_test = |quoted: &&str| quoted.chars().all(|c| c.is_ascii_lowercase() || "_:0123456789".contains(c));
    let quoted = page.split('`').skip(1).step_by(2).filter(is_test);
    let named: Vec<&str> = quoted.filter(|name| name.matches('_').count() > 2).collect(); // not modules and setters
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        let is_there = match name.rsplit_once("::") {
            Some((module, name)) => {
                let file = format!("tests/server/{}.rs", module.replace("::", "/"));
                root().join(&file).is_file() && read(file).contains(&format!("fn {name}("))
            }
            None => tests.contains(&format!("fn {name}(")),
        };
        assert!(is_there, "there is no test `{name}`");
    }
}

#[test]
fn the_crate_tells_of_all_its_features() {
    let manifest = read("Cargo.toml");
    let section = manifest.split("\n[features]\n").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap();
    let features = section.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    let page = read("src/lib.rs");
    let told: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("//! | `")?.split('`').next()).collect();
    let features: Vec<&str> = features.map(|(feature, _)| feature).filter(|feature| *feature != "default").collect();
    assert!(features.len() > 8 && features.iter().all(|feature| told.contains(feature)), "{features:?}, {told:?}");
    assert_eq!(features.len(), told.len(), "{features:?}, {told:?}");
}
