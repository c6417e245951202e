//! CF256 to CF263: one event for an arming, where a completion fits (`qp_cq.md` section 7).
use crate::bench::requester::{work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, request, response, Bench};
use hca_golden::verbs::{HostEvent, QpState, Status};
use hca_testbench::device::{Outcome, Reason, Verb};
use hca_testbench::scenario::connection::{RECEIVE_CQ, SEND_CQ};

on_both!(
    cf256_an_event_for_the_next_completion,
    cf257_cf258_solicited_receives,
    cf259_an_unsuccessful_receive_is_solicited,
    cf260_cf537_a_send_is_solicited_only_if_it_fails,
    cf261_no_event_where_none_was_asked_for,
    cf262_one_event_for_an_arming,
    cf263_the_event_names_its_queue,
    the_wider_arming_holds,
    what_stands_there_when_it_is_armed_brings_no_event,
    a_queue_that_is_not_there,
    fb26_a_completion_around_the_arming_is_not_missed,
);

fn event(cqn: u32) -> HostEvent {
    HostEvent::Completion { cqn }
}

/// A message of 8 bytes with this PSN, with SE or without, into a WQE of its own.
fn message(y: &mut Bench, psn: u32, solicited: bool) {
    y.post_receive(psn.into(), 0, 64);
    let mut packet = request(0x04, psn, &[1; 8]);
    packet.bth.se = solicited;
    y.receive(&[packet.encode().unwrap()]);
    assert_eq!(y.answers().len(), 1);
    assert_eq!(y.completions(), [(psn.into(), Status::Success, 8)]);
}

/// A signaled Send, answered.
fn send(y: &mut Bench, n: u32) {
    y.post(work(n.into(), SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000 + n)]);
    y.receive(&[response(2000 + n, 0x1F, n + 1)]);
    assert_eq!(y.completions(), [(n.into(), Status::Success, 0)]);
}

fn cf256_an_event_for_the_next_completion(y: &mut Bench) {
    y.connect_with(|_| {});
    for (psn, solicited) in [(100, false), (101, true)] {
        y.arm(RECEIVE_CQ, false);
        assert_eq!(y.told(), []);
        message(y, psn, solicited);
        assert_eq!(y.told(), [event(RECEIVE_CQ)]);
    }
    y.arm(SEND_CQ, false);
    send(y, 0);
    assert_eq!(y.told(), [event(SEND_CQ)]);
}

fn cf257_cf258_solicited_receives(y: &mut Bench) {
    y.connect_with(|_| {});
    y.arm(RECEIVE_CQ, true);
    for psn in 100..103 {
        message(y, psn, false);
        assert_eq!(y.told(), []);
    }
    message(y, 103, true);
    assert_eq!(y.told(), [event(RECEIVE_CQ)]);
}

fn cf259_an_unsuccessful_receive_is_solicited(y: &mut Bench) {
    y.connect_with(|_| {});
    y.arm(RECEIVE_CQ, true);
    y.post_receive(1, 0, 4);
    y.receive(&[crate::bench::packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x61, 0)]);
    assert_eq!(y.completions(), [(1, Status::LocLenErr, 0)]);
    assert!(y.told().contains(&event(RECEIVE_CQ)));
    y.renew(|_| {});
    y.arm(RECEIVE_CQ, true);
    y.post_receive(2, 0, 4);
    assert_eq!(y.attempt_move(QpState::Error), DONE);
    assert_eq!(y.told(), [event(RECEIVE_CQ)], "a flushed one is unsuccessful");
    assert_eq!(y.completions(), [(2, Status::WrFlushErr, 0)]);
}

/// A successful one; AD: one that fails is.
fn cf260_cf537_a_send_is_solicited_only_if_it_fails(y: &mut Bench) {
    y.connect_with(|_| {});
    y.arm(SEND_CQ, true);
    send(y, 0);
    assert_eq!(y.told(), []);
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2001)]);
    y.receive(&[response(2001, 0x63, 1)]);
    assert_eq!(y.completions(), [(1, Status::RemOpErr, 0)]);
    assert_eq!(y.told(), [event(SEND_CQ)]);
}

