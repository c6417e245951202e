//! `hca cosim --seeds`: the scenarios of a call for one seed after the other.
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn cosim(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.arg("cosim").args(arguments);
    command
}

#[test]
fn only_the_count_is_printed_of_runs_that_hold() {
    cosim(&[
        "seed001", "rc-mixed", "--golden-only", "--seeds", "3..5", "--link", "roce",
    ])
    .assert()
    .success()
    .stdout("seeds 3 to 5: 6 runs held, 0 failed\n")
    .stderr("");
    cosim(&["decisions", "--cases", "10", "--seeds", "7..8"])
        .assert()
        .success()
        .stdout("seeds 7 to 8: 2 runs held, 0 failed\n")
        .stderr("");
}

/// The hardware holds nothing of one run when the next begins.
#[test]
fn every_seed_runs_as_it_does_alone() {
    cosim(&["seed001", "rc-mixed", "--seeds", "2..3"])
        .assert()
        .success()
        .stdout("seeds 2 to 3: 4 runs held, 0 failed\n")
        .stderr("");
}

#[test]
fn a_wrong_call_is_reported() {
    for (arguments, message) in [
        (&["--seeds", "9..3"][..], "3..9 would do"),
        (&["--seeds", "9"], "expected FIRST..LAST"),
        (&["--seeds", "1..=9"], "expected FIRST..LAST"),
        (&["--seeds", "1..2", "--seed", "1"], "--seed <SEED>"),
        (&["--seeds", "1..2", "--pcap", "f"], "--pcap <FILE>"),
        (&["--seeds", "1..2", "--fst", "f"], "--fst <FILE>"),
        (&["--seeds", "1..2", "--json", "f"], "--json <FILE>"),
        (&["--seeds", "1..2", "--junit", "f"], "--junit <FILE>"),
        (&["--seeds", "1..2", "seed002"], "unknown scenario `seed002`"),
        (
            &["--seeds", "1..2", "wire", "--profile", "small"],
            "means nothing to scenario `wire`",
        ),
    ] {
        cosim(arguments)
            .arg("--golden-only")
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
    cosim(&["--help"])
        .assert()
        .success()
        .stdout(contains("--seeds <FIRST..LAST>").and(contains("LAST among them")));
}
