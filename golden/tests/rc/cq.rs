//! `qp_cq.md` sections 6 to 8: completion queues, notification, events, and modifications that come into force side by side.
use super::case::with_reth;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{changes_to, CqStatus, Hca, Rule};
use hca_golden::modification::QpChanges;
use hca_golden::refusal::VerbError;
use hca_golden::verbs::*;
use QpState::{Error, Init, Reset, Rtr, Rts, Sqd};

/// Y in RTS, its CQ of so many entries.
fn with_entries(entries: u32) -> Hca {
    let mut y = connected(Y_LID, &y_attributes());
    y.resize_cq(CQN, entries).unwrap();
    y
}

/// Posts so many receive WQEs; as many messages come, with SE or without.
fn receive_messages(y: &mut Hca, first: u32, solicited: &[bool]) {
    for (psn, &se) in (first..).zip(solicited) {
        y.post_receive(Y_QPN, receive(psn.into(), &[])).unwrap();
        let mut packet = request(0x04, psn, &[]);
        packet.bth.se = se;
        y.receive(&packet.encode().unwrap());
    }
}

fn told(y: &mut Hca) -> Vec<HostEvent> {
    std::iter::from_fn(|| y.poll_event()).collect()
}

const COMPLETION: HostEvent = HostEvent::Completion { cqn: CQN };

fn refused(y: &mut Hca, event: Event) -> Rule {
    let before = format!("{y:?}");
    let rule = y.apply(&event).unwrap_err().rule;
    assert_eq!(format!("{y:?}"), before, "nothing changed");
    rule
}

/// CF256, CF261, CF262.
#[test]
fn cf256_one_event_for_an_arming() {
    let mut y = with_entries(16);
    receive_messages(&mut y, 100, &[false]);
    settle(&mut y);
    assert_eq!(told(&mut y), [], "not armed");
    completions(&mut y);
    settle(&mut y);
    y.request_notify(CQN, false).unwrap();
    settle(&mut y);
    receive_messages(&mut y, 101, &[false, true]);
    settle(&mut y);
    assert_eq!(told(&mut y), [COMPLETION]);
    receive_messages(&mut y, 103, &[true]);
    settle(&mut y);
    assert_eq!(told(&mut y), []);
    y.request_notify(CQN, false).unwrap();
    receive_messages(&mut y, 104, &[false]);
    settle(&mut y);
    assert_eq!(told(&mut y), [COMPLETION]);
}

/// CF257 to CF260.
#[test]
fn cf257_cf258_cf259_cf260_what_is_solicited() {
    let mut y = with_entries(16);
    y.request_notify(CQN, true).unwrap();
    receive_messages(&mut y, 100, &[false]);
    y.post_send(Y_QPN, send(1, &[])).unwrap();
    settle(&mut y);
    let mut ack = response(2000, 0x1F, 1);
    redirect(&mut ack, X_LID, Y_LID);
    ack.bth.dest_qp = Y_QPN;
    y.receive(&ack.encode().unwrap());
    settle(&mut y);
    assert_eq!((completions(&mut y).len(), told(&mut y)), (2, vec![]));
    receive_messages(&mut y, 101, &[true]);
    settle(&mut y);
    assert_eq!(told(&mut y), [COMPLETION]);
    completions(&mut y);
    settle(&mut y);
    y.request_notify(CQN, true).unwrap();
    y.post_receive(Y_QPN, receive(9, &[])).unwrap();
    y.move_qp(&y_attributes(), Error).unwrap();
    settle(&mut y);
    assert_eq!(told(&mut y), [COMPLETION], "a flushed one is unsuccessful");
}

