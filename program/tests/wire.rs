//! `hca cosim wire` and `hca bench wire`: what they run, and that a difference would show.
use assert_cmd::Command;
use hca_golden::decision::link::judge;
use hca_golden::wire::frame::Frame;
use hca_sim::wire::receive::Outcome;
use hca_testbench::report::side_by_side::telling_field;
use hca_testbench::trace::drop_reason;
use hca_testbench::wire::case::{Batch, BATCH};
use hca_testbench::wire::fields::received;
use hca_testbench::wire::framing::Framing;
use hca_testbench::wire::mismatch::{Difference, Mismatch};
use hca_testbench::wire::receive::differing;
use predicates::prelude::*;
use predicates::str::contains;
use std::collections::{BTreeMap, BTreeSet};

fn hca(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments);
    command
}

/// Batches of cases 0 to 4000.
fn batches(seed: u64) -> impl Iterator<Item = Batch> {
    (0..4000 / BATCH).map(move |number| Batch::of(seed, number))
}

#[test]
fn a_run_meets_every_reason_in_either_framing() {
    let mut reasons: BTreeMap<bool, BTreeSet<&str>> = BTreeMap::new();
    let (mut accepted, mut padded, mut all, mut lengths) = (0, 0, 0, BTreeSet::new());
    for batch in batches(1) {
        for case in batch.cases(1, u64::MAX).unwrap() {
            all += 1;
            let native = batch.framing == Framing::InfiniBand;
            lengths.insert((native, case.mutant.frame.len()));
            match judge(&batch.port, &case.mutant.frame) {
                Ok(packet) => {
                    accepted += 1;
                    padded += u32::from(packet.encode().unwrap().len() < case.mutant.frame.len());
                }
                Err(malformed) => {
                    reasons
                        .entry(native)
                        .or_default()
                        .insert(drop_reason::name(malformed.reason));
                }
            }
        }
    }
    let both = [
        "DGID", "DLID", "GRH", "HEADER_INCOMPLETE", "ICRC", "LENGTH", "NETWORK_HEADER", "OPCODE",
        "PAD_COUNT", "PAYLOAD_LENGTH", "TRANSPORT_VERSION",
    ];
    let native = ["LINK_VERSION", "VCRC", "VL", "VL15"]
        .into_iter()
        .chain(both)
        .collect();
    assert_eq!(reasons[&true], native);
    assert_eq!(reasons[&false], both.into_iter().collect());
    assert!(
        (all / 4..all * 3 / 4).contains(&accepted),
        "{accepted} of {all} accepted"
    );
    assert!(padded > 5, "{padded} frames with Ethernet padding accepted");
    // Runts of every length from 0 up, and more than any packet has.
    for native in [true, false] {
        assert!((0..110).all(|bytes| lengths.contains(&(native, bytes))));
        assert!(lengths.iter().any(|&(of, bytes)| of == native && bytes > 5000));
    }
}

#[test]
fn a_case_is_a_function_of_seed_and_number() {
    let frames = |seed, number, end| -> Vec<Vec<u8>> {
        let cases = Batch::of(seed, number).cases(seed, end).unwrap();
        cases.into_iter().map(|c| c.mutant.frame).collect()
    };
    let all = frames(7, 3, u64::MAX);
    assert_eq!(all.len() as u64, BATCH);
    assert_eq!(frames(7, 3, u64::MAX), all);
    assert_eq!(frames(7, 3, 3 * BATCH + 10), all[..10]);
    assert_ne!(frames(8, 3, u64::MAX), all);
}

#[test]
fn unmutated_packets_are_accepted_as_they_were_drawn() {
    for batch in batches(2) {
        for case in batch.cases(2, u64::MAX).unwrap() {
            let frame = case.packet.encode().unwrap();
            let judged = judge(&batch.port, &frame).unwrap();
            assert_eq!(judged.encode().unwrap(), frame);
            assert_eq!(received(&judged, 0), received(&case.packet, 0));
            assert!(Frame::decode(batch.framing.link(), &frame).is_ok());
        }
    }
}

