//! Which events of a completion queue may come: armings, what is written, what is lost (`qp_cq.md` sections 6 and 7).
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Hca, Rule};
use hca_golden::verbs::*;
use QpState::{Error, Init};

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
        y.receive(1, &packet.encode().unwrap());
    }
}

const COMPLETION: HostEvent = HostEvent::Completion { cqn: CQN };

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
