//! CF255: a completion queue without room (`qp_cq.md` section 6).
use crate::bench::neighbour::{Neighbour, NEIGHBOUR};
use crate::bench::requester::{all_rights, work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, packet, response, Bench, QPN};
use hca_golden::verbs::{HostEvent, QpAttributes, QpState, Status};
use hca_testbench::device::{Outcome, Reason, Verb};

on_both!(
    cf255_the_completion_is_lost_and_the_queue_fails,
    cf255_every_queue_pair_that_uses_it_goes_to_error,
    cf255_under_load,
    a_queue_that_is_polled_in_time_never_fails,
);

/// The queue that overflows.
const SMALL: u32 = 3;
/// A CQ that nobody made.
const NONE: u32 = 9;
const CQ_ERROR: HostEvent = HostEvent::CqError { cqn: SMALL };

/// Y's QP, its receive queue's CQ one of 4 entries; software does not poll.
fn with_small_queue(y: &mut Bench) {
    let (cqn, entries) = (SMALL, 4);
    assert_eq!(
        y.attempt(Verb::CreateCq { cqn, entries }),
        Ok(Outcome::Entries(entries))
    );
    y.connect_with(|a| a.receive_cq = SMALL);
    y.poll_completions(false);
}

fn messages(y: &mut Bench, first: u32, count: u32) {
    for psn in first..first + count {
        y.post_receive(psn.into(), 0, 64);
        y.receive(&[packet(0x04, psn, &[1; 8])]);
    }
}

fn cf255_the_completion_is_lost_and_the_queue_fails(y: &mut Bench) {
    with_small_queue(y);
    messages(y, 100, 4);
    assert_eq!(y.answers().len(), 4);
    assert_eq!(
        (y.query_cq(SMALL), y.told()),
        ((4, false), vec![]),
        "full, and no more"
    );
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    messages(y, 104, 1);
    y.settle();
    y.answers();
    assert_eq!(y.told(), [CQ_ERROR]);
    assert_eq!(y.query_cq(SMALL), (4, true));
    assert_eq!(y.query().0, QpState::Error);
    let notify = Verb::RequestNotify {
        cqn: SMALL,
        solicited: false,
    };
    assert_eq!(y.attempt(notify), Err(Reason::CqFailed));
    let resize = Verb::ResizeCq {
        cqn: SMALL,
        entries: 64,
    };
    assert_eq!(y.attempt(resize), Err(Reason::CqFailed));
    y.poll_completions(true);
    y.settle();
    let (sends, receives): (Vec<_>, Vec<_>) = y.completions().into_iter().partition(|c| c.0 == 1);
    assert_eq!(
        sends,
        [(1, Status::WrFlushErr, 0)],
        "its send queue's CQ is sound"
    );
    let before: Vec<u64> = receives.iter().map(|c| c.0).collect();
    assert_eq!(before, [100, 101, 102, 103], "those that stood there");
}

/// One of two QPs that share the CQ overflows it; a third QP goes on.
fn cf255_every_queue_pair_that_uses_it_goes_to_error(y: &mut Bench) {
    with_small_queue(y);
    y.poll_completions(true);
    let mut neighbour = Neighbour::connected(y);
    let other = QpAttributes {
        qpn: 0x0E0E,
        send_cq: SMALL,
        ..all_rights()
    };
    y.create_another(&other);
    y.enter_rts();
    let early = QpAttributes { qpn: 0x0E0D, ..other };
    y.create_another(&early);
    y.turn_to(early.qpn);
    assert_eq!(y.attempt_move(QpState::Init), DONE);
    y.turn_to(QPN);
    y.poll_completions(false);
    messages(y, 100, 5);
    y.settle();
    y.answers();
    assert_eq!(y.told(), [CQ_ERROR]);
    for qpn in [QPN, 0x0E0E, 0x0E0D] {
        y.turn_to(qpn);
        assert_eq!(y.query().0, QpState::Error, "{qpn:06X}h");
    }
    y.turn_to(NEIGHBOUR);
    assert_eq!(y.query().0, QpState::Rts);
    y.turn_to(QPN);
    let make = |receive_cq| Verb::CreateQp {
        attributes: QpAttributes {
            qpn: 0x0E07,
            send_cq: SMALL,
            receive_cq,
            ..all_rights()
        },
        send_entries: 16,
        receive_entries: 16,
    };
    assert_eq!(y.attempt(make(SMALL)), Err(Reason::CqFailed));
    // A missing CQ is refused before a failed one, whichever of the two CQs it is.
    assert_eq!(y.attempt(make(NONE)), Err(Reason::NotFound));
    y.poll_completions(true);
    y.settle();
    assert_eq!(y.completions().len(), 4);
    neighbour.exchange(y);
    for qpn in [QPN, 0x0E0E, 0x0E0D] {
        assert_eq!(y.attempt(Verb::DestroyQp { qpn }), DONE);
    }
    let (cqn, entries) = (SMALL, 4);
    assert_eq!(y.attempt(Verb::DestroyCq { cqn }), DONE);
    assert_eq!(
        y.attempt(Verb::CreateCq { cqn, entries }),
        Ok(Outcome::Entries(entries))
    );
    assert_eq!(y.query_cq(SMALL), (4, false), "a new life");
}

/// Back to back; what is executed is acknowledged, whatever becomes of its completion.
fn cf255_under_load(y: &mut Bench) {
    with_small_queue(y);
    for n in 0..12 {
        y.submit_receive(n, 0, 64);
    }
    y.settle();
    for psn in 100..112 {
        y.arrive(packet(0x04, psn, &[1; 8]));
    }
    y.settle();
    y.answers();
    assert_eq!(y.told(), [CQ_ERROR], "one event");
    y.poll_completions(true);
    y.settle();
    let ids: Vec<u64> = y.completions().iter().map(|c| c.0).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    assert_eq!(y.query().0, QpState::Error);
}

/// 40 completions through 4 entries.
fn a_queue_that_is_polled_in_time_never_fails(y: &mut Bench) {
    with_small_queue(y);
    y.poll_completions(true);
    for psn in 100..140 {
        messages(y, psn, 1);
        assert_eq!(y.answers().len(), 1);
        assert_eq!(y.completions(), [(psn.into(), Status::Success, 8)]);
    }
    assert_eq!((y.query_cq(SMALL), y.told()), ((4, false), vec![]));
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.drops().len(), 1, "nothing was sent");
}