/// FB26: what was written between the arming and another arming is not forgotten.
#[test]
fn fb26_an_arming_forgets_no_completion() {
    let mut y = with_entries(16);
    y.request_notify(CQN, false).unwrap();
    let armed = Event::CqArmed {
        cqn: CQN,
        solicited: false,
    };
    y.apply(&armed).unwrap();
    receive_messages(&mut y, 100, &[false]);
    while let Some(event) = y
        .choices()
        .into_iter()
        .find(|e| !matches!(e, Event::EventWritten(_)))
    {
        y.apply(&event).unwrap();
    }
    assert_eq!(y.choices(), [Event::EventWritten(COMPLETION)]);
    y.request_notify(CQN, false).unwrap();
    y.apply(&armed).unwrap();
    assert_eq!(completions(&mut y).len(), 1);
    assert!(!y.idle(), "software that waits now would wait for ever");
    settle(&mut y);
    assert_eq!(told(&mut y), [COMPLETION]);
    assert_eq!(
        refused(&mut y, Event::EventWritten(COMPLETION)),
        Rule::Notification
    );
}

/// CF255: one CQE is lost, the QP goes to Error; what else it would complete is lost too, and no other queue is disturbed.
#[test]
fn cf255_a_queue_without_room_fails() {
    let mut y = with_entries(2);
    receive_messages(&mut y, 100, &[false; 2]);
    settle(&mut y);
    assert_eq!(
        (y.query_cq(CQN), told(&mut y)),
        (
            Ok(CqStatus {
                entries: 2,
                failed: false
            }),
            vec![]
        )
    );
    let index = 2;
    let lost = Event::CompletionLost {
        cqn: CQN,
        qpn: Y_QPN,
        side: QueueSide::Receive,
        index,
        status: Status::Success,
    };
    receive_messages(&mut y, 102, &[false; 2]);
    let (packets, events) = settle(&mut y);
    assert!(events.contains(&lost));
    assert!(!packets.is_empty());
    assert_eq!(told(&mut y), [HostEvent::CqError { cqn: CQN }]);
    assert_eq!(y.query(Y_QPN).unwrap().state, Error);
    assert_eq!(y.query_cq(CQN).map(|cq| cq.failed), Ok(true));
    assert_eq!(completions(&mut y).len(), 2, "those before it stay");
    assert_eq!(y.request_notify(CQN, false), Err(VerbError::CqFailed(CQN)));
    assert_eq!(y.resize_cq(CQN, 64), Err(VerbError::CqFailed(CQN)));
    let another = QpAttributes {
        qpn: 0x99,
        ..y_attributes()
    };
    assert_eq!(y.create_qp(&another), Err(VerbError::CqFailed(CQN)));
}

/// CF255: the device may find it among those that use the queue, or not.
#[test]
fn a_queue_pair_that_leaves_reset_when_its_queue_has_failed() {
    let mut y = with_entries(1);
    let another = QpAttributes {
        qpn: 0x99,
        ..y_attributes()
    };
    y.create_qp(&another).unwrap();
    let (qpn, state) = (another.qpn, Error);
    let fails = Event::StateChanged { qpn, state };
    receive_messages(&mut y, 100, &[false; 2]);
    settle(&mut y);
    assert_eq!(refused(&mut y, fails), Rule::QpState, "it is in Reset");
    y.move_qp(&another, Init).unwrap();
    assert!(!y.is_failing(qpn), "it need not");
    y.apply(&fails).unwrap();
    assert_eq!(y.query_qp(qpn).unwrap().0, Error);
}

/// CF255: the arming was on its way; the device may report it, or not.
#[test]
fn an_arming_that_meets_a_queue_that_has_failed() {
    let mut y = with_entries(1);
    receive_messages(&mut y, 100, &[false; 2]);
    y.request_notify(CQN, false).unwrap();
    while let Some(event) = y
        .choices()
        .into_iter()
        .find(|e| !matches!(e, Event::CqArmed { .. }))
    {
        y.apply(&event).unwrap();
    }
    assert_eq!(y.query_cq(CQN).map(|cq| cq.failed), Ok(true));
    let due = y.due();
    assert!(
        !due.iter().any(|line| line.to_string().contains("arming")),
        "{due:?}"
    );
    let (cqn, solicited) = (CQN, false);
    y.apply(&Event::CqArmed { cqn, solicited }).unwrap();
}

