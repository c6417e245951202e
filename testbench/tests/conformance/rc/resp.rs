//! Responses as the requester takes them (`requester.md` sections 5, 6 and 8). Y starts at PSN 2000 with PMTU 256.
//! CF171, CF172 and more of CF169, CF170, CF177 and CF178 are in `requester`.
use crate::bench::peer::{acknowledge, atomic_ack, data};
use crate::bench::requester::{source_byte, work, FETCH_ADD, READ, RESULT, SEND, TARGET, WRITE};
use crate::bench::{on_both, response, Bench, BUFFER, SOURCE, UNTOUCHED};
use hca_golden::event::DropReason;
use hca_golden::verbs::{CompletedOperation, QpAttributes, QpState, SendRequest, Sge, Status};
use hca_golden::wire::packet::Packet;
use hca_golden::wire::reth::Reth;
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf168_cf169_cf170_acks_of_messages,
    cf171_duplicate_responses_are_ignored,
    cf172_responses_to_what_was_not_sent_are_ignored,
    responses_before_any_request_are_ignored,
    cf173_an_ack_beyond_an_unanswered_read_has_it_retried,
    cf173_a_response_beyond_an_unanswered_atomic_has_it_retried,
    cf174_read_data_lands_at_the_offset_of_its_psn,
    cf175_a_missing_read_response_has_the_remainder_read,
    cf176_the_result_of_an_atomic_goes_to_the_sge,
    cf177_nak_60h_resends_from_its_psn,
    a_repeated_sequence_nak_starts_no_second_retry,
    cf183_reserved_syndromes_are_discarded,
    cf191_retransmitted_packets_are_identical,
    cf192_cqes_appear_in_post_order,
    cf193_an_unsignaled_success_makes_no_cqe_an_error_does,
);

pub const SUCCESS: Status = Status::Success;

pub fn with(y: &mut Bench, responses: &[Packet]) -> Vec<(u64, Status, u32)> {
    let rows = y.sent_after(responses);
    assert_eq!(rows, [], "nothing is sent again");
    y.completions()
}

pub fn nak(psn: u32, syndrome: u8) -> Packet {
    acknowledge(psn, syndrome)
}

pub fn ack(psn: u32) -> Packet {
    acknowledge(psn, 0x1F)
}

/// Sends of 257, 1 and 1 bytes: PSN 2000 and 2001, 2002, 2003.
pub fn three_sends(y: &mut Bench, change: impl FnOnce(&mut QpAttributes)) {
    y.renew(change);
    for (wr_id, length) in [(1, 257), (2, 1), (3, 1)] {
        y.post(work(wr_id, SEND, length));
    }
    let sent = [(0x00, 2000), (0x02, 2001), (0x04, 2002), (0x04, 2003)];
    assert_eq!(y.sent_rows(), sent);
}

/// A Send at PSN 2000, a Read of 600 bytes at 2001 to 2003, a Send at 2004.
pub fn around_a_read(y: &mut Bench) {
    y.renew(|_| {});
    y.post(work(1, SEND, 1));
    y.post(work(2, READ, 600));
    y.post(work(3, SEND, 1));
    let sent = [(0x04, 2000), (0x0C, 2001), (0x04, 2004)];
    assert_eq!(y.sent_rows(), sent);
}

fn cf168_cf169_cf170_acks_of_messages(y: &mut Bench) {
    three_sends(y, |_| {});
    assert_eq!(with(y, &[ack(2000)]), [], "of the first packet of two");
    assert_eq!(with(y, &[ack(2001)]), [(1, SUCCESS, 0)]);
    assert_eq!(with(y, &[ack(2003)]), [(2, SUCCESS, 0), (3, SUCCESS, 0)]);
}

