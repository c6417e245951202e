//! Every scenario that draws, on seeds that nobody has picked, beside the model.
//!
//! `cargo test` runs six seeds of each, spread over profiles and framings, and leaves out the wider hardware behind
//! RoCE; with `HCA_TIER=nightly` it is 300 on each of the seven.
use assert_cmd::Command;
use crc::{Crc, CRC_32_ISCSI};

/// What draws nothing, and what other tests run on seeds of their own: the blocks alone.
const OTHERS: [&str; 3] = ["send", "wire", "decisions"];
/// Packets of a run whose length is chosen.
const SOAK: &str = "2000";
const NIGHTLY: u32 = 300;

fn hca(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments);
    command
}

/// Their names, as `--list` has them: a new scenario is one of them.
fn scenarios() -> Vec<String> {
    let output = hca(&["cosim", "--list"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    let drawing: Vec<String> = names
        .filter(|name| !OTHERS.contains(name))
        .map(str::to_owned)
        .collect();
    assert!(drawing.len() >= 16, "{text}");
    drawing
}

/// Runs each on so many seeds, other ones for each scenario, profile and framing.
fn hold(profile: &str, link: &str, seeds: u32) {
    let nightly = std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly");
    let seeds = if nightly { NIGHTLY } else { seeds };
    if seeds == 0 {
        return;
    }
    for scenario in scenarios() {
        let drawn =
            Crc::<u32>::new(&CRC_32_ISCSI).checksum(format!("{scenario} {profile} {link}").as_bytes());
        let (first, last) = (u64::from(drawn), u64::from(drawn) + u64::from(seeds) - 1);
        let range = format!("{first}..{last}");
        let mut command = hca(&[
            "cosim", &scenario, "--profile", profile, "--link", link, "--seeds", &range,
        ]);
        if scenario == "soak" {
            command.args(["--packets", SOAK]);
        }
        let closing = format!("seeds {first} to {last}: {seeds} runs held, 0 failed\n");
        command.assert().success().stdout(closing);
    }
}

/// Two datagrams of one sender with the same bytes are two: the second does not stand for the first.
#[test]
fn equal_copies_of_a_group_are_told_apart() {
    let seed = ["--seed", "3197692595"];
    hca(&["cosim", "ud-multicast", "--link", "roce", "--golden-only"])
        .args(seed)
        .assert()
        .success();
}

#[test]
fn small_behind_infiniband() {
    hold("small", "ib", 2);
}

#[test]
fn small_behind_roce() {
    hold("small", "roce", 1);
}

#[test]
fn pair_behind_infiniband() {
    hold("pair", "ib", 1);
}

#[test]
fn mid_behind_infiniband() {
    hold("mid", "ib", 1);
}

#[test]
fn mid_behind_roce() {
    hold("mid", "roce", 0);
}

#[test]
fn line_behind_infiniband() {
    hold("line", "ib", 1);
}

#[test]
fn line_behind_roce() {
    hold("line", "roce", 0);
}
