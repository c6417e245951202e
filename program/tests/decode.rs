//! `hca decode` as a user calls it: what it shows is what Wireshark shows, and bad input is named with its place.
#[path = "../../testbench/tests/tshark/mod.rs"]
mod tshark;

use assert_cmd::Command;
use hca_golden::port::Link;
use hca_golden::wire::bth::Bth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::grh::Grh;
use hca_golden::wire::header::HeaderFormat;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::opcode::Opcode;
use hca_golden::wire::packet::{Packet, Route};
use hca_testbench::trace::pcap::PcapTrace;
use hca_testbench::trace::{LinkRecord, PacketRecord};
use hca_testbench::Side;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

const CAPTURES: [(&str, u64); 4] = [
    ("rc_send.pcap", 120),
    ("rc_write.pcap", 120),
    ("rc_read.pcap", 121),
    ("rc_cas.pcap", 40),
];

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../testbench/captures")
        .join(name)
}

fn decode(file: &Path) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.arg("decode").arg(file);
    command
}

fn document(file: &Path) -> Value {
    let output = decode(file).arg("--json").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Link packets of `fcp_vectors.csv`.
const LINK_PACKETS: [[u8; 6]; 3] = [
    [0x10, 0x00, 0x00, 0x40, 0x5C, 0x6D],
    [0x01, 0x23, 0x34, 0x56, 0xD1, 0x9F],
    [0x0F, 0xFF, 0xE7, 0xFF, 0x04, 0x84],
];

/// A native packet of every opcode that Wireshark reads as we do, local and with a GRH, fields all different; link
/// packets behind them.
fn native(folder: &Path) -> PathBuf {
    let mut trace = PcapTrace::new(Vec::new(), Link::InfiniBand, 125_000_000).unwrap();
    let opcodes = (0x00..=0x2B).chain([0x64, 0x65]).filter_map(Opcode::of);
    for (n, opcode) in opcodes.enumerate() {
        let mut byte = (n as u8..).map(|b| b.wrapping_mul(0x95));
        let mut bytes = |length: usize| byte.by_ref().take(length).collect::<Vec<u8>>();
        let mut lrh = Lrh::parse(&bytes(8)).unwrap();
        (lrh.lver, lrh.resv2, lrh.resv5) = (0, 0, 0);
        let mut bth = Bth::parse(&bytes(12)).unwrap();
        (bth.opcode, bth.tver) = (opcode.value, 0);
        let grh = Grh {
            ipver: 6,
            nxt_hdr: 0x1B,
            ..Grh::parse(&bytes(40)).unwrap()
        };
        for route in [Route::Local(lrh), Route::Global(lrh, grh)] {
            let packet = Packet {
                route,
                bth,
                extensions: opcode
                    .headers
                    .iter()
                    .map(|&kind| Extension::parse(kind, &bytes(kind.bytes())).unwrap())
                    .collect(),
                // Read requests, acks and atomics carry none.
                payload: match opcode.value {
                    0x0C | 0x11..=0x14 => Vec::new(),
                    _ => bytes(40 + n % 4),
                },
            };
            trace
                .packet(&PacketRecord {
                    cycle: 100 * n as u64,
                    from: Side::X,
                    port: 1,
                    link: Link::InfiniBand,
                    bytes: packet.encode().unwrap(),
                })
                .unwrap();
        }
    }
    for (cycle, bytes) in (10_000..).zip(LINK_PACKETS) {
        let packet = LinkRecord {
            cycle,
            from: Side::Y,
            port: 1,
            bytes: bytes.to_vec(),
        };
        trace.link_packet(&packet).unwrap();
    }
    let path = folder.join("native.pcap");
    std::fs::write(&path, trace.into_inner()).unwrap();
    path
}

/// Names in Wireshark's style for what it has no name for.
const OWN_NAMES: [&str; 5] = [
    "infiniband.bth.f",
    "infiniband.bth.b",
    "infiniband.bth.reserved6",
    "infiniband.deth.reserved8",
    "infiniband.pad",
];

/// Fields that `tshark` reads at other bits than Linux writes them (`protocol/mad.md` section 9), or shows otherwise.
const READ_OTHERWISE: [&str; 5] = [
    "infiniband.cm.req.prim_flowlabel",
    "infiniband.cm.req.prim_pktrate",
    "infiniband.cm.req.prim_localgid",
    "infiniband.cm.req.prim_remotegid",
    "infiniband.cm.req.serviceid",
];

/// The leaves of Wireshark's tree; the first of those with the same name.
fn leaves(tree: &Value, into: &mut Map<String, Value>) {
    for (name, value) in tree.as_object().into_iter().flatten() {
        match value {
            Value::String(_) => {
                into.entry(name.clone()).or_insert_with(|| value.clone());
            }
            _ => leaves(value, into),
        }
    }
}

/// A number however it is written, or the text.
fn plain(value: &Value) -> String {
    let text = value.as_str().map_or(value.to_string(), str::to_owned);
    let bytes = text.replace(':', "");
    let number = match (text.strip_prefix("0x"), &*text) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok(),
        (None, "True") => Some(1),
        (None, "False") => Some(0),
        // Four bytes: ImmDt and IETH are no numbers to Wireshark.
        (None, _) if text.len() == 11 && bytes.len() == 8 => u64::from_str_radix(&bytes, 16).ok(),
        (None, _) => text.parse().ok(),
    };
    number.map_or(text, |n| n.to_string())
}

