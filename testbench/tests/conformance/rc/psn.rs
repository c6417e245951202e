//! PSN regions (`responder.md` section 2). CF061 and CF062 are in `responder`.
use crate::bench::peer::{atomic, data, rdma, read};
use crate::bench::requester::{work, READ, SEND};
use crate::bench::responder::{ack, answer, message, nak, TARGET, TARGET_BYTES};
use crate::bench::{on_both, request, Bench, BUFFER, FIRST_PSN};
use hca_golden::verbs::{SendRequest, Sge, Status};
use hca_golden::wire::packet::Packet;
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf057_the_expected_psn_is_executed_and_epsn_advances_by_one,
    cf058_a_read_advances_epsn_by_its_responses,
    cf059_a_psn_beyond_epsn_gets_nak_60h_at_epsn,
    cf060_nothing_out_of_sequence_is_executed,
    cf063_the_psns_before_epsn_are_duplicates,
    cf064_the_psns_after_epsn_are_out_of_sequence,
    cf065_a_read_across_the_wrap,
    cf066_duplicates_of_all_kinds_are_answered_while_a_nak_is_outstanding,
    cf067_a_sequence_nak_carries_the_current_msn,
    cf286_no_more_than_2_to_23_psns_are_outstanding,
    cf286_the_window_across_the_wrap,
);

fn only(psn: u32) -> Packet {
    request(0x04, psn, &[1; 8])
}

fn cf057_the_expected_psn_is_executed_and_epsn_advances_by_one(y: &mut Bench) {
    y.responder(2);
    assert_eq!(y.replies_to(&[only(100), only(101)]), [ack(100, 1), ack(101, 2)]);
    assert_eq!(
        y.completions(),
        [(70, Status::Success, 8), (71, Status::Success, 8)]
    );
    assert_eq!(
        y.replies_to(&[only(103)]),
        [nak(102, 0x60, 2)],
        "102 is expected now"
    );
}

/// PMTU 256: 0, 1, 256, 257, 1024 and 1025 bytes.
fn cf058_a_read_advances_epsn_by_its_responses(y: &mut Bench) {
    y.responder(1);
    let requests = [
        (100, 0),
        (101, 1),
        (102, 256),
        (103, 257),
        (105, 1024),
        (109, 1025),
    ];
    for (n, (psn, length)) in (1..).zip(requests) {
        let packets = y.answered(&[read(psn, TARGET, length)]);
        assert!(
            packets.iter().flat_map(|p| p.aeth()).all(|a| a.msn == n),
            "{length}"
        );
        assert_eq!(packets[0].bth.psn, psn);
    }
    assert_eq!(y.replies_to(&[only(115)]), [nak(114, 0x60, 6)]);
    assert_eq!(y.replies_to(&[only(114)]), [ack(114, 7)]);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
}

/// Beside Sends, which `responder` has.
fn cf059_a_psn_beyond_epsn_gets_nak_60h_at_epsn(y: &mut Bench) {
    for packet in [
        rdma(0x0A, 107, TARGET, 4, &[0xEE; 4]),
        read(107, TARGET, 4),
        atomic(0x14, 107, TARGET, 1, 0),
    ] {
        y.responder(0);
        assert_eq!(y.replies_to(&[packet]), [nak(100, 0x60, 0)]);
    }
}

fn cf060_nothing_out_of_sequence_is_executed(y: &mut Bench) {
    y.responder(1);
    let packets = [
        rdma(0x0A, 105, TARGET, 4, &[0xEE; 4]),
        rdma(0x0B, 106, TARGET, 4, &[0xEE; 4]),
        atomic(0x14, 107, TARGET, 1, 0),
        atomic(0x13, 108, TARGET, 1, 0),
        read(109, TARGET, 4),
        only(110),
    ];
    assert_eq!(
        y.replies_to(&packets),
        [nak(100, 0x60, 0)],
        "CF061: one for all of them"
    );
    y.nothing_written();
    assert_eq!(y.completions(), []);
    assert_eq!(y.replies_to(&[only(100)]), [ack(100, 1)]);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
}

/// 1, 2 and 2^23 - 1 before 100.
fn cf063_the_psns_before_epsn_are_duplicates(y: &mut Bench) {
    y.responder(1);
    let duplicates = [only(99), only(98), only(0x80_0065)];
    assert_eq!(y.replies_to(&duplicates), [ack(99, 0), ack(99, 0), ack(99, 0)]);
    y.nothing_written();
    assert_eq!(y.completions(), []);
    assert_eq!(y.replies_to(&[only(100)]), [ack(100, 1)]);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
}

