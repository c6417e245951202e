//! `hca decode` on packets of every kind, literal ones of `protocol/crc_vectors.csv` among them.
use assert_cmd::Command;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::DataLink;
use serde_json::{json, Value};
use std::time::Duration;

const MACS: &str = "020000000001020000000002";

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// A frame of these hexadecimal parts behind its two addresses.
fn frame(parts: &[&str]) -> Vec<u8> {
    bytes(&(MACS.to_owned() + &parts.concat()))
}

/// A native packet as an ERF record.
fn erf(packet: &str) -> Vec<u8> {
    erf_of(21, packet)
}

/// A link packet as an ERF record, filled up.
fn erf_link(packet: &str) -> Vec<u8> {
    erf_of(25, &(packet.to_owned() + &"ff".repeat(42)))
}

fn erf_of(kind: u8, packet: &str) -> Vec<u8> {
    let packet = bytes(packet);
    let (record, wire) = (packet.len() as u16 + 16, packet.len() as u16);
    let mut erf = vec![0; 8];
    erf.extend([kind, 4]);
    erf.extend(record.to_be_bytes());
    erf.extend([0, 0]);
    erf.extend(wire.to_be_bytes());
    erf.extend(packet);
    erf
}

/// The document of a capture of these records, all there but for what is cut off the last one.
fn decoded(datalink: DataLink, records: &[Vec<u8>], cut: usize) -> (Value, i32) {
    let header = PcapHeader {
        datalink,
        ..PcapHeader::default()
    };
    let mut writer = PcapWriter::with_header(Vec::new(), header).unwrap();
    for (n, record) in records.iter().enumerate() {
        let kept = record.len() - if n + 1 == records.len() { cut } else { 0 };
        writer
            .write_packet(&PcapPacket::new(
                Duration::ZERO,
                record.len() as u32,
                &record[..kept],
            ))
            .unwrap();
    }
    let mut command = Command::cargo_bin("hca").unwrap();
    let output = command
        .args(["decode", "-", "--json"])
        .write_stdin(writer.into_writer())
        .output()
        .unwrap();
    let status = output.status.code().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), status)
}

/// V9, V10: UC Send Only over IPv4 and IPv6, 18 bytes.
const IPV4: &str = "45010040047840004011b4d5c0a80007c0a80007";
const UDP: &str = "c00012b7002caca2";
const SEND: &str = "2460ffff000000d300cf17104630818be28935d90e9a95505401be885e500000";
const IPV4_ICRC: &str = "78f353f3";
const IPV6: &str = "6e21face002c11ff2022000000000000000000000000102320230000000000000000000000001024";
const IPV6_UDP: &str = "c00012b7002ce7c5";
const IPV6_ICRC: &str = "3e5b743b";

#[test]
fn roce_over_ipv4_and_ipv6_with_and_without_a_tag() {
    let ipv4 = [IPV4, UDP, SEND, IPV4_ICRC].concat();
    let frames = [
        frame(&["0800", &ipv4]),
        frame(&["86dd", IPV6, IPV6_UDP, SEND, IPV6_ICRC]),
        frame(&["8100", "a064", "0800", &ipv4]),
        frame(&["88a8", "0001", "8100", "0fff", "0800", &ipv4]),
    ];
    let (document, status) = decoded(DataLink::ETHERNET, &frames, 0);
    assert_eq!(status, 0, "{document}");
    let packets = document["packets"].as_array().unwrap();
    assert_eq!(packets.len(), 4);
    for packet in packets {
        assert_eq!(packet["link"], "rocev2");
        assert_eq!(packet["opcode"], "UC_SEND_ONLY");
        assert_eq!(packet["payload_length"], 18);
        assert_eq!(packet["icrc"], json!({"verdict": "right"}));
        assert_eq!(packet["vcrc"], json!({"verdict": "absent"}));
        assert_eq!(packet["fields"]["infiniband.bth.destqp"], 0xD3);
        assert_eq!(packet["fields"]["infiniband.bth.padcnt"], 2);
        assert_eq!(packet["fields"]["eth.src"], "02:00:00:00:00:02");
    }
    assert_eq!(packets[0]["fields"]["ip.dst"], "192.168.0.7");
    assert_eq!(packets[1]["fields"]["ipv6.src"], "2022::1023");
    assert_eq!(packets[1]["fields"]["ipv6.flow"], 0x1FACE);
    assert_eq!(packets[2]["fields"]["vlan.id"], 100);
    assert_eq!(packets[2]["fields"]["vlan.priority"], 5);
}

