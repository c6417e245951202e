//! The literal cases can fail: bugs that others have met in the field (`field-bugs.csv`) are planted, one at a time, in
//! a copy of the model's decisions, and a case named for its row sees each.
//!
//! `cargo test` checks that every bug still has its place; with `HCA_TIER=nightly` the copies are built and run.
mod bug;

use bug::{Bug, BUGS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_bug_has_its_place() {
    for bug in &BUGS {
        let text = fs::read_to_string(source().join(bug.file)).unwrap();
        assert_eq!(text.matches(bug.right).count(), 1, "{}: `{}`", bug.id, bug.right);
        let case = format!("fn {}(", bug.seen_by.rsplit("::").next().unwrap_or_default());
        let module = bug.seen_by.split("::").next().unwrap_or_default();
        let cases = fs::read_to_string(cases().join(format!("{module}.rs"))).unwrap();
        assert!(cases.contains(&case), "{}: no case {}", bug.id, bug.seen_by);
    }
}

#[test]
fn every_bug_is_seen() {
    if !std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly") {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("planted");
    let run = Copy::of_the_workspace(&folder);
    assert_eq!(
        run.failures(),
        Vec::<String>::new(),
        "the cases hold without a bug"
    );
    let mut missed = Vec::new();
    for bug in &BUGS {
        run.plant(bug);
        let failures = run.failures();
        run.mend(bug);
        if !failures.iter().any(|case| case == bug.seen_by) {
            missed.push(format!(
                "{}: {} holds; these fail: {failures:?}",
                bug.id, bug.seen_by
            ));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Root of the crate.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source() -> PathBuf {
    root().join("src")
}

fn cases() -> PathBuf {
    root().join("tests/rc")
}

/// A copy of this crate, in a workspace of its own.
struct Copy {
    crate_root: PathBuf,
}

impl Copy {
    fn of_the_workspace(folder: &Path) -> Copy {
        let crate_root = folder.join("golden");
        let workspace = root().parent().unwrap();
        if folder.exists() {
            fs::remove_dir_all(folder).unwrap();
        }
        copy(&source(), &crate_root.join("src"));
        copy(&cases(), &crate_root.join("tests/rc"));
        fs::copy(root().join("Cargo.toml"), crate_root.join("Cargo.toml")).unwrap();
        fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        let manifest = fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
        let alone = r#"members = ["golden"]"#;
        let members = manifest.lines().find(|l| l.starts_with("members")).unwrap();
        fs::write(folder.join("Cargo.toml"), manifest.replace(members, alone)).unwrap();
        Copy { crate_root }
    }

    fn plant(&self, bug: &Bug) {
        let text = fs::read_to_string(source().join(bug.file)).unwrap();
        fs::write(self.path(bug), text.replace(bug.right, bug.wrong)).unwrap();
    }

    fn mend(&self, bug: &Bug) {
        fs::copy(source().join(bug.file), self.path(bug)).unwrap();
    }

    fn path(&self, bug: &Bug) -> PathBuf {
        self.crate_root.join("src").join(bug.file)
    }

    /// Cases that fail. A copy that cannot be built is an error of the test.
    fn failures(&self) -> Vec<String> {
        let output = Command::new(env!("CARGO"))
            .args(["test", "--offline", "--test", "rc"])
            .current_dir(&self.crate_root)
            .env("CARGO_TARGET_DIR", self.crate_root.join("target"))
            .env("RUST_BACKTRACE", "0")
            .env_remove("HCA_TIER")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            text.contains("test result"),
            "the copy was not run:\n{text}\n{errors}"
        );
        let failed = text
            .lines()
            .filter_map(|l| l.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        failed.map(str::to_owned).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
