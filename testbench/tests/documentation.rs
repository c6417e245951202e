//! The documentation: every link leads somewhere, every page stands in the book, lines are short enough to read as
//! text.
use hca_testbench::conformance::reason::{waits, why_without};
use hca_testbench::conformance::row::rows;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the names of the texts in a folder, sorted.
fn texts_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut texts: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    texts.sort();
    texts
}

fn texts() -> Vec<PathBuf> {
    let all_in = |folder: &'static str| {
        let names = texts_in(folder).into_iter();
        names.map(move |name| root().join(folder).join(name))
    };
    let others = [
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "constraints/README.md", "rtl/hdl/README.md",
        "rtl/host/README.md",
    ];
    let others = others.map(|name| root().join(name));
    all_in("docs").chain(all_in("protocol")).chain(others).collect()
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
    for page in texts_in("docs").iter().filter(|page| *page != "SUMMARY.md") {
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

/// Holds a page to a sentence; line ends do not matter.
fn says(page: &str, sentence: &str) {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(sentence), "{page} does not say: {sentence}");
}

#[test]
fn the_pages_count_the_planted_bugs() {
    let planted = fs::read_to_string(root().join("testbench/planted/bugs.toml")).unwrap();
    let planted: toml::Table = toml::from_str(&planted).unwrap();
    let ids = planted["bug"].as_array().unwrap().iter();
    let ids: Vec<&str> = ids.map(|bug| bug["id"].as_str().unwrap()).collect();
    let all = ids.len();
    let met = ids.iter().filter(|id| id.starts_with("FB")).count();
    says("README.md", &format!("{all} bugs, {met} of them met by others"));
    says(
        "docs/fuzzing.md",
        &format!("{all} bugs, {met} of them met by others"),
    );
    says("docs/fuzzing.md", &format!("and {} of our own", all - met));
}

#[test]
fn the_pages_count_the_rows_of_the_conformance_table() {
    let all = rows().len();
    let without = rows().iter().filter(|row| why_without(&row.id).is_some()).count();
    let waiting = rows().iter().filter(|row| waits(&row.id)).count();
    let (met, exempt) = (all - without, without - waiting);
    let counts = format!("{met} met on model and hardware, {waiting} wait for what follows, {exempt} is");
    says("README.md", &format!("conformance table, {all} rows | {counts}"));
    let what = "wait for what the adapter does not have yet";
    says(
        "docs/conformance.md",
        &format!("{waiting} {what}, such as RD, and CF541"),
    );
    says(
        "docs/conformance.md",
        &format!("{all} rows: {met} met, {waiting} {what}, {exempt} without a case"),
    );
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
