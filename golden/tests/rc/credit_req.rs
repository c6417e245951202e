//! Credits that a requester keeps to (`requester.md` section 4, `scenario_seed001.md` section 3, CF194 to CF208, CF285).
use super::case::*;
use super::pair::*;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Hca, Rule};
use hca_golden::verbs::*;

const WRITE_IMMEDIATE: SendOperation = SendOperation::WriteWithImmediate {
    va: TARGET,
    r_key: R_KEY,
    immediate: [1, 2, 3, 4],
};

/// X at PSN 10, PMTU 256, whose peer gives credits.
fn limited() -> Hca {
    requester_with(|a| a.credits.expected = true)
}

/// The same, told of `credits` by the initial ack.
fn told(code: u8, msn: u32) -> Hca {
    let mut x = limited();
    assert_eq!(sent_after(&mut x, &[response(9, code, msn)]), []);
    x
}

/// Posts so many signaled requests of so many bytes; packets go out later.
fn post_all(x: &mut Hca, operation: SendOperation, length: u32, count: u64) {
    for n in 0..count {
        post(x, n, operation, length);
    }
}

/// PSNs of what goes out by itself.
fn psns(x: &mut Hca) -> Vec<u32> {
    sent(x).iter().map(|(_, psn)| *psn).collect()
}

#[test]
fn cf194_cf274_lsn_is_msn_plus_credits() {
    let mut x = told(9, 0);
    post_all(&mut x, SEND, 0, 24);
    assert_eq!(psns(&mut x), Vec::from_iter(10..34));
    assert_eq!(sent_after(&mut x, &[response(33, 5, 0x18)]), []);
    assert_eq!(statuses(&mut x).len(), 24);
    // SSN 19h to 1Eh and the first packet of 1Fh.
    post_all(&mut x, SEND, 257, 8);
    assert_eq!(psns(&mut x), Vec::from_iter(34..47));
}

#[test]
fn cf195_cf198_the_first_wqe_has_ssn_1() {
    let mut x = told(1, 0);
    post_all(&mut x, SEND, 257, 2);
    let (packets, _) = settle(&mut x);
    let rows: Vec<_> = packets
        .iter()
        .map(|p| (p.bth.opcode, p.bth.psn, p.bth.a))
        .collect();
    assert_eq!(rows, [(0x00, 10, true), (0x02, 11, true), (0x00, 12, true)]);
}

/// Messages 27 and 29 of the figure take no receive WQE: 18h + 6 + 2.
#[test]
fn cf196_cf274_what_takes_no_wqe_adds_one() {
    let mut x = told(9, 0);
    post_all(&mut x, SEND, 0, 24);
    sent(&mut x);
    sent_after(&mut x, &[response(33, 5, 0x18)]);
    let operations = [SEND, SEND, WRITE, SEND, FETCH_ADD, SEND, SEND, SEND];
    for operation in operations {
        post(&mut x, 1, operation, 8);
    }
    post(&mut x, 1, SEND, 257);
    // Eight whole, and the first packet of SSN 21h.
    assert_eq!(psns(&mut x), Vec::from_iter(34..43));
}

/// SSN 1 and 3 are Writes, 2 and 4 Sends. An ack of PSN 11 has counted the first Write, not the second: LSN is
/// 2 + 1 + 1, so that SSN 4 may go whole and 5 may not.
#[test]
fn cf196_an_ack_that_counts_some_of_what_takes_no_wqe() {
    let mut x = told(1, 0);
    for operation in [WRITE, SEND, WRITE] {
        post(&mut x, 1, operation, 8);
    }
    assert_eq!(psns(&mut x), [10, 11, 12]);
    assert_eq!(sent_after(&mut x, &[response(11, 1, 2)]), []);
    post_all(&mut x, SEND, 257, 2);
    assert_eq!(psns(&mut x), [13, 14, 15]);
}

/// The same with an ack that has counted neither, and with one that has counted both.
#[test]
fn cf196_an_ack_that_counts_none_or_all_of_them() {
    for (acks, last) in [
        (response(10, 0, 1), 13),
        (response(12, 1, 3), 15),
        (response(11, 0, 2), 13),
    ] {
        let mut x = told(1, 0);
        for operation in [SEND, WRITE, WRITE] {
            post(&mut x, 1, operation, 8);
        }
        assert_eq!(psns(&mut x), [10, 11, 12]);
        sent_after(&mut x, &[acks]);
        post_all(&mut x, SEND, 257, 2);
        assert_eq!(psns(&mut x), Vec::from_iter(13..=last));
    }
}

#[test]
fn cf197_cf199_a_limited_send_stops_after_its_first_packet() {
    let mut x = limited();
    post(&mut x, 1, SEND, 600);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    assert_eq!(
        sent_after(&mut x, &[response(10, 1, 0)]),
        [(0x01, 11), (0x02, 12)]
    );
}

