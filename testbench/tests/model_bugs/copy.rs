//! A copy of the model and of everything that its cases are built from, in a workspace of its own.
use crate::bug::Bug;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MEMBERS: &str = r#"members = ["golden", "rtl", "rtl/hdl", "rtl/host", "sim", "testbench"]"#;
const FOLDERS: [&str; 5] = ["golden", "protocol", "rtl", "sim", "testbench"];

pub struct Copy<'a> {
    original: &'a Path,
    root: PathBuf,
}

impl<'a> Copy<'a> {
    pub fn of_the_workspace(original: &'a Path, root: &Path) -> Copy<'a> {
        for folder in FOLDERS {
            if root.join(folder).exists() {
                fs::remove_dir_all(root.join(folder)).unwrap();
            }
            copy(&original.join(folder), &root.join(folder));
        }
        fs::copy(original.join("Cargo.lock"), root.join("Cargo.lock")).unwrap();
        let manifest = fs::read_to_string(original.join("Cargo.toml")).unwrap();
        let members = manifest.lines().find(|l| l.starts_with("members")).unwrap();
        fs::write(root.join("Cargo.toml"), manifest.replace(members, MEMBERS)).unwrap();
        let root = root.to_owned();
        Copy { original, root }
    }

    pub fn plant(&self, bug: &Bug) {
        let text = fs::read_to_string(self.original.join(bug.path())).unwrap();
        fs::write(self.root.join(bug.path()), text.replace(bug.right, bug.wrong)).unwrap();
    }

    pub fn mend(&self, bug: &Bug) {
        let text = fs::read_to_string(self.original.join(bug.path())).unwrap();
        fs::write(self.root.join(bug.path()), text).unwrap();
    }

    /// Cases that fail, of those for both devices on the model or of those for the model alone. A copy that cannot be
    /// built is an error of the test.
    pub fn failures(&self, on_both_devices: bool) -> Vec<String> {
        let program = match on_both_devices {
            true => &["hca-testbench", "--test", "conformance", "--", "::model::"][..],
            false => &["hca-golden", "--test", "rc"],
        };
        let output = Command::new(env!("CARGO"))
            .args(["test", "--offline", "--package"])
            .args(program)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
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
