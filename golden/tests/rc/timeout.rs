//! Timeouts and what is sent again (`requester.md` section 7, CF186 to CF191).
use super::case::*;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Hca, Rule};
use hca_golden::verbs::*;

/// T of code 1, picoseconds.
const T: u64 = 8_192_000;

/// Timeout code 1; the last request was sent at 0.
fn timed() -> Hca {
    three_sends(|a| a.timeout = 1)
}

#[test]
fn cf186_a_timeout_resends_from_the_oldest_unacked_psn() {
    let mut x = timed();
    replies(&mut x, &[response(10, 0x1F, 0)]);
    x.advance_to(T);
    assert_eq!(sent(&mut x), [(0x02, 11), (0x04, 12), (0x04, 13)]);
}

#[test]
fn cf187_a_timeout_comes_between_t_and_4_t() {
    let expired = Event::AckTimerExpired { qpn: X_QPN, psn: 10 };
    for (at, permitted) in [
        (0, false),
        (T - 1, false),
        (T, true),
        (4 * T, true),
        (4 * T + 1, false),
    ] {
        let mut x = timed();
        x.advance_to(at);
        let rule = x.apply(&expired).err().map(|v| v.rule);
        assert_eq!(rule, (!permitted).then_some(Rule::AckTimer), "{at}");
    }
    // Progress starts it anew.
    let mut x = timed();
    x.advance_to(T - 1);
    replies(&mut x, &[response(10, 0x1F, 0)]);
    assert_eq!(x.deadline(), Some(2 * T - 1));
}

/// FB29.
#[test]
fn the_timer_stops_when_all_is_answered() {
    let mut x = timed();
    replies(&mut x, &[response(13, 0x1F, 3)]);
    assert_eq!(x.deadline(), None);
    x.advance_to(2 * T);
    let expired = Event::AckTimerExpired { qpn: X_QPN, psn: 14 };
    assert_eq!(x.apply(&expired).unwrap_err().rule, Rule::AckTimer);
}

#[test]
fn cf188_timeout_code_0_disables_the_timer() {
    let mut x = three_sends(|a| a.timeout = 0);
    x.advance_to(u64::MAX / 2);
    assert_eq!((x.deadline(), sent(&mut x)), (None, vec![]));
    let expired = Event::AckTimerExpired { qpn: X_QPN, psn: 10 };
    assert_eq!(x.apply(&expired).unwrap_err().rule, Rule::AckTimer);
}

#[test]
fn cf189_retry_cnt_n_gives_up_after_n_resends() {
    for retry_cnt in [0, 1, 7] {
        let mut x = three_sends(|a| (a.timeout, a.retry_cnt) = (1, retry_cnt));
        for n in 0..u64::from(retry_cnt) {
            x.advance_to((n + 1) * T);
            assert_eq!(sent(&mut x).len(), 4, "resend {n}");
        }
        x.advance_to(x.deadline().unwrap());
        assert_eq!(sent(&mut x), []);
        let flushed = [2, 3].map(|id| (id, Status::WrFlushErr));
        assert_eq!(
            statuses(&mut x),
            [&[(1, Status::RetryExcErr)], &flushed[..]].concat()
        );
    }
}

#[test]
fn cf190_progress_reloads_the_retry_counter() {
    let mut x = three_sends(|a| (a.timeout, a.retry_cnt) = (1, 1));
    for (n, psn) in (1..).zip(10..13) {
        x.advance_to(n * T);
        assert_eq!(sent(&mut x)[0].1, psn);
        replies(&mut x, &[response(psn, 0x1F, 0)]);
    }
    assert_eq!(state(&x), QpState::Rts);
    for n in [4, 5] {
        x.advance_to(n * T);
        settle(&mut x);
    }
    assert_eq!(state(&x), QpState::Error);
}

/// FB10, FB28: with SGEs that end within packets.
#[test]
fn cf191_retransmitted_packets_are_identical() {
    let mut x = requester();
    let sges = [
        sge(MESSAGE_AT, 100),
        sge(MESSAGE_AT + 500, 300),
        sge(MESSAGE_AT + 1000, 301),
    ];
    for operation in [SEND, WRITE, FETCH_ADD] {
        let request = match operation.is_atomic() {
            true => work(1, operation, 8),
            false => SendRequest {
                operation,
                ..send(1, &sges)
            },
        };
        x.post_send(X_QPN, request).unwrap();
    }
    let first = settle(&mut x).0;
    assert_eq!(first.len(), 7);
    let again = answered(&mut x, &[response(10, 0x60, 0)]);
    assert_eq!(again, first);
    let again = answered(&mut x, &[response(12, 0x60, 0)]);
    assert_eq!(again, first[2..]);
}
