//! Receiver not ready, on either side (CF106 to CF116). Y's timer code is 12, 640 us.
use super::case::*;
use super::pair::*;
use hca_golden::event::{Event, RewindCause};
use hca_golden::hca::{Hca, Rule};
use hca_golden::verbs::*;

#[test]
fn cf106_a_send_without_a_receive_wqe_gets_an_rnr_nak() {
    for (opcode, length) in [(0x00, 256), (0x04, 3), (0x05, 3), (0x17, 3)] {
        let mut y = responder(0);
        let packet = request(opcode, 100, &vec![1; length]);
        assert_eq!(replies(&mut y, &[packet]), [nak(100, 0x2C, 0)], "{opcode:02X}h");
        assert_eq!(state(&y), QpState::Rts);
    }
}

#[test]
fn cf107_an_rnr_nak_leaves_everything_as_it_is() {
    let mut y = responder(0);
    replies(&mut y, &[request(0x04, 100, &[1; 8])]);
    assert_eq!((epsn_msn(&y), completions(&mut y)), ((100, 0), vec![]));
    y.post_receive(Y_QPN, receive(1, &[sge(BUFFER_AT, 8)])).unwrap();
    assert_eq!(y.memory().read(BUFFER_AT, 8), [0; 8]);
    assert_eq!(replies(&mut y, &[request(0x04, 100, &[2; 8])]), [ack(100, 1)]);
}

#[test]
fn cf108_a_write_with_immediate_meets_the_empty_queue_at_its_immediate_packet() {
    let mut y = responder(0);
    let packets = [
        rdma(0x06, 100, TARGET, 300, &[1; 256]),
        request(0x09, 101, &[2; 44]),
    ];
    assert_eq!(replies(&mut y, &packets), [ack(100, 0), nak(101, 0x2C, 0)]);
    assert_eq!(y.memory().read(TARGET + 256, 44), message(300)[256..]);
    let only = rdma(0x0B, 100, TARGET, 4, &[1; 4]);
    assert_eq!(replies(&mut responder(0), &[only]), [nak(100, 0x2C, 0)]);
}

#[test]
fn cf109_write_first_needs_no_receive_wqe() {
    let first = rdma(0x06, 100, TARGET, 300, &[1; 256]);
    assert_eq!(replies(&mut responder(0), &[first]), [ack(100, 0)]);
}

#[test]
fn cf110_an_rnr_nak_carries_the_timer_code_of_the_qp() {
    for code in [0, 1, 31] {
        let attributes = QpAttributes {
            min_rnr_timer: code,
            ..responder_attributes()
        };
        let mut y = responder_with(&attributes, 0);
        let answers = replies(&mut y, &[request(0x04, 100, &[])]);
        assert_eq!(answers, [nak(100, 0x20 | code, 0)]);
    }
}

#[test]
fn cf111_after_a_receive_wqe_is_posted_the_retry_succeeds() {
    let mut y = responder(0);
    let packet = request(0x04, 100, &[6; 16]);
    replies(&mut y, [&packet]);
    y.post_receive(Y_QPN, receive(88, &[sge(BUFFER_AT, 16)])).unwrap();
    assert_eq!(replies(&mut y, &[packet]), [ack(100, 1)]);
    assert_eq!(completions(&mut y), [(88, Status::Success, 16)]);
}

/// X with two Sends at PSN 10 to 12 that were sent.
fn waiting(rnr_retry: u8) -> Hca {
    let mut x = requester_with(|a| a.rnr_retry = rnr_retry);
    post(&mut x, 1, SEND, 257);
    post(&mut x, 2, SEND, 1);
    assert_eq!(sent(&mut x), [(0x00, 10), (0x02, 11), (0x04, 12)]);
    x
}

fn rewound(psn: u32) -> Event {
    Event::Rewound {
        qpn: X_QPN,
        psn,
        cause: RewindCause::RnrWaitOver,
    }
}

