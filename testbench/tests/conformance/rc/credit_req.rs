//! Credits that Y keeps to as a requester (`requester.md` section 4, `scenario_seed001.md` section 3), from PSN 2000 on
//! at PMTU 256.
use crate::bench::peer::{data, response_packet, with_aeth};
use crate::bench::requester::{work, FETCH_ADD, READ, SEND, WRITE, WRITE_WITH_IMMEDIATE};
use crate::bench::{on_both, Bench};
use hca_golden::event::DropReason;
use hca_golden::verbs::{QpState, SendOperation, Status};
use hca_sim::cm::{Mad, Message, MAD_BYTES};
use hca_testbench::live::role::credits_with;

on_both!(
    cf194_cf274_lsn_is_msn_plus_credits,
    cf195_cf198_the_first_wqe_has_ssn_1,
    cf196_cf274_what_takes_no_wqe_adds_one,
    cf196_an_ack_that_counts_some_of_what_takes_no_wqe,
    cf196_an_ack_that_counts_none_or_all_of_them,
    cf197_cf199_a_limited_send_stops_after_its_first_packet,
    cf199_the_ack_of_the_first_packet_is_enough,
    cf199_credits_without_an_answer_are_enough,
    cf200_a_limited_write_with_immediate_sends_all_and_stops,
    cf201_reads_writes_and_atomics_need_no_credit,
    cf202_a_limited_wqe_blocks_all_behind_it,
    cf203_a_retransmission_ignores_credits,
    cf204_the_initial_ack_gives_credits_and_completes_nothing,
    cf205_an_unsolicited_ack_gives_credits_and_completes_nothing,
    cf205_what_else_repeats_the_latest_psn_gives_none,
    cf206_code_31_removes_limits_until_reset,
    cf207_an_older_limit_never_replaces_a_newer_one,
    cf207_a_lower_limit_in_sequence_changes_nothing,
    cf207_cf285_the_limit_wraps,
    cf238_reset_restarts_ssn_and_lsn,
    a_peer_that_never_gives_credits_moves_one_message_at_a_time,
    where_no_credits_are_expected_nothing_is_limited,
    cf540_the_bit_of_a_req_or_rep_is_whether_credits_are_expected,
    credits_come_with_read_responses_and_atomic_acks,
    cf173_an_unsolicited_ack_behind_lost_responses_has_them_retried,
);

/// The bit is bit 0 of byte 43 of a REQ and of byte 26 of a REP (`mad.md` section 9).
fn cf540_the_bit_of_a_req_or_rep_is_whether_credits_are_expected(y: &mut Bench) {
    let whole = vec![(0x00, 2000), (0x01, 2001), (0x02, 2002)];
    for (bit, sent) in [(1, vec![(0x00, 2000)]), (0, whole)] {
        for mad in [req(bit), rep(bit)] {
            let flow_control = match Mad::parse(&mad).unwrap().message {
                Message::Req(req) => req.flow_control,
                Message::Rep(rep) => rep.flow_control,
                other => panic!("{other:?}"),
            };
            y.requester_with(credits_with(flow_control));
            y.post(work(1, SEND, 600));
            assert_eq!(y.sent_rows(), sent);
        }
    }
}

/// The MAD of a connection manager whose fields are these bytes at these places behind its header; all others are 0.
fn mad(attribute: u8, fields: &[(usize, u8)]) -> [u8; MAD_BYTES] {
    let mut mad = [0; MAD_BYTES];
    mad[..4].copy_from_slice(&[1, 7, 2, 3]);
    mad[17] = attribute;
    for (at, byte) in fields {
        mad[24 + at] = *byte;
    }
    mad
}

/// LocalCommID 1, LocalQPN 000100h, StartingPSN 0, PMTU 256.
fn req(bit: u8) -> [u8; MAD_BYTES] {
    mad(0x10, &[(3, 1), (33, 1), (43, bit), (50, 0x10)])
}

/// Both IDs 1, LocalQPN 000100h.
fn rep(bit: u8) -> [u8; MAD_BYTES] {
    mad(0x13, &[(3, 1), (7, 1), (13, 1), (26, bit)])
}

/// Y, told of credits by an ack before the first.
fn told(y: &mut Bench, code: u8, msn: u32) {
    y.limited();
    y.receive(&[response_packet(1999, code, msn).encode().unwrap()]);
}

fn post_all(y: &mut Bench, operation: SendOperation, length: u32, count: u64) {
    for n in 0..count {
        y.post(work(n, operation, length));
    }
}

