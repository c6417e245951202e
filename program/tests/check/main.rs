//! `hca check` on real traffic, and on edited copies of it.
mod alike;
mod anything;
mod bytes;
mod communication;
mod connections;
mod copies;
mod credits;
mod elsewhere;
mod field;
mod link;
mod made;
mod not_judged;
mod options;
mod overtaken;
mod packed;
mod ports;
mod renewed;
mod replays;
mod rules;
mod sweep;
mod twins;
mod unreliable;

use assert_cmd::Command;
use hca_golden::port::Link;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::frame::Frame;
use hca_golden::wire::opcode::{Opcode, Operation};
use hca_golden::wire::packet::Packet;
use hca_testbench::capture::Capture;
use pcap_file::pcap::{PcapPacket, PcapWriter};
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn capture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../testbench/captures")
        .join(name)
}

/// The RDMA packets of a capture.
fn packets(name: &str) -> Vec<Packet> {
    let records = Capture::new(File::open(capture(name)).unwrap()).unwrap();
    records
        .filter_map(|record| Frame::decode(Link::Roce, &record.unwrap().bytes).ok()?.packet())
        .collect()
}

fn check(path: &PathBuf) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.arg("check").arg(path).assert()
}

/// What is said of these packets.
fn judged(packets: &[Packet]) -> assert_cmd::assert::Assert {
    recorded(packets.iter().map(|packet| {
        let bytes = packet.encode().unwrap();
        let length = bytes.len();
        (bytes, length)
    }))
}

/// What is said of these records, a microsecond apart: the bytes that were kept, and how many there were.
fn recorded(records: impl IntoIterator<Item = (Vec<u8>, usize)>) -> assert_cmd::assert::Assert {
    let timed = records.into_iter().enumerate();
    recorded_at(timed.map(|(n, (bytes, length))| (Duration::from_micros(n as u64), length, bytes)))
}

/// What is said of these records: when they came, how many bytes there were, and those that were kept.
fn recorded_at(records: impl IntoIterator<Item = (Duration, usize, Vec<u8>)>) -> assert_cmd::assert::Assert {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.pcap");
    written(&path, records);
    check(&path)
}

/// Writes a capture of these records: when they came, how many bytes there were, and those that were kept.
fn written(path: &Path, records: impl IntoIterator<Item = (Duration, usize, Vec<u8>)>) {
    let mut writer = PcapWriter::new(File::create(path).unwrap()).unwrap();
    for (time, length, bytes) in records {
        let record = PcapPacket::new(time, length as u32, &bytes);
        writer.write_packet(&record).unwrap();
    }
}

/// An edited copy breaks the rule of this row, first at this packet, counted from 1.
fn finds(packets: &[Packet], at: usize, row: &str) {
    judged(packets)
        .code(1)
        .stdout(starts_with(format!("{at:>7}  {row}  ")));
}

fn operation(packet: &Packet) -> Operation {
    Opcode::of(packet.bth.opcode).unwrap().operation
}

/// The n-th packet of this operation, from 0.
fn nth(packets: &[Packet], wanted: Operation, n: usize) -> usize {
    let mut of = (0..packets.len()).filter(|at| operation(&packets[*at]) == wanted);
    of.nth(n).unwrap()
}

fn aeth(packet: &mut Packet) -> &mut Aeth {
    let aeth = packet.extensions.iter_mut().find_map(|e| match e {
        Extension::Aeth(aeth) => Some(aeth),
        _ => None,
    });
    aeth.unwrap()
}

#[test]
fn real_traffic_breaks_no_rule() {
    for name in ["rc_send.pcap", "rc_write.pcap", "rc_read.pcap", "rc_cas.pcap"] {
        check(&capture(name))
            .code(0)
            .stdout(contains("no rule is broken"));
    }
}

#[test]
fn traffic_that_begins_anywhere_breaks_none() {
    for name in ["rc_send.pcap", "rc_write.pcap", "rc_read.pcap", "rc_cas.pcap"] {
        let packets = packets(name);
        for begin in 0..40.min(packets.len()) {
            let packets = &packets[begin..];
            let is_answer = |packet: &Packet| Opcode::of(packet.bth.opcode).unwrap().is_response();
            match packets.iter().all(is_answer) {
                true => judged(packets).code(3),
                false => judged(packets).code(0).stdout(contains("no rule is broken")),
            };
        }
    }
}

#[test]
fn what_is_no_capture_is_reported() {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.arg("check").arg(file!()).assert().code(2).stdout("");
}
