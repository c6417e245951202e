//! The program as a user calls it; nothing here needs Verilator.
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::path::Path;

fn hca(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments);
    command
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Nothing in the folder but what is named.
fn only_holds(folder: &Path, names: &[&str]) {
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, names);
}

#[test]
fn seed001_runs_on_two_models() {
    hca(&["cosim", "seed001", "--golden-only"])
        .assert()
        .success()
        .stdout(contains("RC_SEND_FIRST               100     2048  1"))
        .stdout(contains("RC_SEND_LAST                102     1024  1"))
        .stdout(contains("1Fh ACK, no credits               1"))
        .stdout(contains(
            "Y CQE    Success, wr_id 20174, QP 000B23h, Receive, 5120 bytes",
        ))
        .stdout(contains("X CQE    Success, wr_id 24141, QP 000A12h, Send"))
        .stdout(contains("HELD: 6 packets"));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed: &str| {
        hca(&["cosim", "--golden-only", "--seed", seed])
            .output()
            .unwrap()
            .stdout
    };
    assert_eq!(run("7"), run("7"));
}

#[test]
fn any_payload_arrives() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, size, pmtu, packets) in [
        (0, "1", "256", 2),
        (1, "1", "4096", 2),
        (5000, "5000", "256", 40),
        (5000, "1000", "4096", 10),
        (5001, "1000", "512", 22),
    ] {
        let path = folder.path().join("payload");
        std::fs::write(
            &path,
            (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect::<Vec<u8>>(),
        )
        .unwrap();
        hca(&["cosim", "send", "--golden-only", "--payload", text(&path)])
            .args(["--message-size", size, "--pmtu", pmtu, "--seed", "3"])
            .assert()
            .success()
            .stdout(contains(format!("HELD: {packets} packets")));
    }
}

#[test]
fn results_are_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    hca(&[
        "cosim",
        "--golden-only",
        "--json",
        text(&at("r.json")),
        "--junit",
        text(&at("r.xml")),
    ])
    .args(["--pcap", text(&at("t.pcap"))])
    .assert()
    .success();
    only_holds(folder.path(), &["r.json", "r.xml", "t.pcap"]);
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(at("r.json")).unwrap()).unwrap();
    assert_eq!(json[0]["held"], true);
    assert_eq!(json[0]["packets"][5]["msn"], 1);
    assert_eq!(json[0]["completions"][0]["byte_count"], 5120);
    let junit = std::fs::read_to_string(at("r.xml")).unwrap();
    assert!(junit.contains(r#"<testcase name="seed001 seed 1"/>"#), "{junit}");
    let pcap = std::fs::read(at("t.pcap")).unwrap();
    assert_eq!(pcap[20..24], [197, 0, 0, 0], "link type ERF");
}

#[test]
fn scenarios_are_listed() {
    hca(&["cosim", "--list"])
        .assert()
        .success()
        .stdout(contains("seed001").and(contains("send")));
}

#[test]
fn a_wrong_call_ends_with_one_clear_message_and_status_2() {
    for (arguments, message, help) in [
        (
            &["cosim", "seed002", "--golden-only"][..],
            "unknown scenario `seed002`",
            "seed001, send",
        ),
        (
            &["cosim", "--profile", "huge", "--golden-only"],
            "unknown profile `huge`",
            "small",
        ),
        (
            &["cosim", "--pmtu", "300", "--golden-only"],
            "'300'",
            "256, 512, 1024, 2048, 4096",
        ),
        (
            &["cosim", "--link", "token-ring", "--golden-only"],
            "'token-ring'",
            "ib",
        ),
        (&["cosim", "--seed", "x", "--golden-only"], "'x'", "--seed"),
        (
            &["cosim", "send", "--payload", "p", "--message-size", "0"],
            "'0'",
            "1..=2147483648",
        ),
        (
            &["cosim", "send", "--golden-only"],
            "nothing to send",
            "--payload FILE",
        ),
        (
            &["cosim", "--payload", "p", "--golden-only"],
            "without scenario `send`",
            "leave the option out",
        ),
        (
            &["cosim", "send", "--payload", "/nonexistent/p"],
            "`/nonexistent/p`",
            "readable file",
        ),
        (&["cosim", "send", "--payload", "/"], "`/`", "readable file"),
        (
            &["cosim", "--golden-only", "--dut", "d"],
            "`--dut` needs the hardware",
            "leave one",
        ),
        (
            &["cosim", "--golden-only", "--fst", "f"],
            "`--fst` needs the hardware",
            "leave one",
        ),
        (
            &["cosim", "--golden-only", "--pcap", "/nonexistent/t"],
            "`/nonexistent/t`",
            "folder that exists",
        ),
        (
            &["cosim", "seed001", "seed001", "--golden-only", "--pcap", "t"],
            "`--pcap` holds one run",
            "one scenario",
        ),
        (
            &["cosim", "--dut", "/nonexistent"],
            "`/nonexistent`",
            "module `hca`",
        ),
        (&["frobnicate"], "'frobnicate'", "--help"),
    ] {
        hca(arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message).and(contains(help)));
    }
}

#[test]
fn a_folder_without_the_top_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |message: &str| {
        hca(&["cosim", "--dut", text(folder.path())])
            .assert()
            .code(2)
            .stderr(contains(message).and(contains("module `hca`")));
    };
    refused("holds no Verilog");
}

#[test]
fn a_full_disk_is_reported_and_leaves_nothing() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    for option in ["--pcap", "--json", "--junit"] {
        hca(&["cosim", "--golden-only", option, "/dev/full"])
            .assert()
            .code(2)
            .stderr(contains("`/dev/full`").and(contains("has room")));
    }
}

#[test]
fn a_reader_who_leaves_early_does_no_harm() {
    let program = assert_cmd::cargo::cargo_bin("hca");
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg(r#"("$0" cosim --golden-only; echo "status $?" >&2) | true"#)
        .arg(program)
        .output()
        .unwrap();
    let errors = String::from_utf8(status.stderr).unwrap();
    assert_eq!(errors, "status 0\n");
}

#[test]
fn a_bug_that_nobody_planted_is_reported() {
    hca(&["bench", "fuzz", "FB06", "FB99"])
        .assert()
        .code(2)
        .stderr(contains("no bug `FB99` is planted").and(contains("planted are FB01; FB02; FB03")));
}