/// PSNs that go out by themselves.
fn psns(y: &mut Bench) -> Vec<u32> {
    y.sent_rows().iter().map(|(_, psn)| *psn).collect()
}

/// Opcodes and PSNs that a response brings out.
fn after(y: &mut Bench, psn: u32, syndrome: u8, msn: u32) -> Vec<(u8, u32)> {
    y.sent_after(&[response_packet(psn, syndrome, msn)])
}

/// 24 messages are complete, and six more may go.
fn at_18h(y: &mut Bench) {
    told(y, 9, 0);
    post_all(y, SEND, 0, 24);
    assert_eq!(psns(y), Vec::from_iter(2000..2024));
    assert_eq!(after(y, 2023, 5, 0x18), []);
    assert_eq!(y.completions().len(), 24);
}

fn cf194_cf274_lsn_is_msn_plus_credits(y: &mut Bench) {
    at_18h(y);
    // SSN 19h to 1Eh, and the first packet of 1Fh.
    post_all(y, SEND, 257, 8);
    assert_eq!(psns(y), Vec::from_iter(2024..2037));
}

fn cf195_cf198_the_first_wqe_has_ssn_1(y: &mut Bench) {
    told(y, 1, 0);
    post_all(y, SEND, 257, 2);
    let rows: Vec<_> = y
        .sent()
        .iter()
        .map(|p| (p.bth.opcode, p.bth.psn, p.bth.a))
        .collect();
    assert_eq!(rows, [(0x00, 2000, true), (0x02, 2001, true), (0x00, 2002, true)]);
}

/// Messages 27 and 29 of the figure take no receive WQE: 18h + 6 + 2.
fn cf196_cf274_what_takes_no_wqe_adds_one(y: &mut Bench) {
    at_18h(y);
    for operation in [SEND, SEND, WRITE, SEND, FETCH_ADD, SEND, SEND, SEND] {
        y.post(work(1, operation, 8));
    }
    y.post(work(2, SEND, 257));
    // Eight whole, and the first packet of SSN 21h.
    assert_eq!(psns(y), Vec::from_iter(2024..2033));
}

/// SSN 1 and 3 are Writes, 2 is a Send. An ack of PSN 2001 has counted the first Write, not the second: LSN is
/// 2 + 1 + 1, so that SSN 4 may go whole and 5 may not.
fn cf196_an_ack_that_counts_some_of_what_takes_no_wqe(y: &mut Bench) {
    told(y, 1, 0);
    for operation in [WRITE, SEND, WRITE] {
        y.post(work(1, operation, 8));
    }
    assert_eq!(psns(y), [2000, 2001, 2002]);
    assert_eq!(after(y, 2001, 1, 2), []);
    post_all(y, SEND, 257, 2);
    assert_eq!(psns(y), [2003, 2004, 2005]);
    y.completions();
}

fn cf196_an_ack_that_counts_none_or_all_of_them(y: &mut Bench) {
    for (psn, code, msn, last) in [(2000, 0, 1, 2003), (2002, 1, 3, 2005), (2001, 0, 2, 2003)] {
        told(y, 1, 0);
        for operation in [SEND, WRITE, WRITE] {
            y.post(work(1, operation, 8));
        }
        assert_eq!(psns(y), [2000, 2001, 2002]);
        assert_eq!(after(y, psn, code, msn), []);
        post_all(y, SEND, 257, 2);
        assert_eq!(psns(y), Vec::from_iter(2003..=last), "ack of PSN {psn}");
        y.completions();
    }
}

fn cf197_cf199_a_limited_send_stops_after_its_first_packet(y: &mut Bench) {
    y.limited();
    y.post(work(1, SEND, 600));
    assert_eq!(y.sent_rows(), [(0x00, 2000)]);
    assert_eq!(after(y, 2000, 1, 0), [(0x01, 2001), (0x02, 2002)]);
}

/// AD: whatever the ack of the first packet says, its WQE was there. The next one is limited too.
fn cf199_the_ack_of_the_first_packet_is_enough(y: &mut Bench) {
    y.limited();
    y.post(work(1, SEND, 600));
    y.post(work(2, SEND, 257));
    assert_eq!(y.sent_rows(), [(0x00, 2000)]);
    let rest = [(0x01, 2001), (0x02, 2002), (0x00, 2003)];
    assert_eq!(after(y, 2000, 0, 0), rest);
}

