//! Lists of SGEs, copies of inline data and CQEs that host memory does not give or take.
use super::{in_error, ONLY};
use crate::bench::memory::list;
use crate::bench::neighbour::Neighbour;
use crate::bench::peer::data;
use crate::bench::requester::{work, READ, SEND};
use crate::bench::{on_both, packet, response, Bench, BUFFER, SOURCE, UNTOUCHED};
use hca_golden::verbs::{QueueSide, ReceiveRequest, SendRequest, Status};
use hca_testbench::device::Verb;
use hca_testbench::scenario::connection::{RECEIVE_CQ, SEND_CQ};

const FIRST: u8 = 0x00;
const MIDDLE: u8 = 0x01;
const LAST: u8 = 0x02;

on_both!(
    a_send_whose_list_cannot_be_read,
    a_send_whose_list_ends_unread,
    a_list_that_is_not_needed,
    a_receive_whose_list_cannot_be_read,
    a_receive_whose_list_ends_unread,
    a_buffer_that_is_longer_than_its_message,
    a_read_whose_list_cannot_be_read,
    a_read_whose_list_ends_unread,
    inline_data_that_cannot_be_read,
    a_send_completion_that_cannot_be_written,
    a_receive_completion_that_cannot_be_written,
);

/// Six SGEs of 128 bytes: two stand on a line of their own, and the PMTU is 256.
const SGES: u64 = 6;
const BYTES: u32 = 128;

fn post_listed(y: &mut Bench, wr_id: u64, operation: hca_golden::verbs::SendOperation, addr: u64) {
    let sges = list(addr, SGES, BYTES);
    y.post(SendRequest {
        sges,
        ..work(wr_id, operation, 0)
    });
}

fn receive_listed(y: &mut Bench, wr_id: u64) {
    let qpn = crate::bench::QPN;
    let sges = list(BUFFER, SGES, BYTES);
    let request = ReceiveRequest { wr_id, sges };
    y.submit(Verb::PostReceive { qpn, request });
}

/// Not a byte of it leaves.
fn a_send_whose_list_cannot_be_read(y: &mut Bench) {
    y.connect(100);
    y.lose_sges(QueueSide::Send, 0);
    post_listed(y, 1, SEND, SOURCE);
    y.post_from(2, SEND, 0, 10);
    assert_eq!(y.sound_packets(), []);
    let flushed = (2, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0), flushed]);
    in_error(y);
}

/// Two packets come before the SGEs that are lost.
fn a_send_whose_list_ends_unread(y: &mut Bench) {
    y.connect(100);
    y.lose_sges(QueueSide::Send, 4);
    post_listed(y, 1, SEND, SOURCE);
    y.settle();
    assert_eq!(y.sound_packets(), [Some((FIRST, 2000)), Some((MIDDLE, 2001))]);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
    in_error(y);
}

/// Two SGEs stand in the entry, which is sound.
fn a_list_that_is_not_needed(y: &mut Bench) {
    y.connect(100);
    y.lose_sges(QueueSide::Send, 4);
    let sges = list(SOURCE, 4, 64);
    y.post(SendRequest {
        sges,
        ..work(1, SEND, 0)
    });
    y.settle();
    assert_eq!(y.sound_packets(), [Some((ONLY, 2000))]);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

/// `responder.md` section 5, bad local receive WQE.
fn a_receive_whose_list_cannot_be_read(y: &mut Bench) {
    y.connect(100);
    y.lose_sges(QueueSide::Receive, 0);
    receive_listed(y, 1);
    y.post_receive(2, 0, 16);
    y.receive(&[packet(ONLY, 100, &[1; 16])]);
    assert_eq!(y.answers(), [(100, 0x63, 0)]);
    let flushed = (2, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0), flushed]);
    assert_eq!(y.buffer(0, 768), [UNTOUCHED; 768]);
    in_error(y);
}