#[test]
fn a_frame_is_padded_to_60_bytes() {
    // A UC Send Only without payload, 58 bytes, and what was in the sender's buffer behind it.
    let send = "4500002c000040004011b962c0a80007c0a80007c00012b7001800002400ffff000000d300cf1710";
    let padded = frame(&["0800", send, "2c9b1b3b", "abcd"]);
    assert_eq!(padded.len(), 60);
    let (document, status) = decoded(DataLink::ETHERNET, &[padded], 0);
    let packet = &document["packets"][0];
    assert_eq!((&packet["malformed"], status), (&Value::Null, 0), "{packet}");
    assert_eq!(packet["payload_length"], 0);
    assert_eq!(packet["icrc"]["verdict"], "right");
}

/// The packets of `fcp_vectors.csv` and the values in them: Op, FCTBS, VL, FCCL, LPCRC.
const LINK_PACKETS: [(&str, [u64; 5]); 6] = [
    ("100000405c6d", [1, 0, 0, 64, 0x5C6D]),
    ("01233456d19f", [0, 291, 3, 1110, 0xD19F]),
    ("0fffe7ff0484", [0, 4095, 14, 2047, 0x0484]),
    ("100000005805", [1, 0, 0, 0, 0x5805]),
    ("0fff003f69a6", [0, 4095, 0, 63, 0x69A6]),
    ("00201820298f", [0, 32, 1, 2080, 0x298F]),
];

#[test]
fn link_packets_are_shown_and_counted() {
    let records: Vec<Vec<u8>> = LINK_PACKETS.iter().map(|(packet, _)| erf_link(packet)).collect();
    let (document, status) = decoded(DataLink::ERF, &records, 0);
    assert_eq!(status, 0, "{document}");
    let packets = document["packets"].as_array().unwrap();
    assert_eq!(packets.len(), LINK_PACKETS.len());
    for (packet, (_, values)) in packets.iter().zip(LINK_PACKETS) {
        let names = ["op", "fctbs", "vl", "fccl", "lpcrc"];
        let shown = names.map(|name| packet["fields"][format!("infiniband_link.{name}")].as_u64());
        assert_eq!(shown, values.map(Some), "{packet}");
        assert_eq!(packet["lpcrc"], json!({"verdict": "right"}));
        assert_eq!(packet["frame.len"], 6);
        assert_eq!(
            (&packet["malformed"], &packet["link"]),
            (&Value::Null, &json!("infiniband"))
        );
        let name = ["FLOW_CONTROL_NORMAL", "FLOW_CONTROL_INITIALISE"][values[0] as usize];
        assert_eq!(packet["opcode"], name);
    }
    let totals = &document["totals"];
    assert_eq!((&totals["rdma"], &totals["link_packets"]), (&json!(0), &json!(6)));
    assert_eq!(totals["lpcrc"], json!({"right": 6, "wrong": 0, "absent": 0}));
    let opcodes = json!({"FLOW_CONTROL_INITIALISE": 2, "FLOW_CONTROL_NORMAL": 4});
    assert_eq!(totals["opcodes"], opcodes);
}

#[test]
fn a_link_packet_that_no_port_takes_is_named() {
    let wrong = "100000405c6c";
    // The LPCRC of Op 7, FCTBS 7, VL 1, FCCL 9 is right.
    let other_op = "70071009de30";
    let longer = "100000405c6dff";
    let shorter = "100000405c";
    for (packet, reason, message, lpcrc) in [
        (wrong, "LPCRC", "LPCRC is 5C6C, computed 5C6D", "wrong"),
        (other_op, "LINK_OP", "Op is 7, neither 0 nor 1", "right"),
        (longer, "LINK_LENGTH", "7 bytes came", "right"),
        (shorter, "LINK_LENGTH", "5 bytes came", "absent"),
    ] {
        let (document, status) = decoded(DataLink::ERF, &[erf_link(packet)], 0);
        let shown = &document["packets"][0];
        assert_eq!(
            (&shown["malformed"]["reason"], status),
            (&json!(reason), 1),
            "{shown}"
        );
        assert_eq!(shown["lpcrc"]["verdict"], lpcrc, "{shown}");
        let said = shown["malformed"]["message"].as_str().unwrap();
        assert!(said.starts_with(message), "{said}");
        assert_eq!(document["totals"]["malformed"], json!({reason: 1}));
    }
    let (document, status) = decoded(DataLink::ERF, &[erf_link("100000405c6d")], 3);
    assert_eq!((&document["packets"][0]["truncated"], status), (&json!(true), 0));
}