/// FB07, FB32: neither the ack timer nor another scale cuts it short.
#[test]
fn cf112_the_requester_waits_for_the_coded_delay() {
    for (code, microseconds) in [(1, 10), (12, 640), (25, 61_440), (0, 655_360)] {
        let mut x = waiting(7);
        assert_eq!(sent_after(&mut x, &[response(10, 0x20 | code, 0)]), []);
        let over = microseconds * MICROSECOND;
        assert_eq!(x.deadline(), Some(over));
        x.advance_to(over - 1);
        assert_eq!(sent(&mut x), []);
        assert_eq!(x.apply(&rewound(10)).unwrap_err().rule, Rule::RnrWait);
        let expired = Event::AckTimerExpired { qpn: X_QPN, psn: 10 };
        assert_eq!(x.apply(&expired).unwrap_err().rule, Rule::AckTimer);
        x.advance_to(over);
        assert_eq!(sent(&mut x), [(0x00, 10), (0x02, 11), (0x04, 12)]);
    }
}

/// All before it counts as acknowledged.
#[test]
fn cf113_the_resend_starts_at_the_psn_of_the_rnr_nak() {
    let mut x = waiting(7);
    replies(&mut x, &[response(12, 0x21, 1)]);
    assert_eq!(statuses(&mut x), [(1, Status::Success)]);
    x.advance_to(10 * MICROSECOND);
    assert_eq!(sent(&mut x), [(0x04, 12)]);
}

/// The `n`th RNR NAK for PSN 10, and what goes out after its wait.
fn again(x: &mut Hca, n: u64) -> Vec<(u8, u32)> {
    replies(x, &[response(10, 0x21, 0)]);
    x.advance_to(n * 10 * MICROSECOND);
    sent(x)
}

#[test]
fn cf114_rnr_retry_n_gives_up_after_n_resends() {
    for rnr_retry in [0, 1, 6] {
        let mut x = waiting(rnr_retry);
        for n in 0..rnr_retry {
            assert_eq!(again(&mut x, u64::from(n) + 1).len(), 3);
        }
        assert_eq!(again(&mut x, 100), []);
        let expected = [(1, Status::RnrRetryExcErr), (2, Status::WrFlushErr)];
        assert_eq!(statuses(&mut x), expected);
        assert_eq!(state(&x), QpState::Error);
    }
}

/// FB08: whatever the other counter says.
#[test]
fn cf115_rnr_retry_7_never_gives_up() {
    let mut x = requester_with(|a| (a.rnr_retry, a.retry_cnt) = (7, 0));
    post(&mut x, 1, SEND, 1);
    sent(&mut x);
    for n in 1..100 {
        assert_eq!(again(&mut x, n), [(0x04, 10)], "{n}");
    }
}

#[test]
fn cf116_a_positive_ack_reloads_the_rnr_counter() {
    let mut x = waiting(1);
    assert_eq!(again(&mut x, 1).len(), 3);
    replies(&mut x, &[response(10, 0x1F, 0), response(11, 0x21, 0)]);
    x.advance_to(20 * MICROSECOND);
    assert_eq!(sent(&mut x), [(0x02, 11), (0x04, 12)]);
    replies(&mut x, &[response(11, 0x21, 0)]);
    assert_eq!(statuses(&mut x)[0], (1, Status::RnrRetryExcErr));
}

/// FB09: an RNR NAK while packets are sent again.
#[test]
fn an_rnr_nak_during_a_retry_is_waited_for() {
    let mut x = waiting(7);
    let packets = [response(10, 0x60, 0), response(10, 0x21, 0)];
    for packet in &packets {
        x.receive(&packet.encode().unwrap());
    }
    settle(&mut x);
    x.advance_to(10 * MICROSECOND);
    assert_eq!(sent(&mut x), [(0x00, 10), (0x02, 11), (0x04, 12)]);
    replies(&mut x, &[response(12, 0x1F, 2)]);
    assert_eq!(statuses(&mut x), [(1, Status::Success), (2, Status::Success)]);
}

/// A sequence NAK for packets behind the one that was refused does not cut the wait short.
#[test]
fn a_sequence_nak_during_an_rnr_wait_changes_nothing() {
    let mut x = waiting(7);
    replies(&mut x, &[response(10, 0x21, 0)]);
    assert_eq!(sent_after(&mut x, &[response(10, 0x60, 0)]), []);
    x.advance_to(10 * MICROSECOND);
    assert_eq!(sent(&mut x), [(0x00, 10), (0x02, 11), (0x04, 12)]);
}
