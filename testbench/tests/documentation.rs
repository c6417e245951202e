//! The documentation: every link leads somewhere, every page stands in the book, lines are short enough to read as
//! text.
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Pages of the book, by name.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut pages: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    pages.sort();
    pages
}

fn texts() -> Vec<PathBuf> {
    let docs = pages().into_iter().map(|page| root().join("docs").join(page));
    let others = [
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "constraints/README.md", "rtl/hdl/README.md",
    ];
    let others = others.map(|name| root().join(name));
    docs.chain(others).collect()
}

/// What a heading is called in a link: small letters, `-` for a space, nothing for other signs.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Links of this text, from this folder, that lead nowhere.
fn broken(folder: &Path, text: &str) -> Vec<String> {
    let link = Regex::new(r#"\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)""#).unwrap();
    let mut broken = Vec::new();
    for found in link.captures_iter(text) {
        let target = found.get(1).or(found.get(2)).unwrap().as_str();
        if target.contains("://") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let leads = match file {
            "" => anchors(text).iter().any(|a| a == anchor),
            file => {
                let file = folder.join(file);
                let there = fs::read_to_string(&file).unwrap_or_default();
                file.exists() && (anchor.is_empty() || anchors(&there).iter().any(|a| a == anchor))
            }
        };
        if !leads {
            broken.push(target.to_owned());
        }
    }
    broken
}

#[test]
fn every_link_leads_somewhere() {
    for path in texts() {
        let text = fs::read_to_string(&path).unwrap();
        let none: [String; 0] = [];
        assert_eq!(
            broken(path.parent().unwrap(), &text),
            none,
            "in {}",
            path.display()
        );
    }
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let text = "# A b\n[a](architecture.md#folders) [b](nowhere.html) [c](#a-b) [d](#b) <img src=\"no.svg\">";
    assert_eq!(
        broken(&root().join("docs"), text),
        ["nowhere.html", "#b", "no.svg"]
    );
}

#[test]
fn every_page_stands_in_the_book() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for page in pages().iter().filter(|page| *page != "SUMMARY.md") {
        assert!(
            summary.contains(&format!("({page})")),
            "docs/SUMMARY.md does not name {page}"
        );
    }
    let book: toml::Table =
        toml::from_str(&fs::read_to_string(root().join("docs/book.toml")).unwrap()).unwrap();
    assert_eq!(book["book"]["src"].as_str(), Some("."));
}

#[test]
fn each_picture_is_there_for_light_and_for_dark_pages() {
    let drawn = fs::read_dir(root().join("docs/pictures")).unwrap();
    let names = drawn.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let pictures: Vec<String> = names.filter(|name| name.ends_with(".svg")).collect();
    for (one, other) in [("-light.svg", "-dark.svg"), ("-dark.svg", "-light.svg")] {
        for name in pictures.iter().filter(|name| name.ends_with(one)) {
            assert!(
                pictures.contains(&name.replace(one, other)),
                "{name} stands alone"
            );
        }
    }
    assert_eq!(pictures.len(), 6);
}

/// Tables and what a program printed are as wide as they are.
#[test]
fn the_documentation_is_readable_as_text() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(
        readme.lines().count() <= 150,
        "README.md has {} lines",
        readme.lines().count()
    );
    for path in texts() {
        let text = fs::read_to_string(&path).unwrap();
        let mut printed = false;
        for (n, line) in text.lines().enumerate() {
            printed ^= line.starts_with("```");
            let long = line.chars().count() > 120 && !printed && !line.starts_with('|');
            assert!(!long, "{}:{}: longer than 120: {line}", path.display(), n + 1);
        }
    }
}

/// The Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        match entry.unwrap().path() {
            path if path.ends_with("target") => {}
            path if path.is_dir() => found.extend(sources(&path)),
            path if path.extension().is_some_and(|e| e == "rs") => found.push(path),
            _ => {}
        }
    }
    found
}

#[test]
fn comments_are_readable_as_text() {
    for folder in ["golden", "program", "rtl", "sim", "testbench"] {
        for path in sources(&root().join(folder)) {
            let text = fs::read_to_string(&path).unwrap();
            for (n, line) in text.lines().enumerate() {
                let long = line.trim_start().starts_with("//") && line.chars().count() > 120;
                assert!(!long, "{}:{}: longer than 120: {line}", path.display(), n + 1);
            }
        }
    }
}
