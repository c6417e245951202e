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

/// A connection with credits, made of a capture's packets: Sends of so many packets, and acks.
struct Credited {
    request: Packet,
    ack: Packet,
    packets: Vec<Packet>,
    psn: u32,
    messages: u32,
}

impl Credited {
    /// A message of five packets, acknowledged with no credit.
    fn without_a_credit() -> Credited {
        let packets = packets("rc_send.pcap");
        let (request, ack) = (
            packets[0].clone(),
            packets[nth(&packets, Operation::Acknowledge, 0)].clone(),
        );
        let psn = 0xFF_FFFA;
        let mut made = Credited {
            request,
            ack,
            packets: Vec::new(),
            psn,
            messages: 0xFF_FFFE,
        };
        (0..5).for_each(|at| made.send(at, 5));
        made.ack(0);
        made
    }

    /// Packet `at` of a Send of so many.
    fn send(&mut self, at: usize, of: usize) {
        let ends = at + 1 == of;
        let mut packet = self.request.clone();
        packet.bth.opcode = match (at, ends) {
            (0, true) => 0x04,
            (0, false) => 0x00,
            (_, false) => 0x01,
            (_, true) => 0x02,
        };
        (packet.bth.psn, packet.bth.a) = (self.psn, ends);
        self.psn = (self.psn + 1) & 0xFF_FFFF;
        self.messages = (self.messages + u32::from(ends)) & 0xFF_FFFF;
        self.packets.push(packet);
    }

    /// The packet sent last asks for an ack.
    fn asking(&mut self) {
        self.packets.last_mut().unwrap().bth.a = true;
    }

    /// All that was sent is acknowledged.
    fn ack(&mut self, code: u8) {
        let mut ack = self.ack.clone();
        ack.bth.psn = self.packets.last().unwrap().bth.psn;
        let aeth = aeth(&mut ack);
        (aeth.syndrome, aeth.msn) = (code, self.messages);
        self.packets.push(ack);
    }

    fn holds(&self) {
        judged(&self.packets)
            .code(0)
            .stdout(contains("no rule is broken"));
    }

    /// The packet sent last breaks the rule of this row, and it alone.
    fn breaks(&self, row: &str) {
        let one = format!("{:>7}  {row}  ", self.packets.len());
        judged(&self.packets)
            .code(1)
            .stdout(starts_with(one).and(contains("1 finding")));
    }
}

#[test]
fn a_send_without_a_credit_that_does_not_ask() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 5);
    sent.breaks("CF198");
}

#[test]
fn a_send_that_goes_on_without_a_credit() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 5);
    sent.asking();
    sent.holds();
    sent.send(1, 5);
    sent.breaks("CF197");
}

#[test]
fn a_send_that_goes_on_when_its_first_packet_is_acknowledged() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 5);
    sent.asking();
    sent.ack(0);
    (1..5).for_each(|at| sent.send(at, 5));
    sent.holds();
}

#[test]
fn a_message_behind_one_without_a_credit() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 1);
    sent.holds();
    sent.send(0, 1);
    sent.breaks("CF202");
}

#[test]
fn messages_for_which_there_are_credits() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 1);
    // Two more receive WQEs.
    sent.ack(2);
    (0..5).for_each(|at| sent.send(at, 5));
    (0..5).for_each(|at| sent.send(at, 5));
    sent.holds();
    sent.send(0, 5);
    sent.breaks("CF198");
}

#[test]
fn a_responder_that_does_not_count_limits_nothing() {
    let mut sent = Credited::without_a_credit();
    sent.send(0, 1);
    sent.ack(0x1F);
    for _ in 0..3 {
        (0..5).for_each(|at| sent.send(at, 5));
    }
    sent.holds();
}

/// Code 6 stands for 8 to 11: one message later 7 may be told, and 6, but not 4.
#[test]
fn receive_wqes_that_are_taken_back() {
    for (code, taken_back) in [(6, false), (5, false), (4, true)] {
        let mut sent = Credited::without_a_credit();
        sent.send(0, 1);
        sent.ack(6);
        sent.send(0, 1);
        sent.ack(code);
        match taken_back {
            false => sent.holds(),
            true => sent.breaks("CF144"),
        }
    }
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
