//! The scenarios on the exported hardware, beside the model.
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

/// The table of `scenario_seed001.md` section 1 as Wireshark's dissector sees it: opcode, PSN, A, PktLen, MSN.
/// Acks 100 and 101 may be missing; this hardware sends them.
const TABLE: [(&str, [&str; 5]); 6] = [
    ("1", ["0", "100", "1", "518", ""]),
    ("1", ["1", "101", "0", "518", ""]),
    ("1", ["2", "102", "1", "262", ""]),
    ("2", ["17", "100", "0", "7", "0"]),
    ("2", ["17", "101", "0", "7", "0"]),
    ("2", ["17", "102", "0", "7", "1"]),
];

/// What the README and the quick start show is what a newcomer sees.
#[test]
fn the_documentation_shows_what_seed001_prints() {
    let output = hca(&["cosim", "seed001"]).assert().success();
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let verdict = printed.lines().last().unwrap();
    assert!(page("README.md").contains(verdict), "not in README.md: {verdict}");
    assert!(
        page("docs/quick-start.md").contains(&printed),
        "not in docs/quick-start.md:\n{printed}"
    );
}

#[test]
fn seed001_holds_and_wireshark_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("trace.pcap");
    for seed in ["1", "2", "3"] {
        hca(&["cosim", "seed001", "--seed", seed, "--pcap", text(&pcap)])
            .assert()
            .success()
            .stdout(contains(
                "Y CQE    Success, wr_id 20174, QP 000B23h, Receive, 5120 bytes",
            ))
            .stdout(contains("X CQE    Success, wr_id 24141, QP 000A12h, Send"))
            .stdout(contains("HELD: 6 packets, 2 completions"));
    }
    let fields = ["slid", "opcode", "psn", "a", "pktlen", "msn"];
    let names = [
        "infiniband.lrh.slid", "infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.bth.a",
    ];
    let names = names
        .iter()
        .chain(&["infiniband.lrh.pktlen", "infiniband.aeth.msn", "_ws.malformed"]);
    let output = std::process::Command::new("tshark")
        .arg("-r")
        .arg(&pcap)
        .args(["-T", "fields", "-E", "separator=,"])
        .args(names.flat_map(|n| ["-e", n]))
        .output();
    let Ok(output) = output else {
        eprintln!("tshark is not installed: the capture is not checked");
        return;
    };
    let seen = String::from_utf8(output.stdout).unwrap();
    let mut rows: Vec<Vec<&str>> = seen.lines().map(|l| l.split(',').collect()).collect();
    rows.sort_by_key(|r| r[0].to_owned());
    let expected: Vec<Vec<&str>> = TABLE
        .iter()
        .map(|(slid, rest)| [&[*slid][..], &rest[..], &[""]].concat())
        .collect();
    let same = |found: &str, wanted: &str| {
        found == wanted || (found, wanted) == ("True", "1") || (found, wanted) == ("False", "0")
    };
    assert_eq!(rows.len(), expected.len(), "{seen}");
    for (found, wanted) in rows.iter().zip(&expected) {
        for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
            assert!(same(f, w), "{:?}: {f} is not {w}\n{seen}", fields.get(i));
        }
    }
}

/// The same table over RoCEv2, by its source address: opcode, PSN, IPv4 length, MSN.
const ROCE_TABLE: [[&str; 5]; 6] = [
    ["10.0.0.1", "0", "100", "2092", ""],
    ["10.0.0.1", "1", "101", "2092", ""],
    ["10.0.0.1", "2", "102", "1068", ""],
    ["10.0.0.2", "17", "100", "48", "0"],
    ["10.0.0.2", "17", "101", "48", "0"],
    ["10.0.0.2", "17", "102", "48", "1"],
];

#[test]
fn seed001_holds_over_roce_and_wireshark_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("trace.pcap");
    hca(&["cosim", "seed001", "--link", "roce", "--pcap", text(&pcap)])
        .assert()
        .success()
        .stdout(contains("HELD: 6 packets, 2 completions"));
    let names = [
        "ip.src", "infiniband.bth.opcode", "infiniband.bth.psn", "ip.len", "infiniband.aeth.msn",
        "_ws.malformed",
    ];
    let output = std::process::Command::new("tshark")
        .arg("-r")
        .arg(&pcap)
        .args(["-T", "fields", "-E", "separator=,"])
        .args(names.iter().flat_map(|n| ["-e", n]))
        .output();
    let Ok(output) = output else {
        eprintln!("tshark is not installed: the capture is not checked");
        return;
    };
    let seen = String::from_utf8(output.stdout).unwrap();
    let mut rows: Vec<Vec<&str>> = seen.lines().map(|l| l.split(',').collect()).collect();
    rows.sort_by_key(|r| r[0].to_owned());
    let expected = ROCE_TABLE.map(|row| [&row[..], &[""]].concat());
    assert_eq!(rows, expected);
}