fn cf199_credits_without_an_answer_are_enough(y: &mut Bench) {
    y.limited();
    y.post(work(1, SEND, 600));
    assert_eq!(y.sent_rows(), [(0x00, 2000)]);
    assert_eq!(after(y, 1999, 1, 0), [(0x01, 2001), (0x02, 2002)]);
}

fn cf200_a_limited_write_with_immediate_sends_all_and_stops(y: &mut Bench) {
    y.limited();
    y.post(work(1, WRITE_WITH_IMMEDIATE, 600));
    y.post(work(2, WRITE, 8));
    let packets = y.sent();
    let rows: Vec<_> = packets.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect();
    assert_eq!(rows, [(0x06, 2000), (0x07, 2001), (0x09, 2002)]);
    assert!(packets[2].bth.a);
    assert_eq!(after(y, 2000, 0, 0), []);
    assert_eq!(after(y, 2002, 0, 1), [(0x0A, 2003)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

fn cf201_reads_writes_and_atomics_need_no_credit(y: &mut Bench) {
    y.limited();
    for operation in [WRITE, READ, FETCH_ADD, WRITE] {
        y.post(work(1, operation, 8));
    }
    assert_eq!(psns(y), [2000, 2001, 2002, 2003]);
}

fn cf202_a_limited_wqe_blocks_all_behind_it(y: &mut Bench) {
    for operation in [SEND, WRITE, READ, FETCH_ADD, WRITE_WITH_IMMEDIATE] {
        y.limited();
        y.post(work(1, SEND, 0));
        y.post(work(2, operation, 8));
        assert_eq!(psns(y), [2000]);
        assert_eq!(after(y, 2000, 0, 1).len(), 1);
        assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    }
}

/// What was sent before goes again whole, however little may go for the first time.
fn cf203_a_retransmission_ignores_credits(y: &mut Bench) {
    told(y, 2, 0);
    post_all(y, SEND, 257, 3);
    let sent = [
        (0x00, 2000),
        (0x02, 2001),
        (0x00, 2002),
        (0x02, 2003),
        (0x00, 2004),
    ];
    assert_eq!(y.sent_rows(), sent);
    assert_eq!(after(y, 2000, 0x60, 0), sent);
}

fn cf204_the_initial_ack_gives_credits_and_completes_nothing(y: &mut Bench) {
    told(y, 2, 0);
    assert_eq!(y.completions(), []);
    post_all(y, SEND, 257, 3);
    assert_eq!(psns(y), [2000, 2001, 2002, 2003, 2004]);
}

/// What repeats the latest PSN tells more, what repeats an earlier one nothing.
fn cf205_an_unsolicited_ack_gives_credits_and_completes_nothing(y: &mut Bench) {
    told(y, 2, 0);
    post_all(y, SEND, 0, 2);
    assert_eq!(psns(y), [2000, 2001]);
    assert_eq!(after(y, 2001, 0, 2), []);
    assert_eq!(y.completions().len(), 2);
    y.post(work(1, SEND, 600));
    assert_eq!(y.sent_rows(), [(0x00, 2002)]);
    assert_eq!(after(y, 2000, 8, 2), []);
    assert_eq!(y.drops(), [(DropReason::DuplicateResponse, 1)]);
    assert_eq!(after(y, 2001, 1, 2), [(0x01, 2003), (0x02, 2004)]);
    assert_eq!(y.completions(), []);
}

/// Not a read response, not a NAK.
fn cf205_what_else_repeats_the_latest_psn_gives_none(y: &mut Bench) {
    y.limited();
    y.post(work(1, SEND, 600));
    assert_eq!(y.sent_rows(), [(0x00, 2000)]);
    let others = [
        with_aeth(data(0x10, 1999, &[]), 8, 0),
        response_packet(1999, 0x28, 0),
        response_packet(1999, 0x60, 0),
        response_packet(1998, 8, 0),
    ];
    assert_eq!(y.sent_after(&others), []);
    // As duplicates, or as responses to what was not sent.
    assert_eq!(y.drops().iter().map(|(_, count)| count).sum::<u64>(), 4);
}

fn cf206_code_31_removes_limits_until_reset(y: &mut Bench) {
    y.limited();
    post_all(y, SEND, 257, 2);
    assert_eq!(y.sent_rows(), [(0x00, 2000)]);
    let rest = [(0x02, 2001), (0x00, 2002), (0x02, 2003)];
    assert_eq!(after(y, 1999, 0x1F, 0), rest);
    assert_eq!(after(y, 2003, 0, 2), []);
    y.post(work(3, SEND, 257));
    assert_eq!(psns(y), [2004, 2005]);
    y.completions();
    y.modify(QpState::Reset);
    y.enter_rts();
    y.post(work(4, SEND, 257));
    assert_eq!(psns(y), [2000]);
}

fn cf207_an_older_limit_never_replaces_a_newer_one(y: &mut Bench) {
    told(y, 3, 0);
    assert_eq!(after(y, 1999, 2, 0), []);
    post_all(y, SEND, 257, 4);
    assert_eq!(psns(y), Vec::from_iter(2000..=2006));
}

/// `aeth.md` section 5: the WQE is taken, and MSN not advanced.
fn cf207_a_lower_limit_in_sequence_changes_nothing(y: &mut Bench) {
    told(y, 3, 0);
    y.post(work(1, SEND, 257));
    assert_eq!(psns(y), [2000, 2001]);
    assert_eq!(after(y, 2000, 2, 0), []);
    post_all(y, SEND, 257, 3);
    assert_eq!(psns(y), Vec::from_iter(2002..=2006));
}

/// FFFFFEh + 4 = 000002h: SSN 1 and 2 are unlimited, 3 is not. A limit before the wrap is older.
fn cf207_cf285_the_limit_wraps(y: &mut Bench) {
    told(y, 4, 0xFF_FFFE);
    assert_eq!(after(y, 1999, 1, 0xFF_FFFE), []);
    post_all(y, SEND, 257, 3);
    assert_eq!(psns(y), [2000, 2001, 2002, 2003, 2004]);
}

fn cf238_reset_restarts_ssn_and_lsn(y: &mut Bench) {
    told(y, 3, 0);
    post_all(y, SEND, 257, 3);
    assert_eq!(psns(y).len(), 6);
    y.modify(QpState::Reset);
    y.enter_rts();
    post_all(y, SEND, 257, 2);
    assert_eq!(psns(y), [2000]);
    assert_eq!(after(y, 1999, 1, 0), [(0x02, 2001), (0x00, 2002)]);
}

/// FB34: it may have receive WQEs all the time.
fn a_peer_that_never_gives_credits_moves_one_message_at_a_time(y: &mut Bench) {
    y.limited();
    post_all(y, SEND, 257, 3);
    assert_eq!(y.sent_rows(), [(0x00, 2000)]);
    assert_eq!(after(y, 2000, 0, 0), [(0x02, 2001), (0x00, 2002)]);
    assert_eq!(after(y, 2001, 0, 1), []);
    assert_eq!(after(y, 2002, 0, 1), [(0x02, 2003), (0x00, 2004)]);
    assert_eq!(after(y, 2004, 0, 2), [(0x02, 2005)]);
    assert_eq!(after(y, 2005, 0, 3), []);
    let done = [0, 1, 2].map(|wr_id| (wr_id, Status::Success, 0));
    assert_eq!(y.completions(), done);
}

fn where_no_credits_are_expected_nothing_is_limited(y: &mut Bench) {
    y.connect_with(|_| {});
    post_all(y, SEND, 257, 2);
    assert_eq!(psns(y), [2000, 2001, 2002, 2003]);
    assert_eq!(after(y, 1999, 1, 0), []);
    assert_eq!(after(y, 2003, 0, 2), []);
    post_all(y, SEND, 257, 2);
    assert_eq!(psns(y), [2004, 2005, 2006, 2007]);
    y.completions();
}

/// A middle response has none to give.
fn credits_come_with_read_responses_and_atomic_acks(y: &mut Bench) {
    y.limited();
    y.post(work(1, READ, 600));
    post_all(y, SEND, 257, 2);
    assert_eq!(psns(y), [2000, 2003]);
    let first = with_aeth(data(0x0D, 2000, &[1; 256]), 1, 1);
    let rest = y.sent_after(&[first, data(0x0E, 2001, &[2; 256])]);
    assert_eq!(rest, [(0x02, 2004), (0x00, 2005)]);
}

/// What an unsolicited ack repeats may have been lost: it is asked for again (CF152, `requester.md` section 6).
fn cf173_an_unsolicited_ack_behind_lost_responses_has_them_retried(y: &mut Bench) {
    for (operation, length, last) in [(READ, 600, 2002), (READ, 8, 2000), (FETCH_ADD, 8, 2000)] {
        for expected in [false, true] {
            y.renew(|a| a.credits.expected = expected);
            y.post(work(1, operation, length));
            let request = y.sent_rows();
            assert_eq!(after(y, last, 3, 1), request);
            assert_eq!(y.completions(), []);
        }
    }
}