#[test]
fn what_is_no_rdma_is_passed_over() {
    let other_port = UDP.replace("12b7", "12b5");
    let other_protocol = IPV4.replace("4011", "4006");
    let later_fragment = IPV4.replace("04784000", "04780010");
    let frames = [
        frame(&["0806", "0001080006040001"]),
        frame(&["0800", IPV4, &other_port, SEND, IPV4_ICRC]),
        frame(&["0800", &other_protocol, UDP, SEND, IPV4_ICRC]),
        frame(&["0800", &later_fragment, UDP, SEND, IPV4_ICRC]),
        bytes(MACS),
        vec![1],
    ];
    let (document, status) = decoded(DataLink::ETHERNET, &frames, 0);
    assert_eq!(status, 3);
    assert_eq!(document["packets"], json!([]));
    let totals = &document["totals"];
    let counts = ["packets", "rdma", "others", "roce_v1"].map(|name| totals[name].as_u64().unwrap());
    assert_eq!(counts, [6, 0, 6, 0]);
}

/// Each line stands alone, the totals last; a compressed file is read as it is.
#[test]
fn a_stream_of_documents_from_a_compressed_file() {
    let capture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/captures/rc_cas.pcap");
    let whole = std::fs::File::open(capture).unwrap();
    let packed = std::process::Command::new("gzip")
        .arg("-c")
        .stdin(whole)
        .output()
        .unwrap();
    let mut command = Command::cargo_bin("hca").unwrap();
    let told = command
        .args(["decode", "-", "--ndjson"])
        .write_stdin(packed.stdout);
    let told = told.assert().code(0).get_output().stdout.clone();
    let told = String::from_utf8(told).unwrap();
    let documents: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(documents.len(), 41);
    assert_eq!(documents[0]["opcode"], "RC_COMPARE_SWAP");
    assert_eq!(documents[40]["totals"]["rdma"], 40);
}

/// V6.
#[test]
fn roce_v1_is_a_native_packet_behind_an_ethernet_header() {
    let whole = frame(&[
        "8915",
        "6020000000281b4000000000000000000000ffff0f00000200000000000000000000ffff0f000002",
        "0a70ffff0000010a80a788bc000055d4c0726000000047b3000000050000000001000000e3d856bb",
    ]);
    let mut flipped = whole.clone();
    flipped[80] ^= 1;
    let (document, status) = decoded(DataLink::ETHERNET, &[whole, flipped], 0);
    assert_eq!(status, 1);
    let packets = document["packets"].as_array().unwrap();
    let icrcs: Vec<_> = packets
        .iter()
        .map(|packet| packet["icrc"]["verdict"].clone())
        .collect();
    assert_eq!(icrcs, ["right", "wrong"]);
    assert_eq!(packets[0]["link"], "rocev1");
    assert_eq!(packets[0]["opcode"], "RC_RDMA_WRITE_ONLY");
    assert_eq!(packets[0]["fields"].get("infiniband.lrh.dlid"), None);
    assert_eq!(document["totals"]["roce_v1"], 2);
}

