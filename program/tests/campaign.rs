//! `scripts/campaign`: shards by a scheduler are the whole run, and one that dies is named.
use assert_cmd::cargo::cargo_bin;
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;
use std::path::Path;

/// The script with its results in this folder, which holds the program already; none where GNU parallel is missing.
fn campaign(out: &Path, arguments: &[&str]) -> Option<Command> {
    if Command::new("parallel").arg("--version").output().is_err() {
        eprintln!("not tested: GNU parallel is not installed");
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/campaign");
    let mut command = Command::new(script);
    command.args(["--shards", "2", "--with", "parallel", "--out"]);
    command.arg(out).args(arguments);
    Some(command)
}

#[test]
fn its_shards_are_the_whole_run() {
    let folder = tempfile::tempdir().unwrap();
    let (out, whole) = (folder.path().join("two shards"), folder.path().join("whole"));
    let run = ["--golden-only", "--cases", "6", "--seed", "3"];
    let Some(mut campaign) = campaign(&out, &[&["--"], &run[..]].concat()) else {
        return;
    };
    fs::create_dir(&out).unwrap();
    fs::copy(cargo_bin("hca"), out.join("hca")).unwrap();
    campaign.assert().success().stdout(contains("HELD: 6 cases"));
    let mut fuzz = Command::cargo_bin("hca").unwrap();
    fuzz.arg("fuzz").args(run).arg("--out").arg(&whole);
    fuzz.assert().success();
    let summary = |folder: &Path| fs::read_to_string(folder.join("summary.json")).unwrap();
    assert_eq!(summary(&out), summary(&whole));
}

#[test]
fn a_shard_that_dies_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let out = tempfile::tempdir().unwrap();
    let Some(mut campaign) = campaign(out.path(), &["--", "--cases", "4"]) else {
        return;
    };
    // Takes all options, and dies of the second shard.
    let program = out.path().join("hca");
    fs::write(&program, "#!/bin/sh\ncase \"$*\" in *1/2*) exit 101 ;; esac\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    campaign
        .assert()
        .code(2)
        .stdout(contains("shard 1 did not end: see ").and(contains("shard-1.log")));
}
