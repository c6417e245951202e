//! The scenarios of the reliable connection on two models.
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn cosim(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.arg("cosim").args(arguments);
    command
}

#[test]
fn every_scenario_holds_on_two_models() {
    for (seed, link) in [("1", "ib"), ("2", "roce"), ("3", "ib")] {
        for scenario in [
            "rc-mixed",
            "rc-loss-1",
            "rc-loss-20",
            "rc-memory-errors",
            "rc-memory-errors-loss-1",
        ] {
            cosim(&[scenario, "--golden-only", "--seed", seed, "--link", link])
                .assert()
                .success()
                .stdout(contains("HELD").and(contains("nothing differed")));
        }
    }
}

/// Two models hold over several rounds, also after the objects of the first round are destroyed.
#[test]
fn rounds_hold_on_two_models() {
    cosim(&["soak", "--golden-only", "--packets", "20000"])
        .assert()
        .success()
        .stdout(contains("3 rounds").and(contains("nothing differed")));
    cosim(&["rc-mixed", "--golden-only", "--packets", "20000"])
        .assert()
        .code(2)
        .stderr(contains("`--packets` means nothing without scenario `soak`"));
}

#[test]
fn the_same_seed_gives_the_same_faults() {
    let run = |seed: &str| {
        let arguments = ["rc-loss-1", "--golden-only", "--seed", seed];
        cosim(&arguments).output().unwrap().stdout
    };
    let first = run("5");
    assert!(String::from_utf8_lossy(&first).contains("HELD"));
    assert_eq!(first, run("5"));
    assert_ne!(first, run("6"));
}
