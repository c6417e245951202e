//! Every citation leads somewhere: pages, sections and rows of `protocol/`, in the code, in its tests and in the pages
//! themselves.
mod citation;
mod page;

use citation::broken;
use page::Library;
use std::path::{Path, PathBuf};

const CITING: [&str; 7] = ["golden", "program", "rtl", "sim", "testbench", "protocol", "docs"];
const TEXTS: [&str; 4] = ["rs", "md", "toml", "csv"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Files of these folders, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        match path.is_dir() {
            true => files.extend(files_unless_built(&path)),
            false => files.push(path),
        }
    }
    files
}

fn files_unless_built(folder: &Path) -> Vec<PathBuf> {
    match folder.file_name().is_some_and(|name| name == "target") {
        true => Vec::new(),
        false => files(folder),
    }
}

fn texts() -> Vec<PathBuf> {
    let all = CITING.iter().flat_map(|folder| files(&root().join(folder)));
    all.filter(|path| {
        path.extension()
            .is_some_and(|end| TEXTS.iter().any(|text| end == *text))
    })
    .chain(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)))
    .collect()
}

fn library() -> Library {
    let names = texts();
    let names = names.iter().filter_map(|path| path.file_name());
    Library::of(
        &root().join("protocol"),
        names.map(|name| name.to_string_lossy().into_owned()),
    )
}

#[test]
fn every_citation_leads_somewhere() {
    let library = library();
    let mut lost = Vec::new();
    for path in texts() {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if name.starts_with("testbench/tests/citations") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let own = name.strip_prefix("protocol/").filter(|own| own.ends_with(".md"));
        let found = broken(&library, &text, own);
        lost.extend(found.into_iter().map(|why| format!("{name}: {why}")));
    }
    assert!(
        lost.is_empty(),
        "{} of them do not:\n{}",
        lost.len(),
        lost.join("\n")
    );
}

#[test]
fn a_citation_that_leads_nowhere_is_found() {
    let library = library();
    for right in [
        "// `responder.md` section 1 steps 1 to 4, CF050 and C9-43.",
        "`protocol/aeth.md` sections 2\n/// and 4",
        "`ud.md` section 3.1, row 9; section 4",
        "requester.md section \\\n  5",
        "RFC 791 section 3.1",
        "`conformance.csv`",
    ] {
        assert_eq!(broken(&library, right, None), Vec::<String>::new());
    }
    for (wrong, why) in [
        ("`respond.md`, CF050", "there is no respond.md"),
        ("section 1", "no page is named before this section"),
        ("`responder.md` section 10", "responder.md has no section 10"),
        ("`aeth.md` sections 2, 3 and 9", "aeth.md has no section 9"),
        (
            "`responder.md`\n    /// section 1 steps 14 to 16",
            "responder.md section 1 has no row 16",
        ),
        ("CF999", "no page has CF999"),
        ("C9-4", "no page has C9-4"),
    ] {
        let found = broken(&library, wrong, None);
        assert_eq!(found.len(), 1, "{wrong}: {found:?}");
        assert!(found[0].starts_with(why), "{found:?}");
    }
}
