//! `docs/guarantees.md` names a test for every promise; a test that is renamed or gone is found here.

use std::{fs, path::Path};

/// All test sources below this folder, one after the other.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn the_tests_of_every_promise_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    sources(&root.join("tests"), &mut tests);
    let page = fs::read_to_string(root.join("docs/guarantees.md")).unwrap();
    let is_test = |quoted: &&str| quoted.chars().all(|c| c.is_ascii_lowercase() || "_:0123456789".contains(c));
    let quoted = page.split('`').skip(1).step_by(2).filter(is_test).filter_map(|name| name.rsplit("::").next());
    let named: Vec<&str> = quoted.filter(|name| name.matches('_').count() > 2).collect(); // not modules and setters
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        assert!(tests.contains(&format!("fn {name}(")), "there is no test `{name}`");
    }
}
