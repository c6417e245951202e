//! `hca bench link --packets`: a native link with flow control loses nothing, whatever stalls, and all credits come
//! back (CF454). `hca bench link`: all VLs together fill it.
use assert_cmd::Command;
use hca_host::profile;
use predicates::prelude::*;
use predicates::str::contains;

fn nightly() -> bool {
    std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly")
}

fn soak(profile: &str, packets: &str) {
    let buffer = profile::by_name(profile).unwrap().receive_blocks;
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args([
        "bench", "link", "--profile", profile, "--packets", packets, "--stalls",
    ]);
    let none = "BufferOverrun 0, RcvErrors 0, XmitDiscards 0";
    command
        .assert()
        .success()
        .stdout(contains(format!("{buffer} of {buffer}\n")).and(contains(format!("X: {none}; Y: {none}\n"))));
}

#[test]
fn two_vls_of_64_bits() {
    soak("small", if nightly() { "1000000" } else { "2000" });
}

#[test]
fn more_vls_of_wider_streams() {
    if nightly() {
        soak("mid", "100000");
        soak("line", "100000");
    }
}

/// All data VLs of a profile fill the link with packets of 4 KiB, one way.
fn fills_the_link(profile: &str) {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(["bench", "link", "--profile", profile]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let vls = 1 << profile::by_name(profile).unwrap().vl_bits;
    let row = text.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words.starts_with(&[&vls.to_string(), "4096", "X"]))
            .then(|| words[3].trim_end_matches('%').parse::<f64>())
    });
    let busy = row.expect("a row of all data VLs").unwrap();
    assert!(busy >= 98.0, "{busy} % of the beats\n{text}");
}

#[test]
fn all_vls_together_fill_the_link() {
    fills_the_link("small");
    if nightly() {
        fills_the_link("mid");
        fills_the_link("line");
    }
}

#[test]
fn stalls_alone_are_refused() {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(["bench", "link", "--stalls"]);
    command.assert().code(2).stderr(contains("--packets"));
}
