//! The link packets in the captures of runs on two models: `hca decode` counts them, and `hca check` judges them.
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::path::Path;

fn hca(arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments).arg(file);
    command
}

#[test]
fn a_scenario_by_credits() {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("packets.pcap");
    let cosim = ["cosim", "services-credits", "--golden-only", "--pcap"];
    hca(&cosim, &pcap).assert().success();
    hca(&["decode"], &pcap)
        .assert()
        .success()
        .stdout(contains("of the link, 0 others passed over\n"))
        .stdout(contains("right, 0 wrong, 0 absent\nmalformed: 0; "))
        // Two ports, two VLs, once.
        .stdout(contains("      4 FLOW_CONTROL_INITIALISE\n"));
    hca(&["check"], &pcap)
        .assert()
        .success()
        .stdout(contains(" link packets: no rule is broken"));
    // They have no ends.
    let of_one = ["check", "--qp", "FFh"];
    hca(&of_one, &pcap).assert().stdout(contains("link packet").not());
}

/// Without credits, and over Ethernet, there are none.
#[test]
fn a_scenario_without_credits() {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("packets.pcap");
    for (scenario, link) in [("rc-mixed", "ib"), ("services-credits", "roce")] {
        let cosim = ["cosim", scenario, "--link", link, "--golden-only", "--pcap"];
        hca(&cosim, &pcap).assert().success();
        hca(&["decode"], &pcap)
            .assert()
            .success()
            .stdout(contains("of the link").not().and(contains("FLOW_CONTROL").not()));
    }
}

/// Link packets that nobody sent: with Op 7, with a wrong bit, and too short.
const FORGED: &str = r#"
version = 1
seed = 1
index = 0

[frame]
devices = "models"
profile = "small"
link = "ib"
seed = 1
credits = 43690

[frame.faults]
lost = 0
repeated = 0
echoed = 0
corrupted = 0
delayed = 0
overtaken = 0

[frame.timing]
memory_latency = [1, 1]
memory_pauses = 0
stream_gaps = 0
stream_stalls = 0
register_pauses = 0

[life]
steps = [
    { side = "X", act = "forge_link", packets = [
        { op = 7, vl = 0 }, { vl = 1, flips = [20] }, { vl = 1, longer = -1 }, { vl = 0 }, { vl = 1 },
    ] },
]
"#;

#[test]
fn a_case_with_forged_link_packets() {
    let folder = tempfile::tempdir().unwrap();
    let (case, pcap) = (
        folder.path().join("case.toml"),
        folder.path().join("packets.pcap"),
    );
    std::fs::write(&case, FORGED).unwrap();
    let mut replay = hca(&["replay", "--golden-only", "--pcap"], &pcap);
    replay.arg(&case).assert().success();
    hca(&["decode"], &pcap)
        .assert()
        .code(1)
        .stdout(contains("malformed: 3 (LINK_LENGTH 1, LINK_OP 1, LPCRC 1); "))
        .stdout(contains("! LINK_OP_7").and(contains("malformed LINK_OP: Op is 7, neither 0 nor 1")));
    hca(&["check"], &pcap)
        .assert()
        .code(1)
        .stdout(contains(
            "  CF440  a packet: a link packet's LPCRC is right: link packet: LPCRC is ",
        ))
        .stdout(contains(
            "  CF441  a packet: the Op of a link packet is 0 or 1: link packet: Op is 7",
        ))
        .stdout(contains(
            "  CF001  a packet: a packet is well formed: link packet: ",
        ))
        .stdout(contains(" link packets: 3 findings"));
}
