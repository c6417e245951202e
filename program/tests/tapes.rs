//! What `hca` builds gives, at every clock, what the system's own tools build: outputs and retire records of cases of
//! `hca fuzz`, `rc-loss-20` and `soak`.
//!
//! `cargo test` takes the small hardware; with `HCA_TIER=nightly` it is three profiles behind both links, and more
//! cases.
use assert_cmd::Command;

fn nightly() -> bool {
    std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly")
}

/// Of the cases of seed 1 one of the first nine has a reset, which a tape knows nothing of.
fn agree(profile: &str, link: &str) {
    let cases = if nightly() { "40" } else { "9" };
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(["bench", "simulation", "--profile", profile, "--link", link]);
    command.args(["--cases", cases, "--seed", "1"]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(
        text.ends_with("at every clock both models gave the same outputs and retire records\n"),
        "{text}"
    );
    // A design whose C++ cannot be read would be built another way, and agree all the more.
    let built = text.lines().find(|line| line.starts_with("hca:")).unwrap();
    assert!(
        built.contains("Verilator 5.0")
            || built.ends_with("blocks that run when something they read has changed"),
        "{built}"
    );
}

#[test]
fn small_behind_infiniband() {
    agree("small", "ib");
}

#[test]
fn the_others() {
    if nightly() {
        for (profile, link) in [
            ("small", "roce"),
            ("mid", "ib"),
            ("mid", "roce"),
            ("line", "ib"),
            ("line", "roce"),
        ] {
            agree(profile, link);
        }
    }
}