#[test]
fn wireshark_shows_the_same_fields() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<PathBuf> = CAPTURES.iter().map(|(name, _)| capture(name)).collect();
    files.push(native(folder.path()));
    for file in files {
        let Ok(output) = std::process::Command::new("tshark")
            .arg("-r")
            .arg(&file)
            .args(tshark::OPTIONS)
            .args(["-T", "json", "-Y", "infiniband or infiniband_link"])
            .output()
        else {
            eprintln!("tshark is not installed: nothing to compare with");
            return;
        };
        let theirs: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let ours = document(&file);
        let ours = ours["packets"].as_array().unwrap();
        assert_eq!(ours.len(), theirs.len(), "{}", file.display());
        for (ours, theirs) in ours.iter().zip(theirs) {
            let mut shown = Map::new();
            leaves(&theirs["_source"]["layers"], &mut shown);
            // Behind a link packet there is filler, which we leave out.
            let is_link = ours.get("lpcrc").is_some();
            let lengths = if is_link {
                &[][..]
            } else {
                &["frame.len", "frame.cap_len"]
            };
            for name in ["frame.number", "frame.time_epoch"].iter().chain(lengths) {
                assert_eq!(plain(&ours[name]), plain(&shown[*name]), "{name}");
            }
            let fields = ours["fields"].as_object().unwrap();
            assert!(fields.len() >= if is_link { 5 } else { 21 }, "{ours}");
            let alike = fields
                .iter()
                .filter(|(name, _)| !READ_OTHERWISE.contains(&name.as_str()));
            for (name, value) in alike {
                match shown.get(name) {
                    Some(theirs) => assert_eq!(plain(value), plain(theirs), "{name} of {ours}"),
                    None => assert!(OWN_NAMES.contains(&&**name), "Wireshark knows no {name}: {ours}"),
                }
            }
            assert!(!shown.contains_key("_ws.malformed"), "{ours}");
        }
    }
}

#[test]
fn a_line_a_packet_and_the_totals() {
    for (name, rdma) in CAPTURES {
        let output = decode(&capture(name)).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        let lines: Vec<&str> = text.lines().filter(|l| l.contains("bth.psn=")).collect();
        assert_eq!(lines.len() as u64, rdma);
        for line in lines {
            assert!(
                line.contains("  right   absent  eth.dst=52:54:00:00:00:0"),
                "{line}"
            );
        }
        assert!(text.contains(&format!(": {rdma} RDMA, ")), "{text}");
        assert!(
            text.contains(&format!("ICRC: {rdma} right, 0 wrong, 0 absent")),
            "{text}"
        );
    }
    decode(&capture("rc_cas.pcap"))
        .assert()
        .success()
        .stdout(contains(
            "     40    2.489237000   RC_COMPARE_SWAP                          0  right   absent  \
         eth.dst=52:54:00:00:00:01 eth.src=52:54:00:00:00:02 eth.type=0x0800 ip.version=4 ip.hdr_len=20 \
         ip.dsfield=0x00 ip.len=72 ip.id=0x6f42 ip.flags.rb=0 ip.flags.df=1 ip.flags.mf=0 ip.frag_offset=0 \
         ip.ttl=64 ip.proto=17 ip.checksum=0xb760 ip.src=10.0.0.2 ip.dst=10.0.0.1 udp.srcport=49441 \
         udp.dstport=4791 udp.length=52 udp.checksum=0x0000 bth.opcode=0x13 bth.se=0 bth.m=0 bth.padcnt=0 \
         bth.tver=0 bth.p_key=0xffff bth.f=0 bth.b=0 bth.reserved6=0 bth.destqp=0x000011 bth.a=1 \
         bth.reserved7=0 bth.psn=1930198 reth.va=0x0000562c58e4e000 reth.r_key=0x000002bc \
         atomiceth.swapdt=0x0000000000000000 atomiceth.cmpdt=0x0000000000000000 invariant.crc=0xb217f7a0\n",
        ));
}