#[test]
fn native_packets_local_global_and_raw() {
    let packets = [
        // V1, V5, and V1 with its VL, VCRC left alone.
        erf("7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed400009625b75a45fa"),
        erf("200000040005000300000800000102030405060727ca"),
        erf("3012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed400009625b75a45fa"),
    ];
    let (document, status) = decoded(DataLink::ERF, &packets, 0);
    assert_eq!(status, 1);
    let packets = document["packets"].as_array().unwrap();
    let write = &packets[0];
    assert_eq!(write["link"], "infiniband");
    assert_eq!(write["opcode"], "RC_RDMA_WRITE_ONLY");
    assert_eq!(write["payload_length"], 14);
    assert_eq!(write["fields"]["infiniband.lrh.vl"], 7);
    assert_eq!(write["fields"]["infiniband.reth.va"], "0x01710a1c015d4002");
    assert_eq!(write["fields"]["infiniband.reth.dmalen"], 14);
    assert_eq!(write["fields"]["infiniband.invariant.crc"], 0x9625_B75Au32);
    assert_eq!(
        (&write["icrc"]["verdict"], &write["vcrc"]["verdict"]),
        (&json!("right"), &json!("right"))
    );
    let raw = &packets[1];
    assert_eq!(
        (&raw["opcode"], &raw["malformed"]),
        (&json!("RAW_ETHERTYPE"), &Value::Null)
    );
    assert_eq!(raw["fields"]["infiniband.rwh.etype"], 0x0800);
    assert_eq!(raw["payload_length"], 8);
    assert_eq!(
        (&raw["icrc"]["verdict"], &raw["vcrc"]["verdict"]),
        (&json!("absent"), &json!("right"))
    );
    // V3 says which VCRC it had to be.
    let remapped = &packets[2];
    assert_eq!(remapped["icrc"], json!({"verdict": "right"}));
    let wrong = json!({"verdict": "wrong", "received": "0x45fa", "computed": "0x7797"});
    assert_eq!(remapped["vcrc"], wrong);
    assert_eq!(remapped["malformed"]["reason"], "VCRC");
    assert_eq!(document["totals"]["malformed"], json!({"VCRC": 1}));
}

/// V8: a congestion notification is RDMA, and right, but of a transport that is not carried.
#[test]
fn congestion_notification_is_shown_and_is_no_fault() {
    let cnp = frame(&[
        "0800",
        "45c2003c718c4000401191610a0011010a001201000012b700280000",
        "8100ffff40000118000000000000000000000000000000000000000082fd002a",
    ]);
    let (document, status) = decoded(DataLink::ETHERNET, &[cnp], 0);
    assert_eq!(status, 0);
    let packet = &document["packets"][0];
    assert_eq!(
        (&packet["opcode"], &packet["icrc"]["verdict"]),
        (&json!("CNP"), &json!("right"))
    );
    assert_eq!(
        (&packet["fields"]["infiniband.bth.b"], &packet["payload_length"]),
        (&json!(1), &json!(16))
    );
    assert_eq!(packet["malformed"], Value::Null);
    assert_eq!(document["totals"]["foreign"], 1);
}

#[test]
fn a_packet_of_which_not_all_was_kept_is_called_truncated() {
    let whole = frame(&["0800", IPV4, UDP, SEND, IPV4_ICRC]);
    for cut in [1, 4, 20, 30, 35] {
        let (document, status) = decoded(DataLink::ETHERNET, std::slice::from_ref(&whole), cut);
        assert_eq!(status, 0);
        let packet = &document["packets"][0];
        assert_eq!(
            (&packet["truncated"], &packet["malformed"]),
            (&json!(true), &Value::Null)
        );
        assert_eq!(packet["icrc"]["verdict"], "absent", "{cut} bytes cut");
        assert_eq!(
            (&packet["frame.cap_len"], &packet["frame.len"]),
            (&json!(78 - cut), &json!(78))
        );
        assert_eq!(document["totals"]["truncated"], 1);
        // As long as the headers are there.
        if cut <= 24 {
            assert_eq!(packet["payload_length"], 18);
        }
    }
}

#[test]
fn a_malformed_packet_shows_its_reason_and_all_that_can_be_read() {
    let cases = [
        (
            frame(&["0800", &IPV4.replace("b4d5", "b4d6"), UDP, SEND, IPV4_ICRC]),
            "GRH",
            "right",
        ),
        (
            frame(&["0800", IPV4, &UDP.replace("002c", "0028"), SEND, IPV4_ICRC]),
            "LENGTH",
            "wrong",
        ),
        (
            frame(&["0800", IPV4, UDP, &SEND.replace("00d3", "00d2"), IPV4_ICRC]),
            "ICRC",
            "wrong",
        ),
    ];
    for (bytes, reason, icrc) in cases {
        let (document, status) = decoded(DataLink::ETHERNET, &[bytes], 0);
        let packet = &document["packets"][0];
        assert_eq!(status, 1);
        assert_eq!(packet["malformed"]["reason"], reason, "{packet}");
        assert!(
            packet["malformed"]["message"].as_str().unwrap().len() > 20,
            "{packet}"
        );
        assert_eq!(packet["icrc"]["verdict"], icrc, "{reason}");
        assert_eq!(packet["fields"]["infiniband.bth.psn"], 0xCF_1710);
        assert_eq!(document["totals"]["malformed"], json!({reason: 1}));
    }
}
