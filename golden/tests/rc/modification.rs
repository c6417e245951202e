//! When a modification of a QP comes into force, side by side, what may still come of the state before, and which
//! doorbells may be refused (`qp_cq.md` sections 1 and 8).
use super::case::with_reth;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Hca, Rule};
use hca_golden::modification::QpChanges;
use hca_golden::verbs::*;
use QpState::{Error, Init, Reset, Rtr, Rts};

fn modified(side: QueueSide, state: QpState) -> Event {
    Event::QpModified {
        qpn: Y_QPN,
        side,
        state,
    }
}

/// Between the two reports the receive side goes by the new context, the send side by the old one.
#[test]
fn a_modification_comes_into_force_side_by_side() {
    let mut y = connected(Y_LID, &y_attributes());
    y.post_send(Y_QPN, send(1, &[])).unwrap();
    assert_eq!(
        refused(&mut y, modified(QueueSide::Receive, Error)),
        Rule::Modification
    );
    y.start_modify_qp(Y_QPN, Error, &QpChanges::default()).unwrap();
    assert_eq!(
        refused(&mut y, modified(QueueSide::Send, Error)),
        Rule::Modification
    );
    y.apply(&modified(QueueSide::Receive, Error)).unwrap();
    let dropped = hca_golden::event::DropReason::QpState;
    y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
    let drop = Event::PacketDropped {
        packet: 0,
        reason: dropped,
    };
    y.apply(&drop).unwrap();
    let bell = Event::Doorbell {
        qpn: Y_QPN,
        side: QueueSide::Send,
        producer: 1,
    };
    y.apply(&bell).unwrap();
    let fetched = Event::WqeFetched {
        qpn: Y_QPN,
        side: QueueSide::Send,
        index: 0,
    };
    y.apply(&fetched).unwrap();
    let sent = Event::RequestEmitted {
        qpn: Y_QPN,
        psn: 2000,
    };
    y.apply(&sent).unwrap();
    y.apply(&modified(QueueSide::Send, Error)).unwrap();
    settle(&mut y);
    assert_eq!(completions(&mut y), [(1, Status::WrFlushErr, 0)]);
}

/// A response arrives in RTR and is judged once the QP is in RTS: the device may drop it for the state in which it
/// arrived. A response that arrives in RTS may not be dropped for that (`responder.md` section 1, adopted reading).
#[test]
fn a_response_may_be_seen_in_the_state_in_which_it_came() {
    use hca_golden::event::DropReason;
    let mut x = connected(X_LID, &x_attributes());
    x.start_modify_qp(X_QPN, Reset, &QpChanges::default()).unwrap();
    settle(&mut x);
    x.move_qp(&x_attributes(), Init).unwrap();
    x.move_qp(&x_attributes(), Rtr).unwrap();
    let answer = response(99, 0x1F, 0).encode().unwrap();
    x.receive(1, &answer);
    x.move_qp(&x_attributes(), Rts).unwrap();
    x.receive(1, &answer);
    let dropped = |packet, reason| Event::PacketDropped { packet, reason };
    x.apply(&dropped(0, DropReason::QpState)).unwrap();
    assert_eq!(refused(&mut x, dropped(1, DropReason::QpState)), Rule::Decision);
    x.apply(&dropped(1, DropReason::GhostResponse)).unwrap();
}

