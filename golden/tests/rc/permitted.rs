//! What the model lets a device choose, and what it refuses: each planted fault has its rule.
use super::case::read;
use super::pair::*;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Due, Hca, Rule};
use hca_golden::verbs::*;
use QueueSide::{Receive, Send};

/// X with a message of three packets taken, and Y with two receive WQEs known.
fn started() -> (Hca, Hca) {
    let mut x = connected(X_LID, &x_attributes());
    let mut y = connected(Y_LID, &y_attributes());
    x.post_send(X_QPN, send(5, &[sge(MESSAGE_AT, 5120)])).unwrap();
    ok(
        &mut x,
        Event::Doorbell {
            qpn: X_QPN,
            side: Send,
            producer: 1,
        },
    );
    ok(
        &mut x,
        Event::WqeFetched {
            qpn: X_QPN,
            side: Send,
            index: 0,
        },
    );
    for n in 0..2 {
        y.post_receive(Y_QPN, receive(7 + n, &[sge(BUFFER_AT, 5120)]))
            .unwrap();
    }
    ok(
        &mut y,
        Event::Doorbell {
            qpn: Y_QPN,
            side: Receive,
            producer: 2,
        },
    );
    (x, y)
}

/// X and Y after the whole message went over, nothing acknowledged yet.
fn executed() -> (Hca, Hca) {
    let (mut x, mut y) = started();
    for psn in 100..103 {
        let bytes = transmitted(&mut x, emit(psn));
        let packet = y.receive(1, &bytes);
        if psn == 100 {
            ok(&mut y, fetch(0));
        }
        ok(&mut y, execute(packet, psn));
    }
    (x, y)
}

fn ok(hca: &mut Hca, event: Event) {
    hca.apply(&event).unwrap();
}

/// The rule that an event breaks; nothing has changed by it.
fn emit(psn: u32) -> Event {
    Event::RequestEmitted { qpn: X_QPN, psn }
}

fn ack(psn: u32) -> Event {
    let (qpn, syndrome) = (Y_QPN, 0x1F);
    Event::AckEmitted { qpn, psn, syndrome }
}

fn fetch(index: u16) -> Event {
    let (qpn, side) = (Y_QPN, Receive);
    Event::WqeFetched { qpn, side, index }
}

fn execute(packet: u32, psn: u32) -> Event {
    let qpn = Y_QPN;
    Event::RequestExecuted { packet, qpn, psn }
}

fn refuse(packet: u32, psn: u32, syndrome: u8) -> Event {
    Event::RequestRefused {
        packet,
        qpn: Y_QPN,
        psn,
        syndrome,
    }
}

fn drop_for(packet: u32, reason: DropReason) -> Event {
    Event::PacketDropped { packet, reason }
}

fn written(index: u16, status: Status, cqn: u32) -> Event {
    let (qpn, side) = (Y_QPN, Receive);
    Event::CompletionWritten {
        cqn,
        qpn,
        side,
        index,
        status,
    }
}

#[test]
fn requests_leave_in_psn_order() {
    let (mut x, _) = started();
    assert_eq!(refused(&mut x, emit(101)), Rule::Psn);
    ok(&mut x, emit(100));
    assert_eq!(refused(&mut x, emit(100)), Rule::Psn, "a packet sent twice");
    ok(&mut x, emit(101));
    ok(&mut x, emit(102));
    assert_eq!(refused(&mut x, emit(103)), Rule::NoSendWqe);
    assert_eq!(
        refused(&mut x, Event::RequestEmitted { qpn: 9, psn: 103 }),
        Rule::QueuePair
    );
}

#[test]
fn wqes_count_from_their_doorbell_on() {
    let (mut x, mut y) = started();
    assert_eq!(
        refused(
            &mut x,
            Event::Doorbell {
                qpn: X_QPN,
                side: Send,
                producer: 2
            }
        ),
        Rule::Doorbell
    );
    assert_eq!(
        refused(
            &mut x,
            Event::Doorbell {
                qpn: X_QPN,
                side: Send,
                producer: 0
            }
        ),
        Rule::Doorbell
    );
    let again = Event::WqeFetched {
        qpn: X_QPN,
        side: Send,
        index: 0,
    };
    assert_eq!(refused(&mut x, again), Rule::WqeOrder);
    assert_eq!(refused(&mut y, fetch(1)), Rule::WqeOrder);
    ok(&mut y, fetch(0));
    assert_eq!(refused(&mut y, fetch(1)), Rule::WqeOrder, "one message at a time");
    x.post_send(X_QPN, send(6, &[])).unwrap();
    let early = Event::WqeFetched {
        qpn: X_QPN,
        side: Send,
        index: 1,
    };
    assert_eq!(refused(&mut x, early), Rule::WqeOrder, "no doorbell yet");
}