fn cf171_duplicate_responses_are_ignored(y: &mut Bench) {
    three_sends(y, |_| {});
    assert_eq!(with(y, &[ack(2001)]), [(1, SUCCESS, 0)]);
    for syndrome in [0x1F, 0x2C, 0x60, 0x61, 0x62, 0x63] {
        assert_eq!(with(y, &[nak(2000, syndrome)]), []);
        assert_eq!(y.drops(), [(DropReason::DuplicateResponse, 1)], "{syndrome:02X}h");
    }
    assert_eq!(with(y, &[data(0x10, 2001, &[1; 4])]), []);
    assert_eq!(y.state(), QpState::Rts);
    assert_eq!(with(y, &[ack(2003)]), [(2, SUCCESS, 0), (3, SUCCESS, 0)]);
}

/// Those before the first PSN sent may be counted as duplicates, too.
fn cf172_responses_to_what_was_not_sent_are_ignored(y: &mut Bench) {
    three_sends(y, |_| {});
    let ghosts = |psn| [ack(psn), nak(psn, 0x61), data(0x10, psn, &[1; 4])];
    for psn in [2004, 2005, 2004 + (1 << 22)] {
        assert_eq!(with(y, &ghosts(psn)), []);
        assert_eq!(y.drops(), [(DropReason::GhostResponse, 3)], "{psn}");
    }
    for psn in [1999, 0xFF_FFFF] {
        assert_eq!(with(y, &ghosts(psn)), []);
    }
    assert_eq!(y.state(), QpState::Rts);
    assert_eq!(with(y, &[ack(2001)]), [(1, SUCCESS, 0)]);
}

/// They may be counted as duplicates or as responses to what was not sent.
fn responses_before_any_request_are_ignored(y: &mut Bench) {
    y.connect_with(|_| {});
    for psn in [1998, 2000, 2001] {
        assert_eq!(with(y, &[ack(psn)]), []);
        let drops = y.drops();
        let reasons = [DropReason::DuplicateResponse, DropReason::GhostResponse];
        assert!(reasons.iter().any(|&r| drops == [(r, 1)]), "{psn}: {drops:?}");
    }
    assert_eq!(y.state(), QpState::Rts);
}

/// FB04.
fn cf173_an_ack_beyond_an_unanswered_read_has_it_retried(y: &mut Bench) {
    around_a_read(y);
    assert_eq!(y.sent_after(&[ack(2004)]), [(0x0C, 2001), (0x04, 2004)]);
    assert_eq!(y.completions(), [(1, SUCCESS, 0)], "what came before the Read");
    let all = [
        data(0x0D, 2001, &[1; 256]),
        data(0x0E, 2002, &[2; 256]),
        data(0x0F, 2003, &[3; 88]),
        ack(2004),
    ];
    assert_eq!(with(y, &all), [(2, SUCCESS, 600), (3, SUCCESS, 0)]);
}

