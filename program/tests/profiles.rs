//! The profiles with all their queue pairs, and the scenarios on the wide one, beside the model.
//!
//! `cargo test` builds the wide hardware behind a native link alone; with `HCA_TIER=nightly` behind both, and runs
//! faulty links too.
use assert_cmd::Command;
use predicates::str::contains;

fn holds(arguments: &[&str]) {
    Command::cargo_bin("hca")
        .unwrap()
        .arg("cosim")
        .args(arguments)
        .assert()
        .success()
        .stdout(contains("nothing differed"));
}

fn nightly() -> bool {
    std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly")
}

#[test]
fn all_queue_pairs_of_small_while_some_stall() {
    let seeds = if nightly() { 1..=10 } else { 1..=2 };
    for seed in seeds {
        for link in ["ib", "roce"] {
            holds(&["rc-many", "--link", link, "--seed", &seed.to_string()]);
        }
    }
}

#[test]
fn round_after_round_holds() {
    let packets = if nightly() { "1000000" } else { "20000" };
    for link in ["ib", "roce"] {
        holds(&["soak", "--packets", packets, "--link", link]);
    }
}

#[test]
fn the_wider_profiles_hold() {
    for profile in ["mid", "line"] {
        holds(&["seed001", "rc-mixed", "--profile", profile]);
    }
}

#[test]
fn all_queue_pairs_of_the_wider_profiles_while_some_stall() {
    if !nightly() {
        return;
    }
    for profile in ["mid", "line"] {
        holds(&["rc-many", "--profile", profile]);
    }
}

#[test]
fn the_wider_profiles_hold_on_faulty_links() {
    if !nightly() {
        return;
    }
    for profile in ["mid", "line"] {
        for seed in 1..=10 {
            for link in ["ib", "roce"] {
                let seed = seed.to_string();
                let scenarios = ["seed001", "rc-mixed", "rc-many", "rc-loss-1", "rc-loss-20"];
                let options = ["--profile", profile, "--link", link, "--seed", &seed];
                holds(&[&scenarios[..], &options[..]].concat());
            }
        }
    }
}

#[test]
fn as_many_connections_as_queue_pairs() {
    for (profile, completions) in [("small", 150), ("mid", 150), ("line", 3_000)] {
        let arguments = ["cosim", "rc-many", "--golden-only", "--profile", profile];
        let output = Command::cargo_bin("hca")
            .unwrap()
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let held = text.lines().find(|line| line.starts_with("HELD")).unwrap();
        let number = held
            .split(" packets, ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        assert!(number.unwrap().parse::<u32>().unwrap() > completions, "{held}");
    }
}
