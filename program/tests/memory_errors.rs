//! Traffic on hardware whose host memory answers late and with errors, beside the model.
//!
//! `cargo test` runs two seeds; with `HCA_TIER=nightly` forty, over both links.
use assert_cmd::Command;
use predicates::str::contains;

fn holds_in(scenario: &str, seed: u32) {
    Command::cargo_bin("hca")
        .unwrap()
        .args(["cosim", scenario, "--seed", &seed.to_string()])
        .assert()
        .success()
        .stdout(contains("nothing differed"));
}

fn holds(seed: u32, link: &str) {
    let seed = seed.to_string();
    let scenarios = ["rc-memory-errors", "rc-memory-errors-loss-1"];
    Command::cargo_bin("hca")
        .unwrap()
        .arg("cosim")
        .args(scenarios)
        .args(["--seed", &seed, "--link", link])
        .assert()
        .success()
        .stdout(contains("nothing differed").count(scenarios.len()));
}

#[test]
fn every_queue_pair_ends_as_the_rules_say_or_is_untouched() {
    let nightly = std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly");
    for seed in if nightly { 1..=40 } else { 1..=2 } {
        holds(seed, "ib");
        if nightly {
            holds(seed, "roce");
        }
    }
}

/// The receiver has acknowledged a message before host memory answers that it has not taken its bytes: no completion of
/// the sender tells of it.
#[test]
fn what_a_receiver_alone_knows_ends_a_connection() {
    holds_in("rc-memory-errors-loss-1", 88_013);
}

/// A timer expires while the run is watched for what should not come any more.
#[test]
fn a_request_that_is_sent_again_at_the_end_is_not_missing() {
    holds_in("rc-memory-errors", 103);
}
