//! The capture of a run of two adapters with two ports: `hca decode` shows the port of each packet, `hca check` keeps
//! the ports apart, and `tshark` shows them as interfaces.
#[path = "../../testbench/tests/tshark/mod.rs"]
mod tshark;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::path::Path;

fn hca(arguments: &[&str], file: &Path) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments).arg(file).assert()
}

#[test]
fn a_scenario_on_both_ports() {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("packets.pcap");
    let cosim = ["cosim", "services-mixed", "--profile", "pair", "--pcap"];
    hca(&cosim, &pcap).success();
    let decoded = hca(&["decode"], &pcap).success();
    let text = String::from_utf8(decoded.get_output().stdout.clone()).unwrap();
    let lines: Vec<&str> = text.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let is_at_second = |line: &&&str| line.contains(" in=port:2 ");
    let at_second = lines.iter().filter(is_at_second).count();
    assert!(at_second > 100 && at_second < lines.len() - 100, "{at_second}");
    let json = hca(&["decode", "--ndjson"], &pcap).success();
    let json = String::from_utf8(json.get_output().stdout.clone()).unwrap();
    assert_eq!(json.matches(r#""layers":["port 2"]"#).count(), at_second);
    hca(&["check"], &pcap)
        .success()
        .stdout(contains("no rule is broken").and(contains("finding").not()));
    let Some(shown) = tshark::fields(&pcap, &[], &["erf.flags.cap", "_ws.malformed"]) else {
        return;
    };
    let of = |interfaces: [&str; 2]| {
        let crossed = shown.iter().filter(|fields| interfaces.contains(&&*fields[0]));
        crossed.count()
    };
    assert_eq!(of(["2", "3"]), at_second);
    assert_eq!(of(["0", "1"]), lines.len() - at_second);
    assert!(shown.iter().all(|fields| fields[1].is_empty()), "malformed");
}
