//! Citations in a text: `responder.md` section 1 step 7, `headers.csv`, CF050, C9-43.
use crate::page::Library;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Numbers: 1; 5 and 6; 1 to 3; 3.1, 3.2.
const NUMBERS: &str = r"\d+(?:\.\d+)*(?:(?:, and | and |, | to | or )\d+(?:\.\d+)*\b)*";

/// Characters between a page and its section.
const NEAR: usize = 4;

static CITATION: LazyLock<Regex> = LazyLock::new(|| {
    let page = r"(?P<page>[A-Za-z0-9_-]+\.(?:md|csv)\b)";
    // Sections of an RFC, and of the InfiniBand specification itself.
    let other = r"(?P<other>RFC \d+,? section [\d.]+|sections? \d+\.\d+\.\d[\d.]*)";
    let section =
        format!(r"\b[Ss]ections? (?P<sections>{NUMBERS})(?:,? (?:steps?|rows?) (?P<rows>{NUMBERS}))?");
    let checklist = r"\b(?P<checklist>CF\d{3}\b)";
    let compliance = r"\b(?P<compliance>[Co]\d{1,2}-\d+(?:\.\d+)*)";
    Regex::new(&[page, other, &section, checklist, compliance].join("|")).unwrap()
});

/// Those that lead nowhere, each with why. A section without a page is one of the page named last before it; in a page
/// of its own, one of itself where no other is named right before it.
pub fn broken(library: &Library, text: &str, own: Option<&str>) -> Vec<String> {
    let text = joined(text);
    let mut page: Option<(String, usize)> = None;
    let mut broken = Vec::new();
    for found in CITATION.captures_iter(&text) {
        let why = match found.name("page") {
            Some(name) => {
                let name = name.as_str();
                if library.page(name).is_some() && name.ends_with(".md") {
                    page = Some((name.to_owned(), found.get(0).unwrap().end()));
                }
                (!library.has(name)).then(|| format!("there is no {name}"))
            }
            None => {
                let start = found.get(0).unwrap().start();
                let named = page
                    .as_ref()
                    .filter(|(_, end)| own.is_none() || start - end < NEAR);
                of_page(library, named.map(|(name, _)| name.as_str()).or(own), &found)
            }
        };
        broken.extend(why.map(|why| format!("{why}: {}", around(&text, &found))));
    }
    broken
}

fn of_page(library: &Library, page: Option<&str>, found: &Captures<'_>) -> Option<String> {
    for word in ["checklist", "compliance"] {
        if let Some(word) = found.name(word) {
            let word = word.as_str();
            return (!library.says(word)).then(|| format!("no page has {word}"));
        }
    }
    let sections = found.name("sections")?;
    let Some(name) = page else {
        return Some("no page is named before this section".to_owned());
    };
    let page = library.page(name)?;
    let mut last = String::new();
    for section in numbers(sections.as_str()) {
        if !page.has_section(&section) {
            return Some(format!("{name} has no section {section}"));
        }
        last = section;
    }
    let rows = found.name("rows").map_or("", |rows| rows.as_str());
    let missing = numbers(rows)
        .into_iter()
        .find(|row| !row.parse().is_ok_and(|row| page.has_row(&last, row)))?;
    Some(format!("{name} section {last} has no row {missing}"))
}

/// Those of a list, ranges filled.
fn numbers(list: &str) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    let mut range = false;
    for word in list.split([' ', ',']).filter(|word| !word.is_empty()) {
        match (word, numbers.last().and_then(|first| first.parse::<u32>().ok())) {
            ("to", _) => range = true,
            ("and" | "or", _) => {}
            (end, Some(first)) if range => {
                let end = end.parse().unwrap_or(first);
                numbers.extend((first + 1..=end).map(|n| n.to_string()));
                range = false;
            }
            (number, _) => numbers.push(number.to_owned()),
        }
    }
    numbers
}

/// Comments and literals that go on in the next line.
fn joined(text: &str) -> String {
    static BREAK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\?\n\s*(?://[/!]?|#)?\s*").unwrap());
    BREAK.replace_all(text, " ").into_owned()
}

fn around(text: &str, found: &Captures<'_>) -> String {
    let place = found.get(0).unwrap();
    let before: Vec<char> = text[..place.start()].chars().rev().take(60).collect();
    let after: String = text[place.end()..].chars().take(20).collect();
    let before: String = before.into_iter().rev().collect();
    format!("...{before}{}{after}...", place.as_str())
}
