//! What a citation can lead to.
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A page of `protocol/`: the numbers of its sections, each with those of the rows of its tables. A table of values has
/// none.
#[derive(Debug, Default)]
pub struct Page {
    sections: BTreeMap<String, BTreeSet<u32>>,
}

impl Page {
    pub fn of(text: &str) -> Page {
        let heading = Regex::new(r"^#+ (\d+(?:\.\d+)*)\.? ").unwrap();
        let row = Regex::new(r"^\| *(\d+) *\|").unwrap();
        let mut page = Page::default();
        let mut open = None;
        for line in text.lines() {
            if let Some(found) = heading.captures(line) {
                let section = found[1].to_owned();
                page.sections.entry(section.clone()).or_default();
                open = Some(section);
            } else if let (Some(found), Some(section)) = (row.captures(line), &open) {
                let rows = page.sections.entry(section.clone()).or_default();
                rows.extend(found[1].parse::<u32>());
            }
        }
        page
    }

    pub fn has_section(&self, section: &str) -> bool {
        self.sections.contains_key(section)
    }

    pub fn has_row(&self, section: &str, row: u32) -> bool {
        self.sections.get(section).is_some_and(|rows| rows.contains(&row))
    }
}

/// All that can be cited.
pub struct Library {
    pages: BTreeMap<String, Page>,
    /// Files of the repository beside `protocol/`, by name.
    others: BTreeSet<String>,
    /// Everything in `protocol/`, for compliance ids.
    text: String,
}

impl Library {
    /// Of the folder `protocol`, and of other files of these names.
    pub fn of(protocol: &Path, others: impl IntoIterator<Item = String>) -> Library {
        let mut library = Library {
            pages: BTreeMap::new(),
            others: others.into_iter().collect(),
            text: String::new(),
        };
        for entry in std::fs::read_dir(protocol).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            library.pages.insert(name, Page::of(&text));
            library.text.push_str(&text);
        }
        library
    }

    pub fn page(&self, name: &str) -> Option<&Page> {
        self.pages.get(name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.pages.contains_key(name) || self.others.contains(name)
    }

    /// A word of a page: a compliance id, a row of the checklist.
    pub fn says(&self, word: &str) -> bool {
        let mut places = self.text.match_indices(word);
        places.any(|(at, _)| {
            let after = self.text[at + word.len()..].chars().next();
            !after.is_some_and(|c| c.is_ascii_alphanumeric())
        })
    }
}