/// A native capture with one byte of its third packet's BTH changed.
fn damaged(folder: &Path) -> PathBuf {
    let path = native(folder);
    let mut file = std::fs::read(&path).unwrap();
    let record =
        |file: &[u8], at: usize| 16 + u32::from_le_bytes(file[at + 8..at + 12].try_into().unwrap()) as usize;
    let mut at = 24;
    for _ in 0..2 {
        at += record(&file, at);
    }
    // Behind both headers and the LRH: the P_Key.
    file[at + 16 + 16 + 8 + 2] ^= 1;
    std::fs::write(&path, file).unwrap();
    path
}

#[test]
fn a_wrong_crc_is_shown_with_both_values_and_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = damaged(folder.path());
    decode(&file)
        .assert()
        .code(1)
        .stderr("")
        .stdout(contains("! RC_SEND_MIDDLE"))
        .stdout(contains("  wrong (received 0x").and(contains("malformed VCRC: VCRC is ")))
        .stdout(contains(", 1 wrong, 0 absent\n"))
        .stdout(contains("malformed: 1 (VCRC 1); "));
    let json = document(&file);
    let packet = &json["packets"][2];
    for crc in ["icrc", "vcrc"] {
        assert_eq!(packet[crc]["verdict"], "wrong");
        assert_ne!(packet[crc]["received"], packet[crc]["computed"]);
    }
    assert_eq!(packet["malformed"]["reason"], "VCRC");
    assert_eq!(json["packets"][1]["icrc"]["verdict"], "right");
    assert_eq!(json["packets"][1]["malformed"], Value::Null);
    assert_eq!(json["totals"]["vcrc"]["wrong"], 1);
}

#[test]
fn packets_before_a_fault_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = native(folder.path());
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..300]).unwrap();
    let message = "record 3 at byte 260: cut short: ";
    decode(&file)
        .assert()
        .code(2)
        .stdout(contains("2 packets: 2 RDMA, 0 others"))
        .stderr(
            starts_with("error: cannot decode `")
                .and(contains(message))
                .and(contains("help: ")),
        );
    decode(&file)
        .arg("--json")
        .assert()
        .code(2)
        .stderr(contains(message));
    let json = document(&file);
    assert_eq!(json["packets"].as_array().unwrap().len(), 2);
    assert!(
        json["fault"].as_str().unwrap().starts_with(message),
        "{}",
        json["fault"]
    );
}

#[test]
fn standard_input_and_a_pipe_are_files_too() {
    let whole = std::fs::read(capture("rc_cas.pcap")).unwrap();
    decode(Path::new("-"))
        .write_stdin(&whole[..])
        .assert()
        .success()
        .stdout(contains("101 packets: 40 RDMA, 61 others passed over"));
    decode(Path::new("/dev/stdin"))
        .write_stdin(&whole[..whole.len() - 1])
        .assert()
        .code(2)
        .stdout(contains("100 packets"))
        .stderr(contains("`/dev/stdin`: record 101 at byte "));
}

#[test]
fn what_cannot_be_read_ends_with_one_clear_message_and_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, []).unwrap();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    for (file, message, help) in [
        (folder.path(), "Is a directory", "readable file"),
        (
            Path::new("/nonexistent/f"),
            "cannot open the capture `/nonexistent/f`",
            "readable file",
        ),
        (&empty, "file header at byte 0: the file is empty", "tcpdump"),
        (&manifest, "neither pcap nor pcapng", "tcpdump"),
    ] {
        decode(file)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message).and(contains(help)));
    }
}