fn cf173_a_response_beyond_an_unanswered_atomic_has_it_retried(y: &mut Bench) {
    y.connect_with(|_| {});
    for wr_id in [1, 2] {
        y.post(work(wr_id, FETCH_ADD, 8));
    }
    assert_eq!(y.sent_rows(), [(0x14, 2000), (0x14, 2001)]);
    let again = y.sent_after(&[atomic_ack(2001, 7)]);
    assert_eq!(again, [(0x14, 2000), (0x14, 2001)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.buffer(RESULT, 8), [UNTOUCHED; 8]);
    let both = [atomic_ack(2000, 5), atomic_ack(2001, 7)];
    assert_eq!(with(y, &both), [(1, SUCCESS, 8), (2, SUCCESS, 8)]);
    assert_eq!(y.buffer(RESULT, 8), 7_u64.to_le_bytes());
}

/// SGEs of 255, 3, 0 and 342 bytes.
fn cf174_read_data_lands_at_the_offset_of_its_psn(y: &mut Bench) {
    y.connect_with(|_| {});
    let sge = |offset, length| Sge {
        addr: BUFFER + offset,
        length,
        l_key: L_KEY,
    };
    let sges = vec![sge(1001, 255), sge(9, 3), sge(0, 0), sge(302, 342)];
    y.post(SendRequest {
        sges,
        ..work(1, READ, 0)
    });
    assert_eq!(y.sent_rows(), [(0x0C, 2000)]);
    let sent: Vec<u8> = (0..600).map(source_byte).collect();
    assert_eq!(with(y, &[data(0x0D, 2000, &sent[..256])]), []);
    assert_eq!(y.buffer(1001, 255), sent[..255]);
    assert_eq!(y.buffer(8, 3), [UNTOUCHED, sent[255], UNTOUCHED]);
    let rest = [data(0x0E, 2001, &sent[256..512]), data(0x0F, 2002, &sent[512..])];
    assert_eq!(with(y, &rest), [(1, SUCCESS, 600)]);
    let placed = [y.buffer(1001, 255), y.buffer(9, 3), y.buffer(302, 342)].concat();
    assert_eq!(placed, sent);
    let around = [y.buffer(1000, 1), y.buffer(1256, 1), y.buffer(12, 290)].concat();
    assert_eq!(around, [UNTOUCHED; 292]);
}

/// FB05: VA, length and PSN are those of what is missing.
fn cf175_a_missing_read_response_has_the_remainder_read(y: &mut Bench) {
    around_a_read(y);
    let lost = [data(0x0D, 2001, &[1; 256]), data(0x0F, 2003, &[9; 88])];
    for packet in lost {
        y.receive(&[packet.encode().unwrap()]);
    }
    let again = y.sent();
    let rows: Vec<_> = again.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect();
    assert_eq!(rows, [(0x0C, 2002), (0x04, 2004)]);
    let remainder = Reth {
        va: TARGET + 256,
        r_key: crate::bench::requester::R_KEY,
        dma_len: 344,
    };
    assert_eq!(again[0].reth(), Some(remainder));
    assert_eq!(y.completions(), [(1, SUCCESS, 0)]);
    assert_eq!(
        y.buffer(256, 344),
        [UNTOUCHED; 344],
        "nothing out of order is placed"
    );
    // The rest is answered as a Read of its own.
    let rest = [data(0x0D, 2002, &[2; 256]), data(0x0F, 2003, &[3; 88])];
    assert_eq!(with(y, &rest), [(2, SUCCESS, 600)]);
    let placed = [vec![1; 256], vec![2; 256], vec![3; 88]].concat();
    assert_eq!(y.buffer(0, 600), placed);
    assert_eq!(with(y, &[ack(2004)]), [(3, SUCCESS, 0)]);
}

/// Host memory is little-endian.
fn cf176_the_result_of_an_atomic_goes_to_the_sge(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, FETCH_ADD, 8));
    assert_eq!(y.sent_rows(), [(0x14, 2000)]);
    y.receive(&[atomic_ack(2000, 0x0102_0304_0506_0708).encode().unwrap()]);
    let completions = y.taken();
    let of: Vec<_> = completions
        .iter()
        .map(|c| (c.wr_id, c.operation, c.byte_count))
        .collect();
    assert_eq!(of, [(1, CompletedOperation::FetchAdd, 8)]);
    let around = [UNTOUCHED, 8, 7, 6, 5, 4, 3, 2, 1, UNTOUCHED];
    assert_eq!(y.buffer(RESULT - 1, 10), around);
}

/// FB36: the middle of a message is sent again as its middle; earlier packets count as acknowledged.
fn cf177_nak_60h_resends_from_its_psn(y: &mut Bench) {
    three_sends(y, |_| {});
    let again = y.sent_after(&[nak(2001, 0x60)]);
    assert_eq!(again, [(0x02, 2001), (0x04, 2002), (0x04, 2003)]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.sent_after(&[nak(2003, 0x60)]), [(0x04, 2003)]);
    assert_eq!(y.completions(), [(1, SUCCESS, 0), (2, SUCCESS, 0)]);
    assert_eq!(with(y, &[ack(2003)]), [(3, SUCCESS, 0)]);
}

