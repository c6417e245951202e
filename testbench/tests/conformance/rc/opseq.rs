//! Opcode sequence (`responder.md` section 3) and what the QP enables (section 1 step 11).
use crate::bench::peer::{atomic, rdma, read, send_with_invalidate, with_immediate};
use crate::bench::responder::{ack, answer, nak, Reply, ENDED, FLUSHED, TARGET};
use crate::bench::{on_both, request, Bench};
use hca_golden::verbs::RemoteAccess;
use hca_golden::wire::packet::Packet;

on_both!(
    cf068_send_middle_or_last_without_first,
    cf069_write_middle_or_last_without_first,
    cf070_a_new_message_while_a_send_is_open,
    cf070_a_new_message_while_a_write_is_open,
    cf071_write_middle_inside_an_open_send,
    cf071_send_middle_inside_an_open_write,
    cf072_a_read_or_atomic_inside_an_open_message,
    cf073_a_reserved_opcode,
    the_psn_is_checked_before_the_opcode,
    the_opcode_is_checked_before_the_receive_wqe,
    cf074_duplicates_do_not_disturb_an_open_write,
    cf074_duplicates_do_not_disturb_an_open_send,
    cf075_remote_write_not_enabled,
    cf076_remote_read_not_enabled,
    cf077_remote_atomic_not_enabled,
);

const REFUSED: Reply = (0x11, 100, Some((0x61, 0)));

fn without_first(y: &mut Bench, opcodes: &[u8]) {
    for &opcode in opcodes {
        y.responder(1);
        y.refused(&request(opcode, 100, &[1; 256]), REFUSED, FLUSHED);
        y.nothing_written();
    }
}

fn cf068_send_middle_or_last_without_first(y: &mut Bench) {
    without_first(y, &[0x01, 0x02, 0x03, 0x16]);
}

fn cf069_write_middle_or_last_without_first(y: &mut Bench) {
    without_first(y, &[0x07, 0x08, 0x09]);
}

/// A Send of more than one packet is open, then this comes.
fn inside_a_send(y: &mut Bench, packet: &Packet) {
    y.responder(1);
    assert_eq!(y.replies_to(&[request(0x00, 100, &[1; 256])]), [ack(100, 0)]);
    y.refused(packet, nak(101, 0x61, 0), ENDED);
}

/// A Write of 512 bytes is open, then this comes.
fn inside_a_write(y: &mut Bench, packet: &Packet) {
    y.responder(1);
    let first = rdma(0x06, 100, TARGET, 512, &[1; 256]);
    assert_eq!(y.replies_to(&[first]), [ack(100, 0)]);
    y.refused(packet, nak(101, 0x61, 0), FLUSHED);
    assert_eq!(y.target(0, 256), [1; 256]);
}

fn begins(psn: u32) -> [Packet; 8] {
    [
        request(0x00, psn, &[2; 256]),
        request(0x04, psn, &[2; 256]),
        with_immediate(request(0x05, psn, &[2; 256]), [1, 2, 3, 4]),
        send_with_invalidate(psn, 0xBAD, &[2; 256]),
        rdma(0x06, psn, TARGET, 512, &[2; 256]),
        rdma(0x0A, psn, TARGET, 256, &[2; 256]),
        rdma(0x0B, psn, TARGET, 256, &[2; 256]),
        rdma(0x0A, psn, TARGET, 0, &[]),
    ]
}

fn cf070_a_new_message_while_a_send_is_open(y: &mut Bench) {
    for packet in &begins(101) {
        inside_a_send(y, packet);
    }
}

fn cf070_a_new_message_while_a_write_is_open(y: &mut Bench) {
    for packet in &begins(101) {
        inside_a_write(y, packet);
    }
}

fn cf071_write_middle_inside_an_open_send(y: &mut Bench) {
    for opcode in [0x07, 0x08, 0x09] {
        inside_a_send(y, &request(opcode, 101, &[2; 256]));
    }
}

fn cf071_send_middle_inside_an_open_write(y: &mut Bench) {
    for opcode in [0x01, 0x02, 0x03, 0x16] {
        inside_a_write(y, &request(opcode, 101, &[2; 256]));
    }
}

fn cf072_a_read_or_atomic_inside_an_open_message(y: &mut Bench) {
    let packets = [
        read(101, TARGET, 4),
        atomic(0x13, 101, TARGET, 1, 2),
        atomic(0x14, 101, TARGET, 1, 0),
    ];
    for packet in &packets {
        inside_a_send(y, packet);
        inside_a_write(y, packet);
    }
}

