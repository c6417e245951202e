//! `hca check` on real traffic, and on copies of it that break one rule each.
use assert_cmd::Command;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::frame::{Frame, Link};
use hca_golden::wire::opcode::{Opcode, Operation};
use hca_golden::wire::packet::Packet;
use hca_testbench::capture::Capture;
use pcap_file::pcap::{PcapPacket, PcapWriter};
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

fn capture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("captures")
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.pcap");
    let mut writer = PcapWriter::new(File::create(&path).unwrap()).unwrap();
    for (n, packet) in packets.iter().enumerate() {
        let bytes = packet.encode().unwrap();
        let record = PcapPacket::new(Duration::from_micros(n as u64), bytes.len() as u32, &bytes);
        writer.write_packet(&record).unwrap();
    }
    drop(writer);
    check(&path)
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
            judged(&packets[begin..])
                .code(0)
                .stdout(contains("no rule is broken"));
        }
    }
}

#[test]
fn a_request_that_is_missing() {
    let mut packets = packets("rc_send.pcap");
    packets.remove(3);
    finds(&packets, 4, "CF155");
}

#[test]
fn a_message_within_a_message() {
    let mut packets = packets("rc_send.pcap");
    // RC_SEND_FIRST in the place of a middle.
    packets[2].bth.opcode = 0x00;
    finds(&packets, 3, "CF157");
}

#[test]
fn a_write_within_a_send() {
    let mut packets = packets("rc_send.pcap");
    // RC_RDMA_WRITE_MIDDLE.
    packets[2].bth.opcode = 0x07;
    finds(&packets, 3, "CF157");
}

#[test]
fn a_middle_that_is_not_full() {
    let mut packets = packets("rc_write.pcap");
    packets[2].payload.truncate(1000);
    finds(&packets, 3, "CF006");
}

#[test]
fn a_last_packet_without_a_byte() {
    let mut packets = packets("rc_send.pcap");
    packets[4].payload.clear();
    finds(&packets, 5, "CF007");
}

#[test]
fn a_write_of_another_length_than_it_says() {
    let mut packets = packets("rc_write.pcap");
    packets[4].payload.truncate(1020);
    finds(&packets, 5, "CF018");
}

#[test]
fn a_write_that_asks_for_an_event() {
    let mut packets = packets("rc_write.pcap");
    packets[4].bth.se = true;
    finds(&packets, 5, "CF161");
}

#[test]
fn a_last_packet_that_asks_for_no_ack() {
    let mut packets = packets("rc_send.pcap");
    packets[4].bth.a = false;
    finds(&packets, 5, "CF159");
}

#[test]
fn a_packet_that_differs_when_it_comes_again() {
    let mut packets = packets("rc_send.pcap");
    let mut again = packets[1].clone();
    again.payload[5] ^= 1;
    packets.insert(3, again);
    finds(&packets, 4, "CF191");
}

#[test]
fn the_same_packet_again_is_none() {
    let mut packets = packets("rc_send.pcap");
    let again = packets[1].clone();
    packets.insert(3, again);
    judged(&packets).code(0);
}

#[test]
fn an_ack_of_what_was_not_sent() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 0);
    packets[at].bth.psn = (packets[at].bth.psn + 100) & 0xFF_FFFF;
    finds(&packets, at + 1, "CF128");
}

#[test]
fn an_ack_behind_an_older_one() {
    let mut packets = packets("rc_send.pcap");
    let (first, second) = (
        nth(&packets, Operation::Acknowledge, 0),
        nth(&packets, Operation::Acknowledge, 1),
    );
    packets.swap(first, second);
    finds(&packets, second + 1, "CF134");
}

#[test]
fn an_msn_that_skips_a_message() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 4);
    aeth(&mut packets[at]).msn += 40;
    finds(&packets, at + 1, "CF135");
}

#[test]
fn an_msn_that_stands_still() {
    let mut packets = packets("rc_write.pcap");
    let (before, at) = (
        nth(&packets, Operation::Acknowledge, 0),
        nth(&packets, Operation::Acknowledge, 1),
    );
    let msn = packets[before].aeth().unwrap().msn;
    aeth(&mut packets[at]).msn = msn;
    finds(&packets, at + 1, "CF135");
}

