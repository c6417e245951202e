//! `hca bench link --packets`: a native link with flow control loses nothing, whatever stalls, and all credits come
//! back (CF454).
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn nightly() -> bool {
    std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly")
}

/// `buffer`: blocks of a data VL.
fn soak(profile: &str, packets: &str, buffer: u32) {
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
    soak("small", if nightly() { "100000" } else { "2000" }, 180);
}

#[test]
fn eight_vls_of_512_bits() {
    if nightly() {
        soak("line", "50000", 125);
    }
}

#[test]
fn stalls_alone_are_refused() {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(["bench", "link", "--stalls"]);
    command.assert().code(2).stderr(contains("--packets"));
}