/// AD: whatever the ack of the first packet says, its WQE was there.
#[test]
fn cf199_the_ack_of_the_first_packet_is_enough() {
    let mut x = limited();
    post(&mut x, 1, SEND, 600);
    post(&mut x, 2, SEND, 257);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    // The next one is limited too.
    assert_eq!(
        sent_after(&mut x, &[response(10, 0, 0)]),
        [(0x01, 11), (0x02, 12), (0x00, 13)]
    );
}

/// CF204, CF205: credits come by themselves while its first packet waits for an answer.
#[test]
fn cf199_credits_without_an_answer_are_enough() {
    let mut x = limited();
    post(&mut x, 1, SEND, 600);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    assert_eq!(sent_after(&mut x, &[response(9, 1, 0)]), [(0x01, 11), (0x02, 12)]);
}

#[test]
fn cf200_a_limited_write_with_immediate_sends_all_and_stops() {
    let mut x = limited();
    post(&mut x, 1, WRITE_IMMEDIATE, 600);
    post(&mut x, 2, WRITE, 8);
    let (packets, _) = settle(&mut x);
    assert_eq!(rows(&packets), [(0x06, 10), (0x07, 11), (0x09, 12)]);
    assert!(packets[2].bth.a);
    assert_eq!(sent_after(&mut x, &[response(10, 0, 0)]), []);
    assert_eq!(sent_after(&mut x, &[response(12, 0, 1)]), [(0x0A, 13)]);
}

#[test]
fn cf201_reads_writes_and_atomics_need_no_credit() {
    let mut x = limited();
    for operation in [WRITE, READ, FETCH_ADD, WRITE] {
        post(&mut x, 1, operation, 8);
    }
    assert_eq!(psns(&mut x), [10, 11, 12, 13]);
}

#[test]
fn cf202_a_limited_wqe_blocks_all_behind_it() {
    for operation in [SEND, WRITE, READ, FETCH_ADD, WRITE_IMMEDIATE] {
        let mut x = limited();
        post(&mut x, 1, SEND, 0);
        post(&mut x, 2, operation, 8);
        assert_eq!(psns(&mut x), [10]);
        assert_eq!(sent_after(&mut x, &[response(10, 0, 1)]).len(), 1);
    }
}

/// The limit is as it was when the first packet is sent again, and what was sent before goes again whole.
#[test]
fn cf203_a_retransmission_ignores_credits() {
    let mut x = told(2, 0);
    post_all(&mut x, SEND, 257, 3);
    assert_eq!(psns(&mut x), [10, 11, 12, 13, 14]);
    let again = sent_after(&mut x, &[response(10, 0x60, 0)]);
    assert_eq!(
        again,
        [(0x00, 10), (0x02, 11), (0x00, 12), (0x02, 13), (0x00, 14)]
    );
}

#[test]
fn cf204_the_initial_ack_gives_credits_and_completes_nothing() {
    let mut x = told(2, 0);
    assert_eq!(statuses(&mut x), []);
    post_all(&mut x, SEND, 257, 2);
    assert_eq!(psns(&mut x), [10, 11, 12, 13]);
    assert_eq!(x.query(X_QPN).unwrap().unacknowledged_psn, 10);
}

/// PSN 10 is acknowledged; what repeats that tells more, and what repeats an earlier PSN nothing.
#[test]
fn cf205_an_unsolicited_ack_gives_credits() {
    let mut x = told(2, 0);
    post_all(&mut x, SEND, 0, 2);
    sent(&mut x);
    sent_after(&mut x, &[response(11, 0, 2)]);
    assert_eq!(statuses(&mut x).len(), 2);
    post(&mut x, 1, SEND, 600);
    assert_eq!(sent(&mut x), [(0x00, 12)]);
    let old = response(10, 8, 2).encode().unwrap();
    assert_eq!(drop_reason(&mut x, &old), DropReason::DuplicateResponse);
    assert_eq!(
        sent_after(&mut x, &[response(11, 1, 2)]),
        [(0x01, 13), (0x02, 14)]
    );
    assert_eq!(statuses(&mut x), []);
}

/// Only an Acknowledge packet is one: not a read response, not a NAK.
#[test]
fn cf205_what_else_repeats_the_latest_psn_gives_none() {
    let mut x = limited();
    post(&mut x, 1, SEND, 600);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    let mut data = response(9, 8, 0);
    data.bth.opcode = 0x10;
    for packet in [
        data,
        response(9, 0x28, 0),
        response(9, 0x60, 0),
        response(8, 8, 0),
    ] {
        assert_eq!(
            drop_reason(&mut x, &packet.encode().unwrap()),
            DropReason::DuplicateResponse
        );
    }
    assert_eq!(sent(&mut x), []);
}

