//! What was decided before and leaves late: requests of a QP in Error, and NAKs that a later one stands in for.
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Hca, Output, Rule};
use hca_golden::verbs::*;
use QueueSide::{Receive, Send};

fn ok(hca: &mut Hca, event: Event) {
    hca.apply(&event).unwrap();
}

fn refused(hca: &mut Hca, event: Event) -> Rule {
    hca.apply(&event).unwrap_err().rule
}

fn emit(psn: u32) -> Event {
    Event::RequestEmitted { qpn: X_QPN, psn }
}

fn fetch(qpn: u32, side: QueueSide, index: u16) -> Event {
    Event::WqeFetched { qpn, side, index }
}

/// The CQE of a send WQE is written.
fn completed(index: u16, status: Status) -> Event {
    Event::CompletionWritten {
        cqn: CQN,
        qpn: X_QPN,
        side: Send,
        index,
        status,
    }
}

/// X at PMTU 256 with WQEs of 40 packets and of one. Of the first, PSNs 100 to 109 are sent when a NAK for PSN 100
/// comes; the device has not reported Error.
fn failing() -> Hca {
    let attributes = QpAttributes {
        pmtu: Pmtu::B256,
        ..x_attributes()
    };
    let mut x = connected(X_LID, &attributes);
    x.memory_mut().write(MESSAGE_AT, &message(60 * 256));
    x.post_send(X_QPN, send(1, &[sge(MESSAGE_AT, 60 * 256)])).unwrap();
    x.post_send(X_QPN, send(2, &[])).unwrap();
    let announced = Event::Doorbell {
        qpn: X_QPN,
        side: Send,
        producer: 2,
    };
    ok(&mut x, announced);
    ok(&mut x, fetch(X_QPN, Send, 0));
    for psn in 100..110 {
        ok(&mut x, emit(psn));
    }
    x.receive(1, &response(100, 0x61, 0).encode().unwrap());
    let taken = Event::ResponseAccepted {
        packet: 0,
        qpn: X_QPN,
        psn: 100,
        syndrome: 0x61,
    };
    ok(&mut x, taken);
    x
}

fn error() -> Event {
    let state = QpState::Error;
    Event::StateChanged { qpn: X_QPN, state }
}

/// `qp_cq.md` section 1: none is sent in Error; 32 may have been decided before.
#[test]
fn thirty_two_requests_may_leave_after_the_error() {
    let mut x = failing();
    ok(&mut x, error());
    for psn in 110..142 {
        assert_eq!(refused(&mut x, emit(psn + 1)), Rule::Psn);
        let packet = decoded(&transmitted(&mut x, emit(psn)));
        assert_eq!((packet.bth.opcode, packet.bth.psn), (0x01, psn));
        let at = 256 * (psn - 100) as usize;
        assert_eq!(packet.payload, message(60 * 256)[at..at + 256]);
    }
    assert_eq!(refused(&mut x, emit(142)), Rule::SendState);
}

/// They may leave, they need not, and the model sends none by itself.
#[test]
fn no_request_has_to_leave_after_the_error() {
    let mut x = failing();
    ok(&mut x, error());
    let (packets, _) = settle(&mut x);
    assert_eq!(packets, []);
    assert!(x.idle());
    assert_eq!(
        completions(&mut x),
        [(1, Status::RemInvReqErr, 0), (2, Status::WrFlushErr, 0)]
    );
}

/// A WQE that is taken in Error was not under way.
#[test]
fn no_wqe_starts_after_the_error() {
    for taken_before in [true, false] {
        let mut x = failing();
        for psn in 110..160 {
            ok(&mut x, emit(psn));
        }
        if taken_before {
            ok(&mut x, fetch(X_QPN, Send, 1));
            ok(&mut x, error());
            ok(&mut x, emit(160));
        } else {
            ok(&mut x, error());
            ok(&mut x, fetch(X_QPN, Send, 1));
            assert_eq!(refused(&mut x, emit(160)), Rule::NoSendWqe);
        }
    }
}