#[test]
fn acks_may_coalesce_forward_only() {
    let (_, mut y) = executed();
    ok(&mut y, ack(101));
    assert_eq!(refused(&mut y, ack(100)), Rule::AckNotPermitted);
    assert_eq!(
        refused(&mut y, ack(101)),
        Rule::AckNotPermitted,
        "an ack sent twice"
    );
    assert_eq!(refused(&mut y, ack(103)), Rule::AckNotPermitted);
    let nak = Event::AckEmitted {
        qpn: Y_QPN,
        psn: 102,
        syndrome: 0x60,
    };
    assert_eq!(refused(&mut y, nak), Rule::Syndrome);
    let due = Due::Ack {
        qpn: Y_QPN,
        psn: 102,
        syndrome: 0x1F,
    };
    assert!(y.due().contains(&due));
    ok(&mut y, ack(102));
    assert!(!y.due().contains(&due));
}

/// The middle packet has AckReq 0: its ack may come or not.
#[test]
fn an_ack_that_nobody_asked_for_is_not_due() {
    let (_, mut y) = started();
    for (packet, psn, opcode) in [(0, 100, 0x00), (1, 101, 0x01)] {
        let mut p = request(opcode, psn, &[1; 2048]);
        p.bth.a = opcode == 0x00;
        y.receive(1, &p.encode().unwrap());
        if psn == 100 {
            ok(&mut y, fetch(0));
        }
        ok(&mut y, execute(packet, psn));
        if psn == 100 {
            ok(&mut y, ack(100));
        }
    }
    assert!(y.idle());
    ok(&mut y, ack(101));
}

#[test]
fn a_nak_is_not_passed_by_a_later_ack() {
    let (_, mut y) = started();
    y.receive(1, &request(0x04, 101, &[]).encode().unwrap());
    y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
    ok(&mut y, refuse(0, 100, 0x60));
    ok(&mut y, fetch(0));
    ok(&mut y, execute(1, 100));
    assert_eq!(refused(&mut y, ack(100)), Rule::NakSkipped);
    let nak = Event::AckEmitted {
        qpn: Y_QPN,
        psn: 100,
        syndrome: 0x60,
    };
    ok(&mut y, nak);
    ok(&mut y, ack(100));
}

#[test]
fn packets_are_decided_once_and_in_order() {
    let (_, mut y) = started();
    assert_eq!(refused(&mut y, execute(0, 100)), Rule::NoSuchPacket);
    y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
    y.receive(1, &request(0x04, 101, &[]).encode().unwrap());
    let other_qp = Event::RequestExecuted {
        packet: 0,
        qpn: 9,
        psn: 100,
    };
    assert_eq!(refused(&mut y, other_qp), Rule::QueuePair);
    assert_eq!(refused(&mut y, execute(0, 101)), Rule::Psn);
    assert_eq!(refused(&mut y, execute(0, 100)), Rule::ReceiveWqe);
    assert_eq!(refused(&mut y, refuse(1, 100, 0x60)), Rule::PacketOrder);
    ok(&mut y, fetch(0));
    ok(&mut y, execute(0, 100));
    assert_eq!(
        refused(&mut y, execute(0, 100)),
        Rule::NoSuchPacket,
        "executed twice"
    );
    assert!(y.due().contains(&Due::Packet { packet: 1 }));
}

#[test]
fn decisions_that_differ() {
    let (_, mut y) = started();
    y.receive(1, &request(0x00, 101, &[1; 2048]).encode().unwrap());
    assert_eq!(
        refused(&mut y, execute(0, 101)),
        Rule::Decision,
        "out of sequence"
    );
    assert_eq!(
        refused(&mut y, refuse(0, 101, 0x60)),
        Rule::Psn,
        "the received PSN"
    );
    assert_eq!(refused(&mut y, refuse(0, 100, 0x61)), Rule::Syndrome);
    assert_eq!(
        refused(&mut y, drop_for(0, DropReason::NakOutstanding)),
        Rule::Decision
    );
    let violation = y.apply(&drop_for(0, DropReason::PKey)).unwrap_err();
    assert_eq!(
        violation.to_string(),
        "decision differs: expected packet 0: the model refuses it with syndrome 60h at PSN 100 \
         (responder.md section 1 step 9 and section 2, CF059 to CF066), the device drops it for PKey \
         [responder.md section 1, requester.md section 5]"
    );
    ok(&mut y, refuse(0, 100, 0x60));
}

/// Section 7: after an RNR NAK none or one sequence NAK.
#[test]
fn after_an_rnr_nak_a_gap_may_be_reported_once() {
    let mut y = connected(Y_LID, &y_attributes());
    for psn in 100..103 {
        y.receive(1, &request(0x04, psn, &[]).encode().unwrap());
    }
    ok(&mut y, refuse(0, 100, 0x2C));
    ok(&mut y, refuse(1, 100, 0x60));
    assert_eq!(refused(&mut y, refuse(2, 100, 0x60)), Rule::Decision);
    ok(&mut y, drop_for(2, DropReason::NakOutstanding));
}

