//! CF237, CF239 to CF241, and what software is told of a QP: what becomes of work by state (`qp_cq.md` section 1 and
//! 8).
use crate::bench::peer::with_reth;
use crate::bench::requester::{work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, packet, request, response, Bench, QPN};
use hca_golden::event::DropReason;
use hca_golden::modification::QpChanges;
use hca_golden::verbs::{AsyncEvent, HostEvent, QpState, QueueSide, Status};
use hca_testbench::device::Verb;

on_both!(
    cf237_a_receive_in_init_waits,
    cf239_sqd_finishes_what_has_started,
    cf239_sqd_to_sqd_leaves_the_event_to_come,
    cf239_no_event_where_none_was_asked_for,
    cf240_error_flushes_both_queues_in_order,
    cf241_work_for_a_queue_pair_in_error_is_flushed,
    cf105_the_first_request_establishes_the_communication,
    an_access_error_is_reported,
    a_doorbell_that_lies_ends_its_queue_pair,
    fb31_nothing_survives_destroy_and_create,
);

fn qp(event: fn(u32) -> AsyncEvent) -> HostEvent {
    HostEvent::Qp(event(QPN))
}

fn cf237_a_receive_in_init_waits(y: &mut Bench) {
    y.create(&crate::bench::requester::all_rights());
    y.modify(QpState::Init);
    y.post_receive(1, 0, 64);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [], "Init drops requests");
    assert_eq!(y.completions(), []);
    y.modify(QpState::Rtr);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 8)]);
}