/// The freedom ends with the QP, and a verb on one that is in Error gives no more of it.
#[test]
fn a_verb_on_a_queue_pair_in_error_lets_nothing_more_leave() {
    let mut x = failing();
    ok(&mut x, error());
    x.move_qp(&x_attributes(), QpState::Error).unwrap();
    for psn in (110..).take(32) {
        ok(&mut x, emit(psn));
    }
    assert_eq!(refused(&mut x, emit(142)), Rule::SendState);
}

/// `responder.md` section 7: the NAK for PSN 101 tells that 100 was executed, so both responses before it may be
/// left out; the ack of 100 alone would lose the first NAK.
#[test]
fn a_later_nak_stands_in_for_an_earlier_one() {
    let mut y = connected(Y_LID, &y_attributes());
    y.post_receive(Y_QPN, receive(1, &[sge(BUFFER_AT, 8)])).unwrap();
    let announced = Event::Doorbell {
        qpn: Y_QPN,
        side: Receive,
        producer: 1,
    };
    ok(&mut y, announced);
    for psn in [101, 100, 102] {
        y.receive(1, &request(0x04, psn, &[]).encode().unwrap());
    }
    let qpn = Y_QPN;
    let refuse = |packet, psn| Event::RequestRefused {
        packet,
        qpn,
        psn,
        syndrome: 0x60,
    };
    let respond = |psn, syndrome| Event::AckEmitted { qpn, psn, syndrome };
    ok(&mut y, refuse(0, 100));
    ok(&mut y, fetch(Y_QPN, Receive, 0));
    let (packet, psn) = (1, 100);
    ok(&mut y, Event::RequestExecuted { packet, qpn, psn });
    ok(&mut y, refuse(2, 101));
    assert_eq!(refused(&mut y, respond(100, 0x1F)), Rule::NakSkipped);
    let nak = decoded(&transmitted(&mut y, respond(101, 0x60)));
    assert_eq!((nak.bth.psn, nak.aeth().unwrap().msn), (101, 1));
    assert_eq!(refused(&mut y, respond(100, 0x60)), Rule::AckNotPermitted);
    let written = Event::CompletionWritten {
        cqn: CQN,
        qpn,
        side: Receive,
        index: 0,
        status: Status::Success,
    };
    ok(&mut y, written);
    assert!(y.idle());
}

/// SL and LIDs of an ack are copied from the request (`responder.md` section 8). Here two duplicates of PSN 100 come
/// with SL 3 and SL 5 before an ack leaves: one ack for both has the SL of the latest, and where each obtains its own
/// the first has that of the first.
#[test]
fn an_ack_for_repeats_has_the_address_of_one_that_asked() {
    let mut y = connected(Y_LID, &y_attributes());
    y.post_receive(Y_QPN, receive(1, &[])).unwrap();
    let only = request(0x04, 100, &[]);
    assert_eq!(answers(&mut y, std::slice::from_ref(&only)), [(100, 0x1F, 1)]);
    let of_sl = |sl| {
        let mut again = only.clone();
        again.lrh_mut().unwrap().sl = sl;
        again
    };
    for (packet, duplicate) in [(1, of_sl(3)), (2, of_sl(5))] {
        y.receive(1, &duplicate.encode().unwrap());
        ok(
            &mut y,
            Event::DuplicateRequest {
                packet,
                qpn: Y_QPN,
                psn: 100,
            },
        );
    }
    let ack = Event::AckEmitted {
        qpn: Y_QPN,
        psn: 100,
        syndrome: 0x1F,
    };
    let sl_of = |bytes: &[u8]| decoded(bytes).lrh().unwrap().sl;
    match y.apply(&ack).unwrap().as_slice() {
        [Output::Transmit { bytes: joined, .. }, Output::Instead(first)] => {
            assert_eq!((sl_of(joined), sl_of(first)), (5, 3));
        }
        other => panic!("an ack gave {other:?}"),
    }
}