fn cf073_a_reserved_opcode(y: &mut Bench) {
    for opcode in [0x15].into_iter().chain(0x18..0x20) {
        y.responder(1);
        y.refused(&request(opcode, 100, &[]), REFUSED, FLUSHED);
        inside_a_send(y, &request(opcode, 101, &[1; 16]));
    }
}

/// A reserved opcode out of sequence is a matter of its PSN first.
fn the_psn_is_checked_before_the_opcode(y: &mut Bench) {
    y.responder(1);
    assert_eq!(y.replies_to(&[request(0x1D, 101, &[])]), [nak(100, 0x60, 0)]);
    assert_eq!(y.completions(), []);
}

fn the_opcode_is_checked_before_the_receive_wqe(y: &mut Bench) {
    y.responder(0);
    let middle = request(0x01, 100, &[1; 256]);
    assert_eq!(y.replies_to(&[middle]), [REFUSED], "no RNR NAK");
}

/// FB02. A Read, an atomic, a Send and a Write only come again between the packets of a Write.
fn cf074_duplicates_do_not_disturb_an_open_write(y: &mut Bench) {
    y.responder(1);
    let earlier = earlier();
    y.replies_to(&earlier);
    y.completions();
    let first = rdma(0x06, 104, TARGET + 0x100, 600, &[7; 256]);
    assert_eq!(y.replies_to(&[first]), [ack(104, 4)]);
    duplicates(y, &earlier, 104);
    assert_eq!(y.replies_to(&[request(0x07, 105, &[8; 256])]), [ack(105, 4)]);
    duplicates(y, &earlier, 105);
    assert_eq!(y.replies_to(&[request(0x08, 106, &[9; 88])]), [ack(106, 5)]);
    let written = [vec![7; 256], vec![8; 256], vec![9; 88]].concat();
    assert_eq!(y.target(0x100, 600), written);
}

/// The same of a Send; its receive WQE stays where it is.
fn cf074_duplicates_do_not_disturb_an_open_send(y: &mut Bench) {
    y.responder(2);
    let earlier = earlier();
    y.replies_to(&earlier);
    y.completions();
    let first = request(0x00, 104, &[7; 256]);
    assert_eq!(y.replies_to(&[first]), [ack(104, 4)]);
    duplicates(y, &earlier, 104);
    assert_eq!(y.replies_to(&[request(0x02, 105, &[9; 88])]), [ack(105, 5)]);
    let placed = [vec![7; 256], vec![9; 88]].concat();
    assert_eq!(y.buffer(640, 344), placed);
    let completions: Vec<_> = y.completions().into_iter().map(|c| (c.0, c.2)).collect();
    assert_eq!(completions, [(71, 344)]);
}

/// PSN 100 to 103, a message each.
fn earlier() -> [Packet; 4] {
    [
        read(100, TARGET, 8),
        atomic(0x14, 101, TARGET + 0x800, 1, 0),
        request(0x04, 102, &[5; 4]),
        rdma(0x0A, 103, TARGET + 0x900, 4, &[5; 4]),
    ]
}

/// The four of [`earlier`] again, while a message is open whose latest packet is `latest`.
fn duplicates(y: &mut Bench, earlier: &[Packet; 4], latest: u32) {
    let expected = [
        answer(0x10, 100, 4),
        answer(0x12, 101, 4),
        ack(latest, 4),
        ack(latest, 4),
    ];
    assert_eq!(y.replies_to(earlier), expected);
}

fn without(y: &mut Bench, change: impl Fn(&mut RemoteAccess), packets: &[Packet]) {
    for packet in packets {
        y.responder_with(1, |a| change(&mut a.access));
        y.refused(packet, REFUSED, FLUSHED);
        y.nothing_written();
    }
}

fn cf075_remote_write_not_enabled(y: &mut Bench) {
    let writes = [
        rdma(0x06, 100, TARGET, 512, &[1; 256]),
        rdma(0x0A, 100, TARGET, 4, &[1; 4]),
        rdma(0x0B, 100, TARGET, 4, &[1; 4]),
        rdma(0x0A, 100, TARGET, 0, &[]),
    ];
    without(y, |a| a.write = false, &writes);
}

fn cf076_remote_read_not_enabled(y: &mut Bench) {
    let reads = [read(100, TARGET, 4), read(100, TARGET, 0)];
    without(y, |a| a.read = false, &reads);
}

fn cf077_remote_atomic_not_enabled(y: &mut Bench) {
    let atomics = [0x13, 0x14].map(|opcode| atomic(opcode, 100, TARGET, 1, 1));
    without(y, |a| a.atomic = false, &atomics);
}
