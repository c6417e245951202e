//! Requests that a responder refuses (`responder.md`).
use super::bench::{on_both, packet, Bench, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{QpState, Status};

const FIRST: u8 = 0x00;
const MIDDLE: u8 = 0x01;
const LAST: u8 = 0x02;
const ONLY: u8 = 0x04;

on_both!(
    cf059_cf060_cf061_cf062_a_gap_is_naked_once,
    the_expected_packet_right_behind_a_gap,
    gaps_right_behind_one_another,
    cf057_cf095_requests_right_behind_one_another,
    cf117_a_duplicate_is_acknowledged_again,
    cf066_a_duplicate_while_a_nak_is_outstanding,
    cf106_cf107_cf111_no_receive_wqe,
    requests_behind_an_rnr_nak,
    cf084_an_only_longer_than_its_wqe,
    cf084_a_last_longer_than_its_wqe,
    cf068_a_middle_without_a_first,
    cf068_a_last_without_a_first,
    cf070_a_first_within_a_message,
    cf078_a_first_shorter_than_the_pmtu,
    cf080_a_payload_longer_than_the_pmtu,
    cf075_a_write_that_the_queue_pair_does_not_permit,
    cf065_psns_wrap,
    cf059_cf065_a_gap_at_the_wrap,
    nothing_to_send,
);

fn untouched(y: &Bench, offset: u64, length: usize) {
    assert_eq!(y.buffer(offset, length), vec![UNTOUCHED; length]);
}

fn in_error(y: &mut Bench, psn: u32) {
    assert_eq!(y.state(), QpState::Error);
    y.receive(&[packet(ONLY, psn, &[9; 4]), packet(ONLY, psn + 1, &[9; 4])]);
    assert_eq!(y.answers(), []);
    assert_eq!(y.completions(), []);
}

/// Section 2, section 7.
fn cf059_cf060_cf061_cf062_a_gap_is_naked_once(y: &mut Bench) {
    y.connect(100);
    for n in 0..3 {
        y.post_receive(n, 16 * n, 16);
    }
    y.receive(&[packet(ONLY, 101, &[1; 4])]);
    assert_eq!(y.answers(), [(100, 0x60, 0)]);
    y.receive(&[packet(ONLY, 102, &[2; 4]), packet(ONLY, 103, &[3; 4])]);
    assert_eq!(y.answers(), []);
    assert_eq!(y.drops(), [(DropReason::NakOutstanding, 2)]);
    untouched(y, 0, 48);
    y.receive(&[packet(ONLY, 100, &[4; 4])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(0, Status::Success, 4)]);
    y.receive(&[packet(ONLY, 103, &[5; 4])]);
    assert_eq!(y.answers(), [(101, 0x60, 1)], "the next gap has its own NAK");
    y.receive(&[packet(ONLY, 101, &[6; 4])]);
    assert_eq!(y.answers(), [(101, 0x1F, 2)]);
    assert_eq!(y.completions(), [(1, Status::Success, 4)]);
    assert_eq!(y.buffer(0, 4), [4; 4]);
    assert_eq!(y.buffer(16, 4), [6; 4]);
    untouched(y, 20, 28);
}

/// Section 7: the NAK is not lost and comes first.
fn the_expected_packet_right_behind_a_gap(y: &mut Bench) {
    y.connect(100);
    y.post_receive(1, 0, 16);
    y.receive(&[packet(ONLY, 101, &[1; 4]), packet(ONLY, 100, &[2; 4])]);
    assert_eq!(y.answers(), [(100, 0x60, 0), (100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 4)]);
    assert_eq!(y.buffer(0, 4), [2; 4]);
}

/// Section 7: a later NAK replaces the NAKs before it; an ack does not.
fn gaps_right_behind_one_another(y: &mut Bench) {
    y.connect(100);
    y.post_receive(1, 0, 16);
    y.receive(&[101, 100, 102].map(|psn| packet(ONLY, psn, &[1; 4])));
    let (first, ack, last) = ((100, 0x60, 0), (100, 0x1F, 1), (101, 0x60, 1));
    let answers = y.answers();
    let permitted = [vec![first, ack, last], vec![first, last], vec![last]];
    assert!(permitted.contains(&answers), "{answers:?}");
    assert_eq!(y.completions(), [(1, Status::Success, 4)]);
}

/// Section 8: acks may be coalesced into a later one; the last must come.
fn cf057_cf095_requests_right_behind_one_another(y: &mut Bench) {
    y.connect(100);
    for n in 0..5 {
        y.post_receive(n, 16 * n, 16);
    }
    let packets: Vec<_> = (0..5).map(|n| packet(ONLY, 100 + n, &[n as u8; 16])).collect();
    y.receive(&packets);
    let answers = y.answers();
    assert_eq!(answers.last(), Some(&(104, 0x1F, 5)));
    assert!(answers.windows(2).all(|w| w[0].0 < w[1].0), "{answers:?}");
    assert!(
        answers.iter().all(|&(psn, s, msn)| s == 0x1F && msn == psn - 99),
        "{answers:?}"
    );
    let success: Vec<_> = (0..5).map(|n| (n, Status::Success, 16)).collect();
    assert_eq!(y.completions(), success);
    for n in 0..5 {
        assert_eq!(y.buffer(16 * n, 16), [n as u8; 16]);
    }
}

/// Section 6.
fn cf117_a_duplicate_is_acknowledged_again(y: &mut Bench) {
    y.connect(100);
    for n in 0..3 {
        y.post_receive(n, 16 * n, 16);
    }
    y.receive(&[packet(ONLY, 100, &[1; 4])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    y.receive(&[packet(ONLY, 101, &[2; 4])]);
    assert_eq!(y.answers(), [(101, 0x1F, 2)]);
    y.completions();
    for psn in [101, 100] {
        y.receive(&[packet(ONLY, psn, &[3; 4])]);
        assert_eq!(y.answers(), [(101, 0x1F, 2)]);
    }
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(0, 4), [1; 4]);
    assert_eq!(y.buffer(16, 4), [2; 4]);
    untouched(y, 32, 16);
}

/// Section 6: a duplicate is answered even while a sequence NAK is pending.
fn cf066_a_duplicate_while_a_nak_is_outstanding(y: &mut Bench) {
    y.connect(100);
    y.post_receive(1, 0, 16);
    y.post_receive(2, 16, 16);
    y.receive(&[packet(ONLY, 100, &[1; 4])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    y.receive(&[packet(ONLY, 102, &[2; 4])]);
    assert_eq!(y.answers(), [(101, 0x60, 1)]);
    y.receive(&[packet(ONLY, 100, &[3; 4])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    y.receive(&[packet(ONLY, 102, &[4; 4])]);
    assert_eq!(y.answers(), [], "the NAK is still outstanding");
    y.receive(&[packet(ONLY, 101, &[5; 4])]);
    assert_eq!(y.answers(), [(101, 0x1F, 2)]);
    let success = |n| (n, Status::Success, 4);
    assert_eq!(y.completions(), [success(1), success(2)]);
    assert_eq!(y.buffer(0, 4), [1; 4]);
    assert_eq!(y.buffer(16, 4), [5; 4]);
}

/// Section 5: timer code 12; nothing is consumed.
fn cf106_cf107_cf111_no_receive_wqe(y: &mut Bench) {
    y.connect(100);
    for _ in 0..2 {
        y.receive(&[packet(ONLY, 100, &[1; 4])]);
        assert_eq!(y.answers(), [(100, 0x2C, 0)]);
    }
    assert_eq!(y.completions(), []);
    untouched(y, 0, 16);
    y.post_receive(1, 0, 16);
    y.receive(&[packet(ONLY, 100, &[2; 4])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 4)]);
    assert_eq!(y.buffer(0, 4), [2; 4]);
    assert_eq!(y.state(), QpState::Rts);
}

/// Section 7: packets in flight behind the RNR NAK obtain one sequence NAK or none.
fn requests_behind_an_rnr_nak(y: &mut Bench) {
    y.connect(100);
    y.receive(&[packet(ONLY, 100, &[1; 4])]);
    assert_eq!(y.answers(), [(100, 0x2C, 0)]);
    y.receive(&[packet(ONLY, 101, &[1; 4]), packet(ONLY, 102, &[1; 4])]);
    let answers = y.answers();
    assert!(answers.is_empty() || answers == [(100, 0x60, 0)], "{answers:?}");
    y.post_receive(1, 0, 16);
    y.receive(&[packet(ONLY, 100, &[2; 4])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 4)]);
}

/// Section 5.
fn cf084_an_only_longer_than_its_wqe(y: &mut Bench) {
    y.connect(100);
    y.post_receive(1, 0, 16);
    y.post_receive(2, 16, 16);
    y.receive(&[packet(ONLY, 100, &[1; 17])]);
    assert_eq!(y.answers(), [(100, 0x61, 0)]);
    let flushed = (2, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(1, Status::LocLenErr, 0), flushed]);
    untouched(y, 16, 16);
    in_error(y, 100);
}

/// Section 5: what came before fits and is acknowledged.
fn cf084_a_last_longer_than_its_wqe(y: &mut Bench) {
    y.connect(100);
    y.post_receive(1, 0, 300);
    y.receive(&[packet(FIRST, 100, &[1; 256])]);
    assert_eq!(y.answers(), [(100, 0x1F, 0)]);
    y.receive(&[packet(LAST, 101, &[2; 45])]);
    assert_eq!(y.answers(), [(101, 0x61, 0)]);
    assert_eq!(y.completions(), [(1, Status::LocLenErr, 0)]);
    assert_eq!(y.buffer(0, 256), [1; 256]);
    untouched(y, 256, 108);
    in_error(y, 101);
}

/// Section 3.
fn cf068_a_middle_without_a_first(y: &mut Bench) {
    out_of_place(y, &packet(MIDDLE, 100, &[1; 256]));
}

/// Section 3.
fn cf068_a_last_without_a_first(y: &mut Bench) {
    out_of_place(y, &packet(LAST, 100, &[1; 4]));
}

/// Refused before a WQE is open, which is flushed then.
fn out_of_place(y: &mut Bench, bytes: &[u8]) {
    y.connect(100);
    y.post_receive(1, 0, 1024);
    y.receive(&[bytes.to_vec()]);
    assert_eq!(y.answers(), [(100, 0x61, 0)]);
    assert_eq!(y.completions(), [(1, Status::WrFlushErr, 0)]);
    untouched(y, 0, 1024);
    in_error(y, 100);
}

/// Section 3, section 5: the open WQE completes in error.
fn cf070_a_first_within_a_message(y: &mut Bench) {
    y.connect(100);
    y.post_receive(1, 0, 1024);
    y.receive(&[packet(FIRST, 100, &[1; 256])]);
    assert_eq!(y.answers(), [(100, 0x1F, 0)]);
    y.receive(&[packet(FIRST, 101, &[2; 256])]);
    assert_eq!(y.answers(), [(101, 0x61, 0)]);
    assert_eq!(y.completions(), [(1, Status::RemInvReqErr, 0)]);
    untouched(y, 256, 768);
    in_error(y, 101);
}

/// Section 1 step 13.
fn cf078_a_first_shorter_than_the_pmtu(y: &mut Bench) {
    bad_length(y, &packet(FIRST, 100, &[1; 252]));
}

/// Section 1 step 13.
fn cf080_a_payload_longer_than_the_pmtu(y: &mut Bench) {
    bad_length(y, &packet(ONLY, 100, &[1; 257]));
}

/// The order of steps 12 and 13 is free, so the WQE may be open already or not; an open one completes in error (section
/// 5), else it is flushed.
fn bad_length(y: &mut Bench, bytes: &[u8]) {
    y.connect(100);
    y.post_receive(1, 0, 1024);
    y.receive(&[bytes.to_vec()]);
    assert_eq!(y.answers(), [(100, 0x61, 0)]);
    let completions = y.completions();
    let ended = |status| [(1, status, 0)];
    let (open, flushed) = (ended(Status::RemInvReqErr), ended(Status::WrFlushErr));
    assert!(completions == open || completions == flushed, "{completions:?}");
    untouched(y, 0, 1024);
    in_error(y, 100);
}

/// Section 1 step 11: the access flags.
fn cf075_a_write_that_the_queue_pair_does_not_permit(y: &mut Bench) {
    out_of_place(y, &packet(0x0A, 100, &[1; 4]));
}

/// Section 2: 24 bits.
fn cf065_psns_wrap(y: &mut Bench) {
    y.connect(0xFF_FFFF);
    y.post_receive(1, 0, 1024);
    y.receive(&[packet(FIRST, 0xFF_FFFF, &[1; 256])]);
    assert_eq!(y.answers(), [(0xFF_FFFF, 0x1F, 0)]);
    y.receive(&[packet(LAST, 0, &[2; 5])]);
    assert_eq!(y.answers(), [(0, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 261)]);
    assert_eq!(y.buffer(256, 5), [2; 5]);
    untouched(y, 261, 64);
    y.receive(&[packet(LAST, 0xFF_FFFF, &[3; 5])]);
    assert_eq!(y.answers(), [(0, 0x1F, 1)], "a duplicate across the wrap");
}

/// Section 2.
fn cf059_cf065_a_gap_at_the_wrap(y: &mut Bench) {
    y.connect(0xFF_FFFF);
    y.post_receive(1, 0, 1024);
    y.receive(&[packet(ONLY, 0, &[1; 4])]);
    assert_eq!(y.answers(), [(0xFF_FFFF, 0x60, 0)]);
    y.receive(&[packet(ONLY, 0xFF_FFFF, &[2; 4])]);
    assert_eq!(y.answers(), [(0xFF_FFFF, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 4)]);
}

/// A message of no bytes takes a WQE and a PSN.
fn nothing_to_send(y: &mut Bench) {
    y.connect(100);
    y.post_receive(1, 0, 16);
    y.receive(&[packet(ONLY, 100, &[])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    untouched(y, 0, 16);
    y.receive(&[packet(ONLY, 101, &[1; 4])]);
    assert_eq!(y.answers(), [(101, 0x2C, 1)]);
}
