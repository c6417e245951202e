//! When a device may report that the ack timer has expired, or that the wait after an RNR NAK is over (`requester.md`
//! section 7).
use super::case::*;
use super::pair::*;
use hca_golden::event::{Event, RewindCause};
use hca_golden::hca::{Hca, Rule};

/// T of code 1, picoseconds.
const T: u64 = 8_192_000;

/// Timeout code 1; the last request was sent at 0.
fn timed() -> Hca {
    three_sends(|a| a.timeout = 1)
}

#[test]
fn a_timeout_comes_between_t_and_4_t() {
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
fn no_timeout_comes_with_code_0() {
    let mut x = three_sends(|a| a.timeout = 0);
    x.advance_to(u64::MAX / 2);
    assert_eq!((x.deadline(), sent(&mut x)), (None, vec![]));
    let expired = Event::AckTimerExpired { qpn: X_QPN, psn: 10 };
    assert_eq!(x.apply(&expired).unwrap_err().rule, Rule::AckTimer);
}

/// X with two Sends at PSN 10 to 12 that were sent.
fn waiting() -> Hca {
    let mut x = requester();
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
fn the_wait_of_each_scale() {
    for (code, microseconds) in [(1, 10), (12, 640), (25, 61_440), (0, 655_360)] {
        let mut x = waiting();
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