/// The first message is under way, and is sent again where it must be; the second waits until RTS.
fn cf239_sqd_finishes_what_has_started(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, SEND, 300));
    assert_eq!(y.sent_rows(), [(0x00, 2000), (0x02, 2001)]);
    let asked = QpChanges {
        drained_event: true,
        ..QpChanges::default()
    };
    assert_eq!(y.attempt_set(QpState::Sqd, &asked), DONE);
    y.post(work(2, SEND, 8));
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.told(), [], "the first is not complete");
    y.receive(&[response(2001, 0x60, 0)]);
    assert_eq!(y.sent_rows(), [(0x02, 2001)]);
    assert_eq!(y.told(), []);
    y.receive(&[response(2001, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    assert_eq!(y.told(), [qp(|qpn| AsyncEvent::SendQueueDrained { qpn })]);
    assert_eq!(y.attempt_move(QpState::Rts), DONE);
    assert_eq!(y.sent_rows(), [(0x04, 2002)]);
    assert_eq!(y.told(), []);
}

/// The notification belongs to the transition from RTS.
fn cf239_sqd_to_sqd_leaves_the_event_to_come(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post(work(1, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    let asked = QpChanges {
        drained_event: true,
        ..QpChanges::default()
    };
    assert_eq!(y.attempt_set(QpState::Sqd, &asked), DONE);
    assert_eq!(y.attempt_move(QpState::Sqd), DONE);
    assert_eq!(y.told(), []);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    assert_eq!(y.told(), [qp(|qpn| AsyncEvent::SendQueueDrained { qpn })]);
    assert_eq!(y.attempt_move(QpState::Sqd), DONE);
    assert_eq!(y.told(), [], "it comes once");
}

fn cf239_no_event_where_none_was_asked_for(y: &mut Bench) {
    y.connect_with(|_| {});
    assert_eq!(y.attempt_move(QpState::Sqd), DONE);
    assert_eq!(y.told(), []);
    assert_eq!(y.attempt_move(QpState::Rts), DONE);
    let asked = QpChanges {
        drained_event: true,
        ..QpChanges::default()
    };
    assert_eq!(y.attempt_set(QpState::Sqd, &asked), DONE);
    assert_eq!(y.told(), [qp(|qpn| AsyncEvent::SendQueueDrained { qpn })]);
}

/// The last of each is posted right before.
fn cf240_error_flushes_both_queues_in_order(y: &mut Bench) {
    y.connect_with(|_| {});
    for n in 0..3 {
        y.post(work(n, SEND, 8));
        y.post_receive(10 + n, 0, 64);
    }
    assert_eq!(y.sent_rows().len(), 3);
    y.post(work(3, SEND, 8));
    y.submit_receive(13, 0, 64);
    y.submit(Verb::ModifyQp {
        qpn: QPN,
        state: QpState::Error,
    });
    let late = y.sent_rows();
    assert!(late.is_empty() || late == [(0x04, 2003)], "{late:?}");
    let (sends, receives): (Vec<_>, Vec<_>) = y.completions().into_iter().partition(|c| c.0 < 10);
    let flushed = |n| (n, Status::WrFlushErr, 0);
    assert_eq!(sends, [0, 1, 2, 3].map(flushed));
    assert_eq!(receives, [10, 11, 12, 13].map(flushed));
}

/// FB23, FB24: all of it, and no request is executed for it.
fn cf241_work_for_a_queue_pair_in_error_is_flushed(y: &mut Bench) {
    y.connect_with(|_| {});
    y.modify(QpState::Error);
    for n in 0..3 {
        y.post_receive(n, 0, 64);
        y.receive(&[packet(0x04, 100, &[1; 8])]);
        assert_eq!(y.answers(), []);
        assert_eq!(y.completions(), [(n, Status::WrFlushErr, 0)]);
        y.post(work(10 + n, SEND, 8));
        assert_eq!(y.sent_rows(), []);
        assert_eq!(y.completions(), [(10 + n, Status::WrFlushErr, 0)]);
    }
    assert_eq!(y.buffer(0, 8), [crate::bench::UNTOUCHED; 8]);
}

fn cf105_the_first_request_establishes_the_communication(y: &mut Bench) {
    y.create(&crate::bench::requester::all_rights());
    y.modify(QpState::Init);
    y.modify(QpState::Rtr);
    y.receive(&[packet(0x0A, 100, &[]), packet(0x0A, 101, &[])]);
    assert_eq!(y.answers().len(), 2);
    assert_eq!(y.told(), [qp(|qpn| AsyncEvent::CommunicationEstablished { qpn })]);
    y.modify(QpState::Rts);
    y.receive(&[packet(0x0A, 102, &[])]);
    assert_eq!((y.answers().len(), y.told()), (1, vec![]));
}

fn an_access_error_is_reported(y: &mut Bench) {
    y.connect_with(|_| {});
    let stranger = with_reth(request(0x0A, 100, &[1; 8]), 0x4000_0000, 0xDEAD_0022, 8);
    y.receive(&[stranger.encode().unwrap()]);
    assert_eq!(y.answers(), [(100, 0x62, 0)]);
    assert_eq!(y.told(), [qp(|qpn| AsyncEvent::AccessError { qpn })]);
    assert_eq!(y.query().0, QpState::Error);
}

/// More than the ring holds, or less than before: an error of that QP alone.
fn a_doorbell_that_lies_ends_its_queue_pair(y: &mut Bench) {
    for (side, producer) in [
        (QueueSide::Send, 0x8000),
        (QueueSide::Send, 0xFFFF),
        (QueueSide::Receive, 0x4000),
        (QueueSide::Receive, 0),
    ] {
        y.renew(|_| {});
        y.post_receive(1, 0, 64);
        let qpn = QPN;
        let lie = Verb::Ring { qpn, side, producer };
        assert_eq!(y.attempt(lie), DONE);
        y.settle();
        assert_eq!(y.told(), [qp(|qpn| AsyncEvent::QpFatal { qpn })]);
        assert_eq!(y.completions(), [(1, Status::WrFlushErr, 0)]);
        assert_eq!(y.query().0, QpState::Error);
    }
}

/// Neither PSNs nor work nor completions of a former life.
fn fb31_nothing_survives_destroy_and_create(y: &mut Bench) {
    y.connect_with(|_| {});
    for n in 0..4 {
        y.post(work(n, SEND, 8));
        y.post_receive(10 + n, 0, 64);
    }
    assert_eq!(y.sent_rows().len(), 4);
    let qpn = QPN;
    assert_eq!(y.attempt(Verb::DestroyQp { qpn }), DONE);
    let late = response(2003, 0x1F, 4);
    y.receive(std::slice::from_ref(&late));
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    y.create_another(&crate::bench::requester::all_rights());
    assert_eq!(y.query(), (QpState::Reset, QpChanges::unset()));
    y.enter_rts();
    // An answer for the former life, then a request that finds no WQE.
    y.receive(&[late, packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.drops(), [(DropReason::GhostResponse, 1)]);
    assert_eq!(y.answers(), [(100, 0x2C, 0)]);
    assert_eq!(y.completions(), []);
    y.post(work(20, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(20, Status::Success, 0)]);
    assert_eq!(y.told(), []);
}