/// What came before stays where it was placed.
fn a_receive_whose_list_ends_unread(y: &mut Bench) {
    y.connect(100);
    y.lose_sges(QueueSide::Receive, 4);
    receive_listed(y, 1);
    let parts = [(FIRST, 100, 256), (MIDDLE, 101, 256), (LAST, 102, 200)];
    y.receive(&parts.map(|(opcode, psn, length)| packet(opcode, psn, &vec![psn as u8; length])));
    assert_eq!(y.answers().last(), Some(&(102, 0x63, 0)));
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
    let placed = [[100; 256], [101; 256], [UNTOUCHED; 256]].concat();
    assert_eq!(y.buffer(0, 768), placed);
    in_error(y);
}

/// Its last SGEs are lost, but nothing goes there.
fn a_buffer_that_is_longer_than_its_message(y: &mut Bench) {
    y.connect(100);
    y.lose_sges(QueueSide::Receive, 4);
    receive_listed(y, 1);
    y.receive(&[packet(FIRST, 100, &[1; 256]), packet(LAST, 101, &[2; 256])]);
    assert_eq!(y.answers().last(), Some(&(101, 0x1F, 1)));
    assert_eq!(y.completions(), [(1, Status::Success, 512)]);
    assert_eq!(y.buffer(512, 256), [UNTOUCHED; 256]);
}

/// It ends before its request left, or once its data comes: a device need not look at the list before.
fn a_read_whose_list_cannot_be_read(y: &mut Bench) {
    y.connect_with(|_| ());
    y.lose_sges(QueueSide::Send, 0);
    post_listed(y, 1, READ, BUFFER);
    y.post_from(2, SEND, 0, 10);
    let sent = y.sound_packets();
    if let [_, ..] = &sent[..] {
        assert_eq!(sent, [Some((0x0C, 2000)), Some((ONLY, 2003))]);
        y.receive(&[data(0x0D, 2000, &[7; 256]).encode().unwrap()]);
    }
    let flushed = (2, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0), flushed]);
    assert_eq!(y.buffer(0, 768), [UNTOUCHED; 768]);
    in_error(y);
}

/// The same, its third response.
fn a_read_whose_list_ends_unread(y: &mut Bench) {
    y.connect_with(|_| ());
    y.lose_sges(QueueSide::Send, 4);
    post_listed(y, 1, READ, BUFFER);
    y.settle();
    let mut placed = [UNTOUCHED; 768];
    if let [_, ..] = &y.sound_packets()[..] {
        let responses = [(0x0D, 2000), (0x0E, 2001), (0x0F, 2002)];
        y.receive(&responses.map(|(opcode, psn)| data(opcode, psn, &[7; 256]).encode().unwrap()));
        placed[..512].fill(7);
    }
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
    assert_eq!(y.buffer(0, 768), placed);
    in_error(y);
}

/// As data that is not inline: the packet is spoiled.
fn inline_data_that_cannot_be_read(y: &mut Bench) {
    y.connect(100);
    y.lose_inline(64);
    y.post(SendRequest {
        inline: true,
        ..work(1, SEND, 100)
    });
    y.settle();
    assert_eq!(y.drop_spoiled(), 1);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
    in_error(y);
}

/// Nothing of the QP depends on it, nor of another one.
fn a_send_completion_that_cannot_be_written(y: &mut Bench) {
    y.connect(100);
    let mut neighbour = Neighbour::connected(y);
    y.lose_cqe(SEND_CQ, 0);
    for n in 0..3 {
        y.post_from(n, SEND, 0, 10);
        assert_eq!(y.sound_packets(), [Some((ONLY, 2000 + n as u32))]);
        y.receive(&[response(2000 + n as u32, 0x1F, n as u32 + 1)]);
        assert_eq!(y.completions(), [(n, Status::Success, 0)]);
    }
    neighbour.exchange(y);
}

/// The same.
fn a_receive_completion_that_cannot_be_written(y: &mut Bench) {
    y.connect(100);
    let mut neighbour = Neighbour::connected(y);
    y.lose_cqe(RECEIVE_CQ, 0);
    for n in 0..3 {
        y.post_receive(n, 0, 16);
        y.receive(&[packet(ONLY, 100 + n as u32, &[1; 16])]);
        assert_eq!(y.answers(), [(100 + u64::from(n as u32), 0x1F, n + 1)]);
        assert_eq!(y.completions(), [(n, Status::Success, 16)]);
    }
    neighbour.exchange(y);
}