#[test]
fn a_syndrome_that_there_is_not() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    aeth(&mut packets[at]).syndrome = 0x41;
    finds(&packets, at + 1, "CF138");
}

#[test]
fn an_ack_that_asks_for_an_ack() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    packets[at].bth.a = true;
    finds(&packets, at + 1, "CF131");
}

#[test]
fn a_nak_twice() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    aeth(&mut packets[at]).syndrome = 0x60;
    let again = packets[at].clone();
    packets.truncate(at + 1);
    packets.push(again);
    finds(&packets, at + 2, "CF061");
}

#[test]
fn an_ack_after_the_connection_has_ended() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    let ack = packets[at].clone();
    aeth(&mut packets[at]).syndrome = 0x61;
    packets.truncate(at + 1);
    packets.push(ack);
    finds(&packets, at + 2, "CF181");
}

#[test]
fn an_rnr_nak_of_a_write() {
    let mut packets = packets("rc_write.pcap");
    let at = nth(&packets, Operation::Acknowledge, 0);
    aeth(&mut packets[at]).syndrome = 0x21;
    finds(&packets, at + 1, "CF106");
}

#[test]
fn a_read_response_that_is_missing() {
    let mut packets = packets("rc_read.pcap");
    packets.remove(nth(&packets, Operation::ReadResponse, 2));
    let at = nth(&packets, Operation::ReadResponse, 2);
    finds(&packets, at + 1, "CF140");
}

#[test]
fn a_read_response_that_is_short() {
    let mut packets = packets("rc_read.pcap");
    let at = nth(&packets, Operation::ReadResponse, 2);
    packets[at].payload.truncate(1000);
    finds(&packets, at + 1, "CF184");
}

#[test]
fn an_atomic_answered_by_an_ack() {
    let mut packets = packets("rc_cas.pcap");
    let at = nth(&packets, Operation::AtomicAcknowledge, 1);
    packets[at].bth.opcode = 0x11;
    packets[at].extensions.truncate(1);
    finds(&packets, at + 1, "CF133");
}

#[test]
fn an_atomic_without_an_answer() {
    let mut packets = packets("rc_cas.pcap");
    packets.remove(nth(&packets, Operation::AtomicAcknowledge, 1));
    let at = nth(&packets, Operation::AtomicAcknowledge, 1);
    finds(&packets, at + 1, "CF133");
}

#[test]
fn an_atomic_answer_to_a_write() {
    let mut packets = packets("rc_write.pcap");
    let at = nth(&packets, Operation::Acknowledge, 0);
    packets[at].bth.opcode = 0x12;
    let original = AtomicAckEth { orig_rem_dt: 0 };
    packets[at].extensions.push(Extension::AtomicAckEth(original));
    finds(&packets, at + 1, "CF185");
}

/// Packets by the million would be needed to see the span grow: the PSN jumps over most of it.
#[test]
fn more_psns_outstanding_than_half_of_them() {
    let mut packets = packets("rc_send.pcap");
    let ack = nth(&packets, Operation::Acknowledge, 0);
    let first = packets[ack].bth.psn;
    packets.truncate(ack + 2);
    packets[ack + 1].bth.psn = (first + (1 << 22)) & 0xFF_FFFF;
    let mut last = packets[ack + 1].clone();
    last.bth.psn = (first + (1 << 23) + 8) & 0xFF_FFFF;
    packets.push(last);
    judged(&packets).code(1).stdout(contains("CF286"));
}

#[test]
fn a_wrong_crc() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.pcap");
    let mut bytes = packets("rc_cas.pcap")[0].encode().unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let mut writer = PcapWriter::new(File::create(&path).unwrap()).unwrap();
    let record = PcapPacket::new(Duration::ZERO, bytes.len() as u32, &bytes);
    writer.write_packet(&record).unwrap();
    drop(writer);
    check(&path)
        .code(1)
        .stdout(contains("CF001").and(contains("1 finding")));
}

#[test]
fn what_is_no_capture_is_told() {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.arg("check").arg(file!()).assert().code(2);
}