/// What was decided before a NAK was heard of may leave, 32 packets of it; then the requester goes back, once, and to
/// where the NAK says.
#[test]
fn thirty_two_requests_may_leave_before_going_back() {
    use hca_golden::event::RewindCause::{AckTimeout, SequenceNak};
    let mut x = connected(
        X_LID,
        &QpAttributes {
            pmtu: Pmtu::B256,
            ..x_attributes()
        },
    );
    x.post_send(X_QPN, send(1, &[sge(MESSAGE_AT, 60 * 256)])).unwrap();
    let qpn = X_QPN;
    let (side, producer) = (Send, 1);
    ok(&mut x, Event::Doorbell { qpn, side, producer });
    ok(&mut x, fetch(X_QPN, Send, 0));
    for psn in 100..110 {
        ok(&mut x, emit(psn));
    }
    let back = |psn, cause| Event::Rewound { qpn, psn, cause };
    assert_eq!(
        refused(&mut x, back(105, SequenceNak)),
        Rule::Rewind,
        "nobody asked"
    );
    x.receive(1, &response(105, 0x60, 0).encode().unwrap());
    let (packet, psn, syndrome) = (0, 105, 0x60);
    ok(
        &mut x,
        Event::ResponseAccepted {
            packet,
            qpn,
            psn,
            syndrome,
        },
    );
    for psn in 110..142 {
        ok(&mut x, emit(psn));
    }
    assert_eq!(refused(&mut x, emit(142)), Rule::Rewind);
    assert_eq!(refused(&mut x, back(105, AckTimeout)), Rule::Rewind);
    assert_eq!(refused(&mut x, back(104, SequenceNak)), Rule::Psn);
    ok(&mut x, back(105, SequenceNak));
    assert_eq!(refused(&mut x, emit(142)), Rule::Psn);
    ok(&mut x, emit(105));
    assert_eq!(refused(&mut x, back(105, SequenceNak)), Rule::Rewind);
}

/// Of two Sends that are sent again when both are answered each may leave until its completion is written, and not
/// after: software may have other data in its buffer by then (`requester.md` section 7).
#[test]
fn nothing_leaves_of_a_request_whose_completion_is_written() {
    use hca_golden::event::RewindCause::SequenceNak;
    for written in 0..3 {
        let mut x = connected(X_LID, &x_attributes());
        let qpn = X_QPN;
        for n in 0..2 {
            x.post_send(X_QPN, send(n, &[sge(MESSAGE_AT, 8)])).unwrap();
        }
        let (side, producer) = (Send, 2);
        ok(&mut x, Event::Doorbell { qpn, side, producer });
        for n in 0..2 {
            ok(&mut x, fetch(X_QPN, Send, n));
            ok(&mut x, emit(100 + u32::from(n)));
        }
        let answer = |x: &mut Hca, packet, psn, syndrome| {
            x.receive(1, &response(psn, syndrome, 0).encode().unwrap());
            let taken = Event::ResponseAccepted {
                packet,
                qpn,
                psn,
                syndrome,
            };
            ok(x, taken);
        };
        answer(&mut x, 0, 100, 0x60);
        let (psn, cause) = (100, SequenceNak);
        ok(&mut x, Event::Rewound { qpn, psn, cause });
        answer(&mut x, 1, 101, 0x1F);
        for index in 0..written {
            ok(&mut x, completed(index, Status::Success));
        }
        for psn in [100, 101] {
            match psn - 100 < u32::from(written) {
                true => assert_eq!(refused(&mut x, emit(psn)), Rule::GivenBack),
                false => ok(&mut x, emit(psn)),
            }
        }
    }
}

/// A WQE that was flushed is software's: nothing leaves of it after.
#[test]
fn nothing_leaves_of_a_request_whose_flush_is_written() {
    let mut x = failing();
    ok(&mut x, error());
    ok(&mut x, emit(110));
    ok(&mut x, completed(0, Status::RemInvReqErr));
    assert_eq!(refused(&mut x, emit(111)), Rule::GivenBack);
}