#[test]
fn whatever_the_hardware_gets_wrong_differs() {
    let batch = Batch::of(1, 0);
    let case = batch
        .cases(1, u64::MAX)
        .unwrap()
        .into_iter()
        .find(|c| c.packet.payload.len() > 8)
        .unwrap();
    let frame = case.packet.encode().unwrap();
    let judgement = judge(&batch.port, &frame);
    let header = received(&case.packet, 5);
    let payload = case.packet.payload.clone();
    let right = Outcome::Accepted {
        header: header.clone(),
        payload: payload.clone(),
    };
    assert_eq!(telling_field(&differing(&judgement, &right)), None);
    assert_eq!(
        telling_field(&differing(&judgement, &Outcome::Discarded(header.clone()))),
        None
    );
    let wrong_psn = hca_sim::wire::receive::Header {
        psn: header.psn ^ 1,
        ..header.clone()
    };
    let wrong_payload = [&payload[..7], &[!payload[7]], &payload[8..]].concat();
    for (outcome, field) in [
        (Outcome::Discarded(wrong_psn), "psn"),
        (
            Outcome::Accepted {
                header,
                payload: wrong_payload,
            },
            "payload",
        ),
        (Outcome::Dropped(1), "verdict"),
        (Outcome::Dropped(200), "verdict"),
    ] {
        let rows = differing(&judgement, &outcome);
        assert_eq!(telling_field(&rows), Some(field));
        let mismatch = Mismatch {
            case: 137,
            width: 256,
            framing: batch.framing,
            mutation: Some("mutation Nothing".to_owned()),
            frame: frame.clone(),
            difference: Difference::Rows(rows),
        };
        let report = mismatch.render(1, "scripts/cosim wire --seed 1 --cases 150");
        for part in [
            &format!("case 137: link receive at 256 bits, InfiniBand: {field}\n"),
            &format!("  * {field} "),
            "    BTH.PSN ",
            "Again: scripts/cosim wire --seed 1 --cases 150\n",
        ] {
            assert!(report.contains(part), "{report}");
        }
    }
    // Dropped by both, but not for the same reason.
    let mut flipped = frame;
    *flipped.last_mut().unwrap() ^= 1;
    let judgement = judge(&batch.port, &flipped);
    assert_eq!(telling_field(&differing(&judgement, &Outcome::Dropped(1))), None);
    assert_eq!(
        telling_field(&differing(&judgement, &Outcome::Dropped(2))),
        Some("verdict")
    );
}

#[test]
fn cosim_wire_holds() {
    let run = |cases: &str, seed: &str| {
        hca(&["cosim", "wire", "--cases", cases, "--seed", seed])
            .assert()
            .success()
    };
    let first = run("600", "3").stdout(contains("HELD: 600 packets built and received at each width, "));
    let first = first.stdout(contains("  accepted\n").and(contains("  VCRC\n")));
    assert_eq!(first.get_output().stdout, run("600", "3").get_output().stdout);
    let (cases, seeds) = match std::env::var("HCA_TIER").as_deref() {
        Ok("nightly") => ("50000", 1..=10),
        _ => ("600", 4..=4),
    };
    for seed in seeds {
        run(cases, &seed.to_string()).stdout(contains("nothing differed"));
    }
}

#[test]
fn cosim_wire_writes_results() {
    let folder = tempfile::tempdir().unwrap();
    let (json, junit) = (folder.path().join("r.json"), folder.path().join("r.xml"));
    hca(&["cosim", "wire", "--cases", "1"])
        .arg("--json")
        .arg(&json)
        .arg("--junit")
        .arg(&junit)
        .assert()
        .success();
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(
        (&json[0]["scenario"], &json[0]["held"]),
        (&"wire".into(), &true.into())
    );
    assert!(std::fs::read_to_string(junit)
        .unwrap()
        .contains(r#"<testcase name="wire seed 1"/>"#));
}

#[test]
fn options_that_mean_nothing_are_refused() {
    for (arguments, message) in [
        (
            &["cosim", "wire", "--pcap", "f"][..],
            "`--pcap` means nothing to scenario `wire`",
        ),
        (
            &["cosim", "wire", "--golden-only"],
            "`--golden-only` means nothing to scenario `wire`",
        ),
        (
            &["cosim", "wire", "--dut", "d"],
            "`--dut` means nothing to scenario `wire`",
        ),
        (
            &["cosim", "wire", "--fst", "f"],
            "`--fst` means nothing to scenario `wire`",
        ),
        (
            &["cosim", "wire", "--link", "roce"],
            "`--link` means nothing to scenario `wire`",
        ),
        (
            &["cosim", "wire", "--link", "ib"],
            "`--link` means nothing to scenario `wire`: it runs link receive and packet builder alone",
        ),
        (
            &["cosim", "wire", "--profile", "small"],
            "`--profile` means nothing to scenario `wire`",
        ),
        (
            &["cosim", "seed001", "wire", "--patience", "20000"],
            "`--patience` means nothing to scenario `wire`",
        ),
        (
            &["cosim", "--cases", "5"],
            "`--cases` means nothing without scenario `wire`",
        ),
        (&["cosim", "wire", "--cases", "0"], "'0'"),
        (&["bench", "--messages", "4", "wire"], "--messages"),
        (&["bench", "wires"], "wires"),
    ] {
        hca(arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
}

/// A row for each width, route and payload, each at full rate.
#[test]
fn bench_wire_shows_full_rate_everywhere() {
    let output = hca(&["bench", "wire"])
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let text = String::from_utf8(output).unwrap();
    for width in ["64", "128", "256", "512"] {
        for route in ["local", "GRH", "RoCEv2 IPv4", "RoCEv2 IPv6"] {
            for packet in [
                "ack", "0", "1", "64", "1024", "4096", "imm 1", "imm 4096", "cmpswap",
            ] {
                let row = format!("{width:>5}  {route:<11} {packet:>8} ");
                assert!(text.contains(&row), "no `{row}` in\n{text}");
            }
        }
    }
    assert!(text.lines().last().unwrap().starts_with("least: 1.0"), "{text}");
}