/// 1, 2 and 2^23 - 1 after the expected one, which comes in between.
fn cf064_the_psns_after_epsn_are_out_of_sequence(y: &mut Bench) {
    y.responder(3);
    let packets = [
        only(101),
        only(100),
        only(103),
        only(101),
        only(0x80_0065),
        only(102),
    ];
    let expected = [
        nak(100, 0x60, 0),
        ack(100, 1),
        nak(101, 0x60, 1),
        ack(101, 2),
        nak(102, 0x60, 2),
        ack(102, 3),
    ];
    assert_eq!(y.replies_to(&packets), expected);
    assert_eq!(y.completions(), [70, 71, 72].map(|id| (id, Status::Success, 8)));
}

/// Its responses have PSNs FFFFFEh, FFFFFFh and 0. Sends across the wrap are in `responder`.
fn cf065_a_read_across_the_wrap(y: &mut Bench) {
    y.responder_with(1, |a| a.rq_psn = 0xFF_FFFE);
    let packets = [read(0xFF_FFFE, TARGET, 600), only(1)];
    let expected = [
        answer(0x0D, 0xFF_FFFE, 1),
        (0x0E, 0xFF_FFFF, None),
        answer(0x0F, 0, 1),
        ack(1, 2),
    ];
    assert_eq!(y.replies_to(&packets), expected);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
    let again = y.answered(&[read(0, TARGET + 512, 88)]);
    assert_eq!(again[0].payload, message(TARGET_BYTES)[512..600]);
    assert_eq!(again[0].bth.psn, 0, "a duplicate before the wrap's other side");
}

fn cf066_duplicates_of_all_kinds_are_answered_while_a_nak_is_outstanding(y: &mut Bench) {
    y.responder(2);
    y.write_target(0, &5_u64.to_le_bytes());
    let (write, add) = (
        rdma(0x0A, 101, TARGET + 8, 4, &[0xEE; 4]),
        atomic(0x14, 103, TARGET, 10, 0),
    );
    let executed = [only(100), write.clone(), read(102, TARGET, 4), add.clone()];
    y.replies_to(&executed);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
    let packets = [only(109), read(102, TARGET, 4), add, only(100), write, only(108)];
    // An ack for a duplicate Send or Write never carries the PSN of a Read (CF125).
    let expected = [
        nak(104, 0x60, 4),
        answer(0x10, 102, 4),
        answer(0x12, 103, 4),
        ack(101, 4),
        ack(101, 4),
    ];
    assert_eq!(y.replies_to(&packets), expected);
    assert_eq!(y.target(0, 8), 15_u64.to_le_bytes(), "added once");
    assert_eq!(y.replies_to(&[only(104)]), [ack(104, 5)]);
    assert_eq!(y.completions(), [(71, Status::Success, 8)]);
}

/// Two messages are complete, the third is not.
fn cf067_a_sequence_nak_carries_the_current_msn(y: &mut Bench) {
    y.responder(3);
    let packets = [only(100), only(101), request(0x00, 102, &[1; 256]), only(105)];
    let expected = [ack(100, 1), ack(101, 2), ack(102, 2), nak(103, 0x60, 2)];
    assert_eq!(y.replies_to(&packets), expected);
    assert_eq!(
        y.completions(),
        [(70, Status::Success, 8), (71, Status::Success, 8)]
    );
}

fn cf286_no_more_than_2_to_23_psns_are_outstanding(y: &mut Bench) {
    window(y, FIRST_PSN, 0x80_07D0);
}

/// FB01.
fn cf286_the_window_across_the_wrap(y: &mut Bench) {
    window(y, 0xFF_FFF0, 0x7F_FFF0);
}

/// A Read of 2^31 bytes at PMTU 256 takes 2^23 PSNs; `next` is the one after them.
fn window(y: &mut Bench, sq_psn: u32, next: u32) {
    y.connect_with(|a| a.sq_psn = sq_psn);
    let gib = Sge {
        addr: BUFFER,
        length: 1 << 30,
        l_key: L_KEY,
    };
    y.post(SendRequest {
        sges: vec![gib, gib],
        ..work(1, READ, 0)
    });
    y.post(work(2, SEND, 1));
    assert_eq!(
        y.sent_rows(),
        [(0x0C, sq_psn)],
        "its responses take all there are"
    );
    assert_eq!(y.sent_after(&[data(0x0D, sq_psn, &[1; 256])]), [(0x04, next)]);
    assert_eq!(y.buffer(0, 256), [1; 256]);
}