#[test]
fn any_payload_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("payload");
    for (bytes, size, pmtu, completions) in [
        (0, "1", "256", 2),
        (1, "1", "4096", 2),
        (30_000, "30000", "256", 2),
        (30_003, "1001", "512", 60),
        (3_002, "5", "1024", 1202),
    ] {
        std::fs::write(
            &path,
            (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect::<Vec<u8>>(),
        )
        .unwrap();
        hca(&[
            "cosim",
            "send",
            "--payload",
            text(&path),
            "--message-size",
            size,
            "--pmtu",
            pmtu,
        ])
        .assert()
        .success()
        .stdout(contains(format!("packets, {completions} completions")).and(contains("nothing differed")));
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed: &str| hca(&["cosim", "--seed", seed]).output().unwrap().stdout;
    let first = run("7");
    assert!(String::from_utf8_lossy(&first).contains("HELD"));
    assert_eq!(first, run("7"));
    assert_ne!(first, run("8"), "the seed decides the latencies");
}

#[test]
fn replay_writes_waves_of_both_devices() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("waves.fst");
    hca(&["cosim", "seed001", "--fst", text(&file)])
        .assert()
        .success()
        .stdout(contains("waves: X in"));
    let size = |path: &Path| std::fs::metadata(path).unwrap().len();
    let whole = [file, folder.path().join("waves.y.fst")].map(|path| size(&path));
    assert!(whole.iter().all(|size| *size > 10_000), "{whole:?}");
    let end = folder.path().join("end.fst");
    hca(&["cosim", "seed001", "--fst", text(&end), "--fst-from", "3000"])
        .assert()
        .success();
    assert!(size(&end) < whole[0]);
}

#[test]
fn bench_prints_a_row_a_size() {
    hca(&["bench", "--messages", "4", "--cycles", "1000"])
        .assert()
        .success()
        .stdout(
            contains("\n     64 ")
                .and(contains("\n   1024 "))
                .and(contains("\n   4096 ")),
        )
        .stdout(contains("one bare model"));
}

#[test]
fn bench_rc_prints_rates_and_latencies() {
    let arguments = [
        "bench", "rc", "--messages", "4", "--memory-latency", "9", "--ack-delay", "50",
    ];
    hca(&arguments)
        .assert()
        .success()
        .stdout(contains("answers after 9 cycles, acks take 50"))
        .stdout(contains("Send   4096    4      both").and(contains("Send     64    1      asks")))
        .stdout(contains("doorbell to").and(contains("\n       4096 ")));
}

#[test]
fn bench_measures_datagrams_over_roce() {
    hca(&["bench", "ud", "--link", "roce", "--messages", "4"])
        .assert()
        .success()
        .stdout(contains("profile small over roce,"))
        .stdout(contains("Send     64    1      asks           17.0"));
}

#[test]
fn export_is_stable_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| {
        let out = folder.path().join(name);
        hca(&["export", "--profile", "small", "--out", text(&out)])
            .assert()
            .success();
        let list = std::fs::read_to_string(out.join("files.f")).unwrap();
        let texts: Vec<String> = list
            .lines()
            .map(|f| std::fs::read_to_string(out.join(f)).unwrap())
            .collect();
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), texts.len() + 1);
        (list, texts)
    };
    let first = read("a");
    assert!(first.0.lines().last() == Some("hca.v"));
    assert!(first == read("b"), "two exports differ");
}

#[test]
fn a_design_without_the_top_or_its_ports_is_refused() {
    for (verilog, message) in [
        ("module other(input clock); endmodule\n", "no module `hca`"),
        ("module hca(input clock); endmodule\n", "no port"),
        ("module hca(input clock) endmodule\n", "refuses"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("design.v"), verilog).unwrap();
        hca(&["cosim", "--dut", text(folder.path())])
            .assert()
            .code(2)
            .stderr(contains(message).and(contains("--dut takes a folder")));
    }
}

/// What is left of another export would be read with `*.v`.
#[test]
fn an_export_over_another() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    std::fs::write(out.join("hca_of_before.v"), "module hca_of_before(); endmodule\n").unwrap();
    std::fs::write(out.join("files.f"), "hca_of_before.v\n").unwrap();
    let export = || hca(&["export", "--profile", "small", "--out", text(out)]).assert();
    export().success().stdout(contains(
        "removed 1 modules of the export that was there before: hca_of_before.v",
    ));
    export().success().stdout(contains("removed").not());
    let list = std::fs::read_to_string(out.join("files.f")).unwrap();
    assert_eq!(std::fs::read_dir(out).unwrap().count(), list.lines().count() + 1);
    std::fs::write(out.join("own.v"), "module own(); endmodule\n").unwrap();
    export()
        .code(2)
        .stderr(contains("own.v` is a module of another design"));
    assert!(out.join("own.v").exists());
}

/// The cache of another user's clone cannot be written: the design is not what is wrong.
#[test]
fn a_cache_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("hca.v"),
        "module hca(input clock); endmodule\n",
    )
    .unwrap();
    hca(&["cosim", "--dut", text(folder.path())])
        .env("CARGO_TARGET_DIR", "/dev/null/target")
        .assert()
        .code(2)
        .stderr(contains("CARGO_TARGET_DIR=FOLDER").and(contains("--dut takes a folder").not()));
}

#[test]
fn a_machine_without_verilator_gets_advice() {
    let empty = tempfile::tempdir().unwrap();
    hca(&["cosim"])
        .env("PATH", empty.path())
        .env("HCA_VERILATOR_ROOT", empty.path())
        .assert()
        .code(2)
        .stderr(contains("scripts/setup"));
}

#[test]
fn why_a_model_is_slow_is_said_where_one_asks() {
    let folder = tempfile::tempdir().unwrap();
    let text_of = "module hca(input clock, input reset, input late, output reg a);\n\
                   always @(posedge clock) a <= reset; always @(posedge late) a <= clock;\nendmodule\n";
    std::fs::write(folder.path().join("hca.v"), text_of).unwrap();
    let two_clocks = ["cosim", "--dut", text(folder.path())];
    let note = contains("not divided: Verilator's C++ has what is not understood");
    hca(&two_clocks).assert().code(2).stderr(note.clone().not());
    hca(&[&two_clocks[..], &["-v"]].concat())
        .assert()
        .code(2)
        .stderr(note);
}