#[test]
fn cf206_code_31_removes_limits_until_reset() {
    let mut x = limited();
    post_all(&mut x, SEND, 257, 2);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    let rest = [(0x02, 11), (0x00, 12), (0x02, 13)];
    assert_eq!(sent_after(&mut x, &[response(9, 0x1F, 0)]), rest);
    sent_after(&mut x, &[response(13, 0, 2)]);
    post_all(&mut x, SEND, 257, 1);
    assert_eq!(sent(&mut x), [(0x00, 14), (0x02, 15)]);
    let mut attributes = requester_attributes();
    attributes.credits.expected = true;
    for state in [QpState::Reset, QpState::Init, QpState::Rtr, QpState::Rts] {
        x.move_qp(&attributes, state).unwrap();
    }
    post_all(&mut x, SEND, 257, 1);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
}

#[test]
fn cf207_an_older_limit_never_replaces_a_newer_one() {
    let mut x = told(3, 0);
    let older = response(9, 2, 0).encode().unwrap();
    assert_eq!(drop_reason(&mut x, &older), DropReason::DuplicateResponse);
    post_all(&mut x, SEND, 257, 4);
    assert_eq!(psns(&mut x), Vec::from_iter(10..=16));
}

/// `aeth.md` section 5: the WQE is taken, and MSN not advanced.
#[test]
fn cf207_a_lower_limit_in_sequence_changes_nothing() {
    let mut x = told(3, 0);
    post_all(&mut x, SEND, 257, 1);
    assert_eq!(psns(&mut x), [10, 11]);
    sent_after(&mut x, &[response(10, 2, 0)]);
    post_all(&mut x, SEND, 257, 3);
    assert_eq!(psns(&mut x), Vec::from_iter(12..=16));
}

/// FFFFFEh + 4 = 000002h: SSN 1 and 2 are unlimited, 3 is not; a limit before the wrap is older.
#[test]
fn cf207_cf285_the_limit_wraps() {
    let mut x = told(4, 0xFF_FFFE);
    assert_eq!(x.query(X_QPN).unwrap().lsn, Some(2));
    sent_after(&mut x, &[response(9, 1, 0xFF_FFFE)]);
    post_all(&mut x, SEND, 257, 3);
    assert_eq!(psns(&mut x), [10, 11, 12, 13, 14]);
}

#[test]
fn a_peer_that_never_gives_credits_moves_one_message_at_a_time() {
    let mut x = limited();
    post_all(&mut x, SEND, 257, 3);
    for (n, first) in (1..).zip([10, 12, 14]) {
        assert_eq!(sent(&mut x).len(), if n == 1 { 1 } else { 0 });
        let rest = sent_after(&mut x, &[response(first, 0, n - 1)]);
        assert_eq!(rest[0], (0x02, first + 1));
        assert_eq!(rest.len(), if n < 3 { 2 } else { 1 });
        sent_after(&mut x, &[response(first + 1, 0, n)]);
    }
    assert_eq!(statuses(&mut x).len(), 3);
}

/// What is limited is refused by name, and an ack of a device that takes no credits is dropped as before.
#[test]
fn a_device_that_ignores_limits_is_seen() {
    let mut x = limited();
    post(&mut x, 1, SEND, 257);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    let (qpn, psn) = (X_QPN, 11);
    let rest = Event::RequestEmitted { qpn, psn };
    assert_eq!(x.apply(&rest).unwrap_err().rule, Rule::Credits);
    let mut off = requester();
    post(&mut off, 1, SEND, 257);
    assert_eq!(sent(&mut off), [(0x00, 10), (0x02, 11)]);
    let ghost = response(9, 3, 0).encode().unwrap();
    assert_eq!(drop_reason(&mut off, &ghost), DropReason::DuplicateResponse);
}

/// CF238: SSN starts at 1 and LSN at 0 again.
#[test]
fn cf238_reset_restarts_ssn_and_lsn() {
    let mut x = told(3, 0);
    post_all(&mut x, SEND, 257, 3);
    assert_eq!(psns(&mut x).len(), 6);
    let mut attributes = requester_attributes();
    attributes.credits.expected = true;
    for state in [QpState::Reset, QpState::Init, QpState::Rtr, QpState::Rts] {
        x.move_qp(&attributes, state).unwrap();
    }
    post_all(&mut x, SEND, 257, 2);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    assert_eq!(sent_after(&mut x, &[response(9, 1, 0)]), [(0x02, 11), (0x00, 12)]);
}

/// What an unsolicited ack repeats may have been lost: it is asked for again (CF152, `requester.md` section 6).
#[test]
fn cf173_an_unsolicited_ack_behind_lost_responses_has_them_retried() {
    for (operation, length, last) in [(READ, 600, 12), (READ, 8, 10), (FETCH_ADD, 8, 10)] {
        for expected in [false, true] {
            let mut x = requester_with(|a| a.credits.expected = expected);
            post(&mut x, 1, operation, length);
            let request = sent(&mut x);
            assert_eq!(sent_after(&mut x, &[response(last, 3, 1)]), request);
            assert_eq!(statuses(&mut x), []);
        }
    }
}
