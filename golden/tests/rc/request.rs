//! Which requests may not leave (`requester.md` section 2 to 4), and what the model chooses by itself.
use super::case::*;
use super::pair::*;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Due, Hca, Rule};
use hca_golden::verbs::*;

/// Section 2: at least every so many packets, here 64.
#[test]
fn a_long_message_asks_for_acks_on_its_way() {
    let mut x = requester();
    post(&mut x, 1, SEND, 256 * 130);
    let asking: Vec<u32> = settle(&mut x)
        .0
        .iter()
        .filter(|p| p.bth.a)
        .map(|p| p.bth.psn)
        .collect();
    assert_eq!(asking, [10, 73, 137, 139]);
}

fn may_not_leave(x: &mut Hca, psn: u32, rule: Rule) {
    assert_eq!(refused(x, Event::RequestEmitted { qpn: X_QPN, psn }), rule);
}

#[test]
fn nothing_leaves_behind_a_fence() {
    let mut x = requester();
    post(&mut x, 1, READ, 300);
    let fenced = SendRequest {
        fence: true,
        ..work(2, SEND, 1)
    };
    x.post_send(X_QPN, fenced).unwrap();
    assert_eq!(sent(&mut x), [(0x0C, 10)]);
    may_not_leave(&mut x, 12, Rule::Fence);
}

#[test]
fn nothing_leaves_beyond_the_read_depth() {
    let mut x = requester_with(|a| a.max_rd_atomic = 2);
    for (wr_id, operation) in [(1, READ), (2, FETCH_ADD), (3, READ)] {
        post(&mut x, wr_id, operation, 8);
    }
    assert_eq!(sent(&mut x), [(0x0C, 10), (0x14, 11)]);
    may_not_leave(&mut x, 12, Rule::ReadDepth);
}

/// What is limited is refused by name, and an ack of a device that takes no credits is dropped as before.
#[test]
fn nothing_leaves_for_want_of_credits() {
    let mut x = requester_with(|a| a.credits.expected = true);
    post(&mut x, 1, SEND, 257);
    assert_eq!(sent(&mut x), [(0x00, 10)]);
    may_not_leave(&mut x, 11, Rule::Credits);
    let mut off = requester();
    post(&mut off, 1, SEND, 257);
    assert_eq!(sent(&mut off), [(0x00, 10), (0x02, 11)]);
    let ghost = response(9, 3, 0).encode().unwrap();
    assert_eq!(drop_reason(&mut off, &ghost), DropReason::DuplicateResponse);
}

/// CF285: MSN FFFFFEh and 4 credits make LSN 000002h, which a query returns.
#[test]
fn the_limit_wraps() {
    let mut x = requester_with(|a| a.credits.expected = true);
    assert_eq!(sent_after(&mut x, &[response(9, 4, 0xFF_FFFE)]), []);
    assert_eq!(x.query(X_QPN).unwrap().lsn, Some(2));
}

/// A device may leave the WQE until the Read before it is answered.
#[test]
fn a_blocked_wqe_is_not_due_before_it_is_taken() {
    let mut x = requester_with(|a| a.max_rd_atomic = 1);
    post(&mut x, 1, READ, 8);
    assert_eq!(sent(&mut x), [(0x0C, 10)]);
    post(&mut x, 2, READ, 8);
    let doorbell = x.choices()[0];
    x.apply(&doorbell).unwrap();
    let (qpn, side, index) = (X_QPN, QueueSide::Send, 1);
    assert_eq!(x.choices(), [Event::WqeFetched { qpn, side, index }]);
    assert!(x.idle());
    x.receive(1, &data(0x10, 10, &[1; 8]).encode().unwrap());
    for _ in 0..2 {
        let event = x.choices()[0];
        x.apply(&event).unwrap();
    }
    assert_eq!(x.due(), [Due::Request { qpn, psn: 11 }]);
}