/// CF549: `reads` Reads of one packet each are executed, and their answers wait.
fn with_waiting_answers(reads: u32) -> Hca {
    let attributes = QpAttributes {
        max_dest_rd_atomic: 16,
        ..y_attributes()
    };
    let mut y = connected(Y_LID, &attributes);
    for n in 0..reads {
        let packet = y.receive(1, &read(100 + n, MESSAGE_AT, 8).encode().unwrap());
        ok(&mut y, execute(packet, 100 + n));
    }
    y
}

/// Section 6: from 8 waiting answers on a duplicate Read may be dropped, from 16 on any request.
#[test]
fn cf549_a_request_that_finds_no_room_for_its_answer_may_be_dropped() {
    for (reads, psn, may_drop) in [(7, 100, false), (8, 100, true), (15, 115, false), (16, 116, true)] {
        let mut y = with_waiting_answers(reads);
        let packet = y.receive(1, &read(psn, MESSAGE_AT, 8).encode().unwrap());
        let drops = y.apply(&drop_for(packet, DropReason::AnswersWait));
        assert_eq!(drops.is_ok(), may_drop, "{reads} answers wait, PSN {psn}");
    }
}

#[test]
fn completions_say_what_was_executed() {
    let (_, mut y) = started();
    assert_eq!(
        refused(&mut y, written(0, Status::Success, CQN)),
        Rule::NoSuchCompletion
    );
    let (_, mut y) = executed();
    assert_eq!(
        refused(&mut y, written(1, Status::Success, CQN)),
        Rule::CompletionIndex
    );
    assert_eq!(
        refused(&mut y, written(0, Status::LocLenErr, CQN)),
        Rule::CompletionStatus
    );
    assert_eq!(
        refused(&mut y, written(0, Status::Success, 1)),
        Rule::CompletionQueue
    );
    ok(&mut y, written(0, Status::Success, CQN));
    assert_eq!(
        refused(&mut y, written(0, Status::Success, CQN)),
        Rule::NoSuchCompletion
    );
}

#[test]
fn only_an_error_changes_the_state() {
    let (_, mut y) = started();
    let error = Event::StateChanged {
        qpn: Y_QPN,
        state: QpState::Error,
    };
    assert_eq!(refused(&mut y, error), Rule::QpState);
    y.receive(1, &request(0x01, 100, &[]).encode().unwrap());
    y.receive(1, &request(0x04, 100, &[]).encode().unwrap());
    ok(&mut y, refuse(0, 100, 0x61));
    assert_eq!(refused(&mut y, execute(1, 100)), Rule::Decision);
    ok(&mut y, drop_for(1, DropReason::QpState));
    ok(&mut y, error);
    assert_eq!(refused(&mut y, error), Rule::QpState);
    assert_eq!(y.query(Y_QPN).unwrap().state, QpState::Error);
}

/// A queue pair that its requester has failed hears of it when it says so.
#[test]
fn the_other_side_may_not_have_heard_of_the_error() {
    for hears in [false, true] {
        let mut pair = Pair::new(&x_attributes(), &y_attributes());
        let x = &mut pair.x;
        x.post_send(X_QPN, send(1, &[])).unwrap();
        settle(x);
        x.receive(1, &response(100, 0x61, 0).encode().unwrap());
        let mut from_y = request(0x04, 2000, &[]);
        from_y.bth.dest_qp = X_QPN;
        redirect(&mut from_y, Y_LID, X_LID);
        x.receive(1, &from_y.encode().unwrap());
        let fatal = Event::ResponseAccepted {
            packet: 0,
            qpn: X_QPN,
            psn: 100,
            syndrome: 0x61,
        };
        ok(x, fatal);
        if hears {
            ok(x, drop_for(1, DropReason::QpState));
        } else {
            let rnr = Event::RequestRefused {
                packet: 1,
                qpn: X_QPN,
                psn: 2000,
                syndrome: 0x2C,
            };
            ok(x, rnr);
        }
    }
}

#[test]
fn a_response_is_taken_as_it_came() {
    let (mut x, _) = executed();
    x.receive(1, &response(100, 0x1F, 0).encode().unwrap());
    let taken = |psn, syndrome| Event::ResponseAccepted {
        packet: 0,
        qpn: X_QPN,
        psn,
        syndrome,
    };
    assert_eq!(refused(&mut x, taken(100, 0x60)), Rule::Syndrome);
    assert_eq!(refused(&mut x, taken(101, 0x1F)), Rule::Psn);
    ok(&mut x, taken(100, 0x1F));
}