/// A device that loses a completion although there is room, or writes one where there is none.
#[test]
fn an_overflow_is_one_only_where_there_is_no_room() {
    let mut y = with_entries(1);
    receive_messages(&mut y, 100, &[false; 2]);
    let completion = |index, lost| {
        let (cqn, qpn, side, status) = (CQN, Y_QPN, QueueSide::Receive, Status::Success);
        match lost {
            true => Event::CompletionLost {
                cqn,
                qpn,
                side,
                index,
                status,
            },
            false => Event::CompletionWritten {
                cqn,
                qpn,
                side,
                index,
                status,
            },
        }
    };
    let is_completion =
        |e: &Event| matches!(e, Event::CompletionWritten { .. } | Event::CompletionLost { .. });
    while let Some(event) = y.choices().into_iter().find(|e| !is_completion(e)) {
        y.apply(&event).unwrap();
    }
    assert_eq!(refused(&mut y, completion(0, true)), Rule::Overflow);
    y.apply(&completion(0, false)).unwrap();
    assert_eq!(refused(&mut y, completion(1, false)), Rule::Overflow);
    let room = Event::CqConsumed {
        cqn: CQN,
        consumer: 1,
    };
    y.apply(&room).unwrap();
    y.apply(&completion(1, false)).unwrap();
    let beyond = Event::CqConsumed {
        cqn: CQN,
        consumer: 3,
    };
    assert_eq!(refused(&mut y, beyond), Rule::CompletionQueue);
}

/// CF245 to CF249.
#[test]
fn cf245_cf246_cf247_cf248_cf249_sizes() {
    let mut y = with_entries(4);
    assert_eq!(y.create_cq(5, 5), Ok(8));
    assert_eq!(y.create_cq(5, 8), Err(VerbError::CqExists(5)));
    receive_messages(&mut y, 100, &[false; 3]);
    settle(&mut y);
    let holds = VerbError::CqHolds {
        cqn: CQN,
        unpolled: 3,
        capacity: 2,
    };
    assert_eq!(y.resize_cq(CQN, 2), Err(holds));
    assert_eq!(y.query_cq(CQN).map(|cq| cq.entries), Ok(4));
    assert_eq!(y.resize_cq(CQN, 3), Ok(4));
    assert_eq!(y.resize_cq(CQN, 9), Ok(16));
    receive_messages(&mut y, 103, &[false; 2]);
    settle(&mut y);
    let ids: Vec<u64> = completions(&mut y).iter().map(|c| c.0).collect();
    assert_eq!(ids, [100, 101, 102, 103, 104]);
    let in_use = VerbError::CqInUse { cqn: CQN, qpn: Y_QPN };
    assert_eq!(y.destroy_cq(CQN), Err(in_use));
    y.destroy_qp(Y_QPN).unwrap();
    assert_eq!(y.destroy_cq(CQN), Ok(()));
    assert_eq!(y.destroy_cq(CQN), Err(VerbError::UnknownCq(CQN)));
}

/// CF253.
#[test]
fn cf253_the_queues_of_qp0_and_qp1_serve_no_other() {
    let mut y = connected(Y_LID, &y_attributes());
    y.create_cq(1, 8).unwrap();
    let with = |qpn, send_cq, receive_cq| QpAttributes {
        qpn,
        send_cq,
        receive_cq,
        ..y_attributes()
    };
    let reserved = |cqn, qpn| Err(VerbError::CqReserved { cqn, qpn });
    assert_eq!(y.create_qp(&with(0, CQN, 1)), reserved(CQN, 0));
    assert_eq!(y.create_qp(&with(0, 1, 1)), Ok(()));
    assert_eq!(y.create_qp(&with(1, 1, 1)), Ok(()));
    assert_eq!(y.create_qp(&with(2, CQN, 1)), reserved(1, 2));
}

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
    y.receive(&request(0x04, 100, &[]).encode().unwrap());
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