/// FB31: Reset and the end of a QP are complete once the send side's report comes.
#[test]
fn what_is_reset_or_gone_lets_nothing_out() {
    for destroyed in [false, true] {
        let mut y = connected(Y_LID, &y_attributes());
        y.post_receive(Y_QPN, receive(1, &[])).unwrap();
        y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
        while let Some(event) = y
            .choices()
            .into_iter()
            .find(|e| !matches!(e, Event::AckEmitted { .. }))
        {
            y.apply(&event).unwrap();
        }
        match destroyed {
            true => y.start_destroy_qp(Y_QPN).unwrap(),
            false => y.start_modify_qp(Y_QPN, Reset, &QpChanges::default()).unwrap(),
        }
        y.apply(&modified(QueueSide::Receive, Reset)).unwrap();
        let mut late = y.clone();
        let ack = Event::AckEmitted {
            qpn: Y_QPN,
            psn: 100,
            syndrome: 0x1F,
        };
        late.apply(&ack).unwrap();
        y.apply(&modified(QueueSide::Send, Reset)).unwrap();
        let rule = match destroyed {
            true => Rule::QueuePair,
            false => Rule::AckNotPermitted,
        };
        assert_eq!(refused(&mut y, ack), rule);
        assert_eq!(y.query_qp(Y_QPN).is_err(), destroyed);
    }
}

/// Refuses a Write by a key that there is not; QPN, PSN and syndrome of the NAK that is due.
fn write_is_refused(y: &mut Hca) -> (u32, u32, u8) {
    let write = with_reth(request(0x0A, 100, &[1; 8]), 0, 0xBAD, 8);
    y.receive(1, &write.encode().unwrap());
    let (packet, qpn, psn, syndrome) = (0, Y_QPN, 100, 0x62);
    y.apply(&Event::RequestRefused {
        packet,
        qpn,
        psn,
        syndrome,
    })
    .unwrap();
    (qpn, psn, syndrome)
}

/// A NAK of a QP that failed by itself is due; not so once software has moved it to Error.
#[test]
fn a_nak_is_lost_with_a_queue_pair_that_software_ends() {
    for ended in [false, true] {
        let mut y = connected(Y_LID, &y_attributes());
        let (qpn, psn, syndrome) = write_is_refused(&mut y);
        if ended {
            y.start_modify_qp(Y_QPN, Error, &QpChanges::default()).unwrap();
            y.apply(&modified(QueueSide::Receive, Error)).unwrap();
        }
        let due = y.due().iter().any(|line| line.to_string().contains("62h"));
        assert_eq!(due, !ended);
        y.apply(&Event::AckEmitted { qpn, psn, syndrome }).unwrap();
    }
}

/// CF240: a QP that failed goes to Reset, the receive side first. The send side is in Error until it follows.
#[test]
fn a_send_queue_is_flushed_until_its_queue_pair_is_reset() {
    for flushed in [false, true] {
        let mut y = connected(Y_LID, &y_attributes());
        y.post_send(Y_QPN, send(1, &[])).unwrap();
        settle(&mut y);
        let (qpn, side, cqn, index) = (Y_QPN, QueueSide::Send, CQN, 0);
        let status = Status::WrFlushErr;
        let flush = Event::CompletionWritten {
            cqn,
            qpn,
            side,
            index,
            status,
        };
        write_is_refused(&mut y);
        y.start_modify_qp(Y_QPN, Reset, &QpChanges::default()).unwrap();
        y.apply(&modified(QueueSide::Receive, Reset)).unwrap();
        assert_eq!(
            refused(&mut y, flush),
            Rule::NoSuchCompletion,
            "it has not failed"
        );
        y.apply(&Event::StateChanged { qpn, state: Error }).unwrap();
        if flushed {
            y.apply(&flush).unwrap();
        }
        y.apply(&modified(QueueSide::Send, Reset)).unwrap();
        assert_eq!(refused(&mut y, flush), Rule::NoSuchCompletion);
        assert_eq!(y.query_qp(Y_QPN).unwrap().0, Reset);
    }
}

/// CF041, CF043: it is on its way from a QP that takes nothing to one that there is not.
#[test]
fn a_packet_for_a_queue_pair_that_goes_away() {
    use hca_golden::event::DropReason::{DestQp, QpState};
    for (gone, reason, permitted) in [
        (false, QpState, true),
        (false, DestQp, true),
        (true, DestQp, true),
        (true, QpState, false),
    ] {
        let mut y = connected(Y_LID, &y_attributes());
        y.start_destroy_qp(Y_QPN).unwrap();
        y.apply(&modified(QueueSide::Receive, Reset)).unwrap();
        if gone {
            y.apply(&modified(QueueSide::Send, Reset)).unwrap();
        }
        y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
        let dropped = Event::PacketDropped { packet: 0, reason };
        assert_eq!(y.apply(&dropped).is_ok(), permitted, "gone: {gone}, {reason:?}");
    }
}