/// The same NAK again uses no second retry: here the first one took the last.
fn a_repeated_sequence_nak_starts_no_second_retry(y: &mut Bench) {
    three_sends(y, |a| a.retry_cnt = 1);
    let again = [(0x02, 2001), (0x04, 2002), (0x04, 2003)];
    assert_eq!(y.sent_after(&[nak(2001, 0x60)]), again);
    assert_eq!(with(y, &[nak(2001, 0x60)]), []);
    assert_eq!(y.state(), QpState::Rts);
}

fn cf183_reserved_syndromes_are_discarded(y: &mut Bench) {
    three_sends(y, |_| {});
    for syndrome in [0x40, 0x5F, 0x64, 0x65, 0x7F, 0x80, 0x9F, 0xFF] {
        y.receive(&[response(2001, syndrome, 0)]);
        assert_eq!(y.drops(), [(DropReason::ReservedSyndrome, 1)], "{syndrome:02X}h");
    }
    assert_eq!(y.completions(), []);
    let all = [(1, SUCCESS, 0), (2, SUCCESS, 0), (3, SUCCESS, 0)];
    assert_eq!(with(y, &[ack(2003)]), all);
}

/// FB10, FB28. To the last byte: opcode, PSN, payload and what the headers say. SGEs of 100, 300 and 301 bytes end
/// within packets.
fn cf191_retransmitted_packets_are_identical(y: &mut Bench) {
    y.connect_with(|_| {});
    let sge = |offset, length| Sge {
        addr: SOURCE + offset,
        length,
        l_key: L_KEY,
    };
    y.post(SendRequest {
        sges: vec![sge(0, 100), sge(500, 300), sge(1000, 301)],
        ..work(1, SEND, 0)
    });
    y.post(SendRequest {
        sges: vec![sge(1, 200), sge(700, 100)],
        ..work(2, WRITE, 0)
    });
    y.post(work(3, READ, 300));
    y.post(work(4, FETCH_ADD, 8));
    let first = y.sent();
    let rows: Vec<_> = first.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect();
    let expected = [
        (0x00, 2000),
        (0x01, 2001),
        (0x02, 2002),
        (0x06, 2003),
        (0x08, 2004),
        (0x0C, 2005),
        (0x14, 2007),
    ];
    assert_eq!(rows, expected);
    // `requester.md` section 7: AckReq may differ.
    let but_for_ack_req = |packets: &[Packet]| {
        let mut packets = packets.to_vec();
        packets.iter_mut().for_each(|p| p.bth.a = false);
        packets
    };
    for (n, psn) in [(0, 2000), (2, 2002)] {
        y.receive(&[response(psn, 0x60, 0)]);
        assert_eq!(but_for_ack_req(&y.sent()), but_for_ack_req(&first[n..]));
    }
}

fn cf192_cqes_appear_in_post_order(y: &mut Bench) {
    around_a_read(y);
    y.post(work(4, FETCH_ADD, 8));
    assert_eq!(y.sent_rows(), [(0x14, 2005)]);
    let packets = [
        data(0x0D, 2001, &[1; 256]),
        data(0x0E, 2002, &[1; 256]),
        data(0x0F, 2003, &[1; 88]),
        atomic_ack(2005, 0),
    ];
    let expected = [
        (1, SUCCESS, 0),
        (2, SUCCESS, 600),
        (3, SUCCESS, 0),
        (4, SUCCESS, 8),
    ];
    assert_eq!(with(y, &packets), expected);
}

fn cf193_an_unsignaled_success_makes_no_cqe_an_error_does(y: &mut Bench) {
    y.connect_with(|_| {});
    for wr_id in 1..5 {
        y.post(SendRequest {
            signaled: wr_id == 2,
            ..work(wr_id, SEND, 1)
        });
    }
    assert_eq!(y.sent_rows().len(), 4);
    assert_eq!(with(y, &[ack(2000)]), []);
    assert_eq!(with(y, &[ack(2001)]), [(2, SUCCESS, 0)]);
    assert_eq!(
        with(y, &[nak(2002, 0x61)]),
        [(3, Status::RemInvReqErr, 0), (4, Status::WrFlushErr, 0)]
    );
}
