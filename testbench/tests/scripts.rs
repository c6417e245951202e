//! Each script says with `--help` how it is called and what it is for, and does nothing else.
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use std::{fs, path::Path};

#[test]
fn scripts_explain_themselves() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for script in [
        "scripts/campaign", "scripts/live", "scripts/mutate", "scripts/prove", "scripts/same",
        "scripts/setup", "scripts/subnet", "scripts/synth", "scripts/test", "testbench/guest/build",
        "testbench/peer/run",
    ] {
        let text = fs::read_to_string(root.join(script)).unwrap();
        let about = text.lines().nth(1).unwrap().trim_start_matches("# ");
        Command::new(root.join(script))
            .arg("--help")
            .assert()
            .success()
            .stdout(starts_with(format!("usage: {script}")).and(contains(about)));
    }
}
