//! The literal cases can fail: bugs that others have met in the field (`field-bugs.csv`) are planted, one at a time, in
//! a copy of the golden model, and a case named for its row sees each. Most are cases of `tests/conformance`, on the
//! model; what no device shows by itself, those of the model alone see.
//!
//! `cargo test` checks that every bug still has its place; with `HCA_TIER=nightly` the copies are built and run, of the
//! rows in `HCA_MODEL_BUGS=CF429,CF430` alone if that is set.
mod bug;
mod copy;
mod datagram;
mod port;
mod two_ports;
mod violation;

use bug::Bug;
use copy::Copy;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_bug_has_its_place() {
    for bug in bugs() {
        let text = fs::read_to_string(workspace().join(bug.path())).unwrap();
        assert_eq!(text.matches(bug.right).count(), 1, "{}: `{}`", bug.id, bug.right);
        let (file, case) = bug.place_of_its_case();
        let cases = fs::read_to_string(workspace().join(file)).unwrap();
        assert!(
            cases.contains(&format!("fn {case}(")),
            "{}: no case {}",
            bug.id,
            bug.seen_by
        );
    }
}

#[test]
fn every_bug_is_seen() {
    if !std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly") {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("model_bugs");
    let copy = Copy::of_the_workspace(workspace(), &folder);
    for on_both_devices in [true, false] {
        assert_eq!(
            copy.failures(on_both_devices),
            Vec::<String>::new(),
            "the cases hold without a bug"
        );
    }
    let mut missed = Vec::new();
    let rows = std::env::var("HCA_MODEL_BUGS").ok();
    let is_wanted = |bug: &&Bug| {
        rows.as_ref()
            .is_none_or(|rows| rows.split(',').any(|row| row == bug.id))
    };
    for bug in bugs().filter(is_wanted) {
        copy.plant(bug);
        let failures = copy.failures(bug.is_seen_on_both_devices());
        copy.mend(bug);
        if !failures.iter().any(|case| case == bug.seen_by) {
            missed.push(format!(
                "{}: {} holds; these fail: {failures:?}",
                bug.id, bug.seen_by
            ));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

fn bugs() -> impl Iterator<Item = &'static Bug> {
    let native = port::BUGS.iter().chain(&two_ports::BUGS).chain(&violation::BUGS);
    bug::BUGS.iter().chain(&datagram::BUGS).chain(native)
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
