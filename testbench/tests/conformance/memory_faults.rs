//! Host memory that answers with errors (`hca_golden::event::MemoryFault`, AD). The buffer's line at [`BAD`] fails.
mod placement;
mod rings;

use super::bench::peer::{rdma, with_immediate};
use super::bench::requester::SEND;
use super::bench::{on_both, packet, response, Bench, BUFFER};
use hca_golden::verbs::{QpState, QueueSide, Status};

/// First byte of the line that fails, of source or buffer.
const BAD: u64 = 1024;
const ONLY: u8 = 0x04;
const READ: u8 = 0x0C;

on_both!(
    a_send_whose_data_fails,
    an_unsent_message_does_not_matter,
    a_read_whose_data_fails,
    a_read_of_one_packet_whose_data_fails,
    a_send_wqe_that_cannot_be_read,
    a_receive_wqe_that_cannot_be_read,
    receive_wqes_that_are_not_needed,
);

/// A Read, or a Write of one packet, at `offset` of the buffer.
fn remote(opcode: u8, psn: u32, offset: u64, length: u32, payload: &[u8]) -> Vec<u8> {
    rdma(opcode, psn, BUFFER + offset, length, payload)
        .encode()
        .unwrap()
}

fn in_error(y: &mut Bench) {
    assert_eq!(y.state(), QpState::Error);
    y.receive(&[packet(ONLY, 101, &[1; 4])]);
    assert_eq!(y.sound_packets(), []);
}

/// Of three Sends the second's second packet fails. What left before is sound, the packet is not, and nobody can tell
/// how many that were decided on leave behind it.
fn a_send_whose_data_fails(y: &mut Bench) {
    y.connect(100);
    y.fail_source(BAD, 64);
    y.post_from(1, SEND, 0, 10);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.sound_packets(), [Some((ONLY, 2000))]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    y.post_from(2, SEND, BAD - 256, 600);
    y.post_from(3, SEND, 0, 10);
    let sent = y.sound_packets();
    assert_eq!(sent[..2], [Some((0x00, 2001)), None]);
    let behind = [Some((0x02, 2003)), Some((ONLY, 2004))];
    assert!(behind.starts_with(&sent[2..]), "{sent:?}");
    let flushed = (3, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(2, Status::LocQpOpErr, 0), flushed]);
    in_error(y);
}

/// Only what is read counts: the packets before the line that fails, and a message that ends there.
fn an_unsent_message_does_not_matter(y: &mut Bench) {
    y.connect(100);
    y.fail_source(BAD, 64);
    y.post_from(1, SEND, BAD - 512, 512);
    y.receive(&[response(2001, 0x1F, 1)]);
    assert_eq!(y.sound_packets(), [Some((0x00, 2000)), Some((0x02, 2001))]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    assert_eq!(y.state(), QpState::Rts);
}

/// `responder.md` section 7: a NAK with the PSN of the response that failed.
fn a_read_whose_data_fails(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.post_receive(1, 0, 16);
    y.receive(&[remote(READ, 100, BAD - 256, 768, &[])]);
    let sent = y.sound_packets();
    assert_eq!(sent[..2], [Some((0x0D, 100)), None]);
    // The third may be on its way already.
    let behind: Vec<_> = sent[2..].iter().filter(|p| **p != Some((0x0F, 102))).collect();
    assert_eq!(behind, [&Some((0x11, 101))], "{sent:?}");
    assert_eq!(y.completions(), [(1, Status::WrFlushErr, 0)]);
    in_error(y);
}

/// The NAK in full.
fn a_read_of_one_packet_whose_data_fails(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.receive(&[remote(READ, 100, BAD + 32, 32, &[])]);
    assert_eq!(y.drop_spoiled(), 1);
    assert_eq!(y.answers(), [(100, 0x63, 1)]);
    in_error(y);
}

/// It ends as a malformed one does, once it is the oldest (`requester.md` section 8); one before it is carried out.
fn a_send_wqe_that_cannot_be_read(y: &mut Bench) {
    y.connect(100);
    y.lose_wqe(QueueSide::Send, 1);
    y.post_from(1, SEND, 0, 10);
    y.post_from(2, SEND, 0, 10);
    y.post_from(3, SEND, 0, 10);
    assert_eq!(y.sound_packets(), [Some((ONLY, 2000))]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.state(), QpState::Rts);
    y.receive(&[response(2000, 0x1F, 1)]);
    let ended = [
        (1, Status::Success, 0),
        (2, Status::LocQpOpErr, 0),
        (3, Status::WrFlushErr, 0),
    ];
    assert_eq!(y.completions(), ended);
    in_error(y);
}

/// `responder.md` section 5, bad local receive WQE; one before it is used.
fn a_receive_wqe_that_cannot_be_read(y: &mut Bench) {
    y.connect(100);
    y.lose_wqe(QueueSide::Receive, 1);
    for wr_id in 1..=3 {
        y.post_receive(wr_id, 16 * wr_id, 16);
    }
    y.receive(&[packet(ONLY, 100, &[1; 16])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 16)]);
    y.receive(&[packet(ONLY, 101, &[2; 16])]);
    assert_eq!(y.answers(), [(101, 0x63, 1)]);
    let flushed = (3, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(2, Status::LocQpOpErr, 0), flushed]);
    assert_eq!(y.state(), QpState::Error);
}

/// A Write with immediate needs nothing that its receive WQE says, nor does an empty Send. Those between and behind are
/// sound or not, each by itself.
fn receive_wqes_that_are_not_needed(y: &mut Bench) {
    y.connect_with(|_| ());
    y.lose_wqe(QueueSide::Receive, 0);
    y.lose_wqe(QueueSide::Receive, 2);
    y.lose_wqe(QueueSide::Receive, 3);
    for wr_id in 1..=4 {
        y.submit_receive(wr_id, 16 * wr_id, 16);
    }
    y.settle();
    let write = with_immediate(rdma(0x0B, 100, BUFFER, 8, &[7; 8]), [1, 2, 3, 4]);
    let sends = [packet(ONLY, 101, &[1; 16]), packet(ONLY, 102, &[])];
    y.receive(&[vec![write.encode().unwrap()], sends.into()].concat());
    assert_eq!(y.answers().last(), Some(&(102, 0x1F, 3)));
    let success = |wr_id, bytes| (wr_id, Status::Success, bytes);
    assert_eq!(y.completions(), [success(1, 8), success(2, 16), success(3, 0)]);
    y.receive(&[packet(ONLY, 103, &[2; 16])]);
    assert_eq!(y.answers(), [(103, 0x63, 3)]);
    assert_eq!(y.completions(), [(4, Status::LocQpOpErr, 0)]);
    assert_eq!(y.state(), QpState::Error);
}