/// CF041, CF043: a packet arrives before the QP leaves Reset and is judged afterwards. The device may drop it for
/// either state; a packet that arrives in Init is dropped for Init.
#[test]
fn a_packet_that_came_before_its_queue_pair_left_reset() {
    use hca_golden::event::DropReason::{DestQp, QpState};
    let mut y = connected(Y_LID, &y_attributes());
    y.modify_qp(Y_QPN, Reset, &QpChanges::default()).unwrap();
    y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
    y.move_qp(&y_attributes(), Init).unwrap();
    y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
    let dropped = |packet, reason| Event::PacketDropped { packet, reason };
    y.clone().apply(&dropped(0, QpState)).unwrap();
    y.apply(&dropped(0, DestQp)).unwrap();
    assert_eq!(refused(&mut y, dropped(1, DestQp)), Rule::Decision);
    y.apply(&dropped(1, QpState)).unwrap();
}

/// A device may report that it refused a doorbell before it reports the valid doorbell that came first.
#[test]
fn a_refused_doorbell_is_reported_before_the_valid_one() {
    let mut y = connected(Y_LID, &y_attributes());
    y.post_receive(Y_QPN, receive(1, &[])).unwrap();
    y.ring_directly(Y_QPN, QueueSide::Receive, 0);
    let refusal = Event::DoorbellRefused {
        qpn: Y_QPN,
        side: QueueSide::Receive,
        producer: 0,
    };
    assert!(y.apply(&refusal).is_ok());
}

/// After two invalid doorbells of one queue the device writes one QP_FATAL event, or one for each.
#[test]
fn two_doorbells_that_lie() {
    let mut y = connected(Y_LID, &y_attributes());
    let (qpn, side) = (Y_QPN, QueueSide::Receive);
    for producer in [0xFFFF, 0xFFFE] {
        y.ring_directly(qpn, side, producer);
    }
    for producer in [0xFFFF, 0xFFFE] {
        y.apply(&Event::DoorbellRefused { qpn, side, producer }).unwrap();
    }
    let fatal = Event::EventWritten(HostEvent::Qp(AsyncEvent::QpFatal { qpn }));
    y.apply(&fatal).unwrap();
    assert!(
        y.choices().iter().all(|choice| *choice != fatal),
        "no second one is due"
    );
    y.apply(&fatal).unwrap();
    assert_eq!(refused(&mut y, fatal), Rule::AsyncEvent);
}

/// `qp_cq.md` section 8: a wrong doorbell ends its QP alone, and only a wrong one is refused.
#[test]
fn a_doorbell_that_lies() {
    let mut y = connected(Y_LID, &y_attributes());
    let refusal = |producer| Event::DoorbellRefused {
        qpn: Y_QPN,
        side: QueueSide::Receive,
        producer,
    };
    assert_eq!(refused(&mut y, refusal(0xFFFF)), Rule::Doorbell);
    y.post_receive(Y_QPN, receive(1, &[])).unwrap();
    settle(&mut y);
    y.ring_directly(Y_QPN, QueueSide::Receive, 0);
    assert!(!y.idle());
    settle(&mut y);
    let fatal = AsyncEvent::QpFatal { qpn: Y_QPN };
    assert_eq!(told(&mut y), [HostEvent::Qp(fatal)]);
    assert_eq!(completions(&mut y), [(1, Status::WrFlushErr, 0)]);
    assert_eq!(refused(&mut y, refusal(0)), Rule::Doorbell);
}
