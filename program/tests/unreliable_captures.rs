//! The packets of UC and UD in the captures of runs, as Wireshark reads them, native and over RoCEv2.
#[path = "../../testbench/tests/tshark/mod.rs"]
mod tshark;

use assert_cmd::Command;
use pcap_file::pcap::PcapReader;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

const FIELDS: [&str; 8] = [
    "infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.deth.q_key",
    "infiniband.deth.srcqp", "infiniband.immdt", "_ws.malformed", "_ws.expert.message",
];
/// Bytes of the record header of an ERF capture, in which native packets are.
const ERF: usize = 16;
/// Bytes of Ethernet, IPv4 and UDP.
const ROCE: usize = 14 + 20 + 8;

/// The bytes of each packet from its BTH on.
fn transports(pcap: &Path, link: &str) -> Vec<Vec<u8>> {
    let mut reader = PcapReader::new(File::open(pcap).unwrap()).unwrap();
    let mut packets = Vec::new();
    while let Some(record) = reader.next_packet() {
        let bytes = record.unwrap().data.into_owned();
        let start = match link {
            "roce" => ROCE,
            // LNH 3: a GRH follows the LRH.
            _ if bytes[ERF + 1] & 3 == 3 => ERF + 8 + 40,
            _ => ERF + 8,
        };
        packets.push(bytes[start..].to_vec());
    }
    packets
}

/// What Wireshark must show of a packet, from the places of its fields in `protocol/headers.md`.
fn expected(packet: &[u8]) -> Vec<String> {
    let number = |from: usize, to: usize| {
        packet[from..to]
            .iter()
            .fold(0, |n, byte| n << 8 | u64::from(*byte))
    };
    let opcode = packet[0];
    let immediate = match opcode {
        0x03 | 0x05 | 0x09 | 0x23 | 0x25 | 0x29 => Some(12),
        0x0B | 0x2B => Some(28),
        0x65 => Some(20),
        _ => None,
    };
    let [q_key, source] = match opcode {
        0x64 | 0x65 => [
            format!("0x{:016x}", number(12, 16)),
            format!("0x{:08x}", number(17, 20)),
        ],
        _ => [String::new(), String::new()],
    };
    vec![
        opcode.to_string(),
        format!("0x{:06x}", number(5, 8)),
        number(9, 12).to_string(),
        q_key,
        source,
        immediate.map_or(String::new(), |at| format!("{:08x}", number(at, at + 4))),
        String::new(),
        String::new(),
    ]
}

/// Runs a scenario on two models and returns what Wireshark shows of it, if it shows what the packets hold.
fn run(scenario: &str, link: &str) -> Option<Vec<Vec<String>>> {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("packets.pcap");
    let mut hca = Command::cargo_bin("hca").unwrap();
    hca.args(["cosim", scenario, "--link", link, "--golden-only", "--pcap"])
        .arg(&pcap)
        .assert()
        .success();
    let shown = tshark::fields(&pcap, &[], &FIELDS)?;
    let packets = transports(&pcap, link);
    assert_eq!(shown.len(), packets.len(), "{scenario} over {link}");
    for (nth, (shown, packet)) in (1..).zip(shown.iter().zip(&packets)) {
        assert_eq!(*shown, expected(packet), "{scenario} over {link}, packet {nth}");
    }
    Some(shown)
}

/// Every opcode of both services comes; the Q_Key of a datagram is that of its receiver, whose number both hold. QP1
/// has its own, QP0 none, and the members of the group have theirs.
#[test]
fn packets_of_uc_and_ud() {
    for link in ["ib", "roce"] {
        let Some(shown) = run("services-mixed", link) else {
            return;
        };
        let opcodes: BTreeSet<u8> = shown.iter().map(|fields| fields[0].parse().unwrap()).collect();
        let missing: Vec<u8> = (0x20..=0x2B)
            .chain([0x64, 0x65])
            .filter(|opcode| !opcodes.contains(opcode))
            .collect();
        assert_eq!(missing, [], "{link}");
        for fields in shown.iter().filter(|fields| !fields[3].is_empty()) {
            let q_key = match &*fields[1] {
                "0x000000" => "0x0000000000000000".to_owned(),
                "0x000001" => "0x0000000080010000".to_owned(),
                "0xffffff" => "0x000000007a0c000c".to_owned(),
                to => format!("0x000000007a{0}00{0}", &to[4..6]),
            };
            assert_eq!(fields[3], q_key, "{fields:?}");
        }
    }
}

#[test]
fn packets_to_multicast_groups() {
    for link in ["ib", "roce"] {
        let Some(shown) = run("ud-multicast", link) else {
            return;
        };
        assert!(shown.len() > 100, "{}", shown.len());
        for fields in shown {
            assert!(matches!(&*fields[0], "100" | "101"), "{fields:?}");
            assert_eq!(fields[1], "0xffffff", "{fields:?}");
        }
    }
}