/// A response that came before the QP sent, and waits for those before it, is dropped for that also when the QP sends by
/// then; one that came later is not (`responder.md` section 1, adopted reading).
#[test]
fn a_response_may_be_seen_in_the_state_in_which_it_came() {
    use hca_golden::event::DropReason;
    let mut x = connected(X_LID, &x_attributes());
    x.start_modify_qp(X_QPN, Reset, &QpChanges::default()).unwrap();
    settle(&mut x);
    x.move_qp(&x_attributes(), Init).unwrap();
    x.move_qp(&x_attributes(), Rtr).unwrap();
    let answer = response(99, 0x1F, 0).encode().unwrap();
    x.receive(&answer);
    x.move_qp(&x_attributes(), Rts).unwrap();
    x.receive(&answer);
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
        y.receive(&request(0x04, 100, &[]).encode().unwrap());
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
    y.receive(&write.encode().unwrap());
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
        y.receive(&request(0x04, 100, &[]).encode().unwrap());
        let dropped = Event::PacketDropped { packet: 0, reason };
        assert_eq!(y.apply(&dropped).is_ok(), permitted, "gone: {gone}, {reason:?}");
    }
}

/// CF041, CF043: it came before the device was told of the QP, and is decided after.
#[test]
fn a_packet_that_came_before_its_queue_pair_left_reset() {
    use hca_golden::event::DropReason::{DestQp, QpState};
    let mut y = connected(Y_LID, &y_attributes());
    y.modify_qp(Y_QPN, Reset, &QpChanges::default()).unwrap();
    y.receive(&request(0x04, 100, &[]).encode().unwrap());
    y.move_qp(&y_attributes(), Init).unwrap();
    y.receive(&request(0x04, 100, &[]).encode().unwrap());
    let dropped = |packet, reason| Event::PacketDropped { packet, reason };
    y.clone().apply(&dropped(0, QpState)).unwrap();
    y.apply(&dropped(0, DestQp)).unwrap();
    assert_eq!(refused(&mut y, dropped(1, DestQp)), Rule::Decision);
    y.apply(&dropped(1, QpState)).unwrap();
}

/// What Reset forgets, a query does not tell, and the way to RTS needs it again.
#[test]
fn cf238_reset_forgets_the_attributes() {
    let mut y = connected(Y_LID, &y_attributes());
    let (state, standing) = y.query_qp(Y_QPN).unwrap();
    assert_eq!(
        (state, standing.rq_psn, standing.pmtu),
        (Rts, Some(100), Some(Pmtu::B2048))
    );
    y.move_qp(&y_attributes(), Reset).unwrap();
    assert_eq!(y.query_qp(Y_QPN), Ok((Reset, QpChanges::unset())));
    y.move_qp(&y_attributes(), Init).unwrap();
    let changes = QpChanges {
        address: None,
        ..changes_to(&y_attributes(), Init, Rtr)
    };
    assert!(y.modify_qp(Y_QPN, Rtr, &changes).is_err());
}

/// The device may take a post's doorbell, and refuse one behind it, before it tells of either.
#[test]
fn a_doorbell_behind_one_that_was_not_told_of() {
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

/// The second may come before the device has told of the first, and be told of by itself or not.
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

/// `qp_cq.md` section 8: a doorbell that lies ends its QP alone, and only one that lies is refused.
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

/// CF239: what begins in SQD was decided on before; the change of an attribute counts from then on.
#[test]
fn attributes_change_in_sqd() {
    let mut y = connected(Y_LID, &y_attributes());
    y.modify_qp(Y_QPN, Sqd, &QpChanges::default()).unwrap();
    let changes = QpChanges {
        max_rd_atomic: Some(1),
        min_rnr_timer: Some(3),
        ..QpChanges::default()
    };
    y.modify_qp(Y_QPN, Sqd, &changes).unwrap();
    y.modify_qp(Y_QPN, Rts, &QpChanges::default()).unwrap();
    y.receive(&request(0x04, 100, &[]).encode().unwrap());
    let (packets, _) = settle(&mut y);
    assert_eq!(packets[0].aeth().unwrap().syndrome, 0x23);
    let standing = y.query_qp(Y_QPN).unwrap().1;
    assert_eq!((standing.max_rd_atomic, standing.timeout), (Some(1), Some(14)));
}