fn cf261_no_event_where_none_was_asked_for(y: &mut Bench) {
    y.connect_with(|_| {});
    y.arm(SEND_CQ, false);
    for psn in 100..104 {
        message(y, psn, true);
    }
    assert_eq!(y.told(), []);
}

fn cf262_one_event_for_an_arming(y: &mut Bench) {
    y.connect_with(|_| {});
    y.arm(RECEIVE_CQ, false);
    for n in 0..4 {
        y.submit_receive(n, 0, 64);
    }
    y.settle();
    for psn in 100..104 {
        y.arrive(crate::bench::packet(0x04, psn, &[1; 8]));
    }
    y.settle();
    y.answers();
    assert_eq!(y.completions().len(), 4);
    assert_eq!(y.told(), [event(RECEIVE_CQ)]);
    message(y, 104, true);
    assert_eq!(y.told(), []);
    y.arm(RECEIVE_CQ, false);
    message(y, 105, false);
    assert_eq!(y.told(), [event(RECEIVE_CQ)]);
}

/// The handler is one for the HCA: it learns which queue it is.
fn cf263_the_event_names_its_queue(y: &mut Bench) {
    y.connect_with(|_| {});
    y.arm(SEND_CQ, false);
    y.arm(RECEIVE_CQ, false);
    send(y, 0);
    assert_eq!(y.told(), [event(SEND_CQ)]);
    message(y, 100, false);
    assert_eq!(y.told(), [event(RECEIVE_CQ)]);
}

/// Either order; two armings are one.
fn the_wider_arming_holds(y: &mut Bench) {
    y.connect_with(|_| {});
    for (n, (first, second)) in [(true, false), (false, true)].into_iter().enumerate() {
        y.arm(RECEIVE_CQ, first);
        y.arm(RECEIVE_CQ, second);
        message(y, 100 + 2 * n as u32, false);
        assert_eq!(y.told(), [event(RECEIVE_CQ)]);
        message(y, 101 + 2 * n as u32, true);
        assert_eq!(y.told(), []);
    }
}

fn what_stands_there_when_it_is_armed_brings_no_event(y: &mut Bench) {
    y.connect_with(|_| {});
    message(y, 100, true);
    y.arm(RECEIVE_CQ, false);
    assert_eq!(y.told(), []);
    message(y, 101, false);
    assert_eq!(y.told(), [event(RECEIVE_CQ)]);
}

fn a_queue_that_is_not_there(y: &mut Bench) {
    y.connect_with(|_| {});
    let notify = Verb::RequestNotify {
        cqn: 9,
        solicited: true,
    };
    assert_eq!(y.attempt(notify), Err(Reason::NotFound));
    let made = y.attempt(Verb::CreateCq { cqn: 9, entries: 1 });
    assert_eq!(made, Ok(Outcome::Entries(1)));
    y.arm(9, true);
    assert_eq!(y.told(), []);
}

/// The message comes so many clock cycles before the arming: whatever the timing, software that polls after it has
/// armed finds the completion, or is told of it.
fn fb26_a_completion_around_the_arming_is_not_missed(y: &mut Bench) {
    y.connect_with(|_| {});
    for delay in 0..64 {
        let psn = 100 + delay;
        y.post_receive(psn.into(), 0, 64);
        y.arrive(crate::bench::packet(0x04, psn, &[1; 8]));
        y.run_cycles(u64::from(4 * delay));
        let notify = Verb::RequestNotify {
            cqn: RECEIVE_CQ,
            solicited: false,
        };
        y.poll_completions(false);
        assert_eq!(y.attempt(notify), DONE);
        // The last poll before software goes to sleep.
        y.poll_completions(true);
        y.run_cycles(64);
        let polled = y.completions();
        y.settle();
        let (later, told) = (y.completions(), y.told());
        assert_eq!(polled.len() + later.len(), 1, "delay {delay}");
        assert!(!polled.is_empty() || told == [event(RECEIVE_CQ)], "delay {delay}");
        assert_eq!(y.answers().len(), 1);
    }
}
