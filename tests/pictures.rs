//! The pictures of the guide are what their sources draw: `docs/guide/pictures/*.pikchr`, in the language of pikchr.org.
//!
//! `PICTURES=draw cargo test --test pictures` draws them again.

use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use pikchr::{Pikchr, PikchrFlags};

/// The colours that `style.pikchr` numbers from 1 on: name, on light, on dark.
const COLOURS: [(&str, &str, &str); 11] = [
    ("ink", "#1f2328", "#e6edf3"),
    ("muted", "#b1b8c0", "#565d66"),
    ("counter", "#dbeafe", "#1e3a5f"),
    ("stored", "#dcfce7", "#14432a"),
    ("stored-line", "#15803d", "#4ade80"),
    ("gap", "#fee2e2", "#571c1c"),
    ("gap-line", "#b91c1c", "#fca5a5"),
    ("held", "#fef3c7", "#4d3a10"),
    ("held-line", "#a16207", "#fbbf24"),
    ("plain", "#ffffff", "#1c2128"),
    ("counter-line", "#1d4ed8", "#93c5fd"),
];
/// Around the drawing.
const MARGIN: f64 = 14.0;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/pictures")
}

/// The pictures, by name.
fn names() -> Vec<String> {
    let sources = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let sources = sources.filter(|path| path.extension().is_some_and(|extension| extension == "pikchr"));
    let mut names: Vec<String> = sources.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.retain(|name| name != "style");
    names.sort();
    names
}

fn read(file: &str) -> String {
    fs::read_to_string(folder().join(file)).unwrap_or_default()
}

fn draw(name: &str) -> String {
    let source = read("style.pikchr") + &read(&format!("{name}.pikchr"));
    let drawn = match Pikchr::render(&source, None, PikchrFlags::default()) {
        Ok(drawn) => drawn.to_string(),
        Err(error) => panic!("{name}: {error}"),
    };
    let shapes = drawn.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</svg>")).unwrap().0;
    let size = drawn.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let size: Vec<f64> = size.split(' ').map(|side| side.parse().unwrap()).collect();
    let (width, height) = (size[0] + 2.0 * MARGIN, size[1] + 2.0 * MARGIN);
    let mut shapes = shapes.replace("  ", " ").replace("><", ">\n<");
    let (mut light, mut dark) = (String::from("--paper:#ffffff"), String::from("--paper:#1c2128"));
    for (index, (colour, on_light, on_dark)) in COLOURS.iter().enumerate() {
        let (number, variable) = (index + 1, format!("var(--{colour})"));
        let drawn = format!("rgb({number},{number},{number})");
        shapes = shapes.replace(&format!("fill=\"{drawn}\""), &format!("style=\"fill:{variable}\""));
        shapes = shapes.replace(&drawn, &variable);
        write!(light, ";--{colour}:{on_light}").unwrap();
        write!(dark, ";--{colour}:{on_dark}").unwrap();
    }
    assert!(!shapes.contains("rgb("), "{name} has a colour without a name:\n{shapes}");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"-{MARGIN} -{MARGIN} \
         {width:.0} {height:.0}\">\n<style>\nsvg{{{light};font:15px system-ui,sans-serif}}\n\
         @media (prefers-color-scheme:dark){{svg{{{dark}}}}}\n</style>\n\
         <rect x=\"-{MARGIN}\" y=\"-{MARGIN}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"6\" \
         style=\"fill:var(--paper)\"/>\n{shapes}\n</svg>\n"
    )
}

/// For rustdoc, whose pages stand alone: links to the pictures that hold the pictures, with the one that the bench draws.
fn links() -> String {
    let mut pictures: Vec<(String, String)> = names().into_iter().map(|name| (name.clone(), draw(&name))).collect();
    pictures.push(("throughput".to_owned(), read("../../throughput.svg")));
    let mut links = String::new();
    for (name, picture) in pictures {
        write!(links, "[picture-{name}]: data:image/svg+xml,").unwrap();
        for byte in picture.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => links.push(byte.into()),
                _ if b"-._~:/=;,@'!*+".contains(&byte) => links.push(byte.into()),
                _ => write!(links, "%{byte:02X}").unwrap(),
            }
        }
        links.push('\n');
    }
    links
}

#[test]
fn pictures_are_what_their_sources_draw() {
    let mut files: Vec<(String, String)> = names().iter().map(|name| (format!("{name}.svg"), draw(name))).collect();
    assert!(!files.is_empty());
    files.push(("rustdoc.txt".to_owned(), links()));
    for (file, drawn) in files {
        if env::var("PICTURES").is_ok_and(|wanted| wanted == "draw") {
            fs::write(folder().join(&file), &drawn).unwrap();
        }
        assert!(
            read(&file) == drawn,
            "{file} is not what its source draws: `PICTURES=draw cargo test --test pictures`"
        );
    }
}
