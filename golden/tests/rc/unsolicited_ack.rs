//! Which unsolicited acks may leave, and which counts an answer may tell (`aeth.md` section 3 and 5, `responder.md`
//! section 8).
use super::case::*;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Due, Hca, Rule};
use hca_golden::verbs::*;

/// Y in Init, PMTU 256, ePSN 100, four receive WQEs of 1024 bytes to a page.
fn in_init(receives: u64) -> Hca {
    let attributes = attributes();
    let mut y = connected(Y_LID, &attributes);
    y.memory_mut().write(TARGET, &message(4096));
    for state in [QpState::Reset, QpState::Init] {
        y.move_qp(&attributes, state).unwrap();
    }
    bring(&mut y, receives);
    settle(&mut y);
    y
}

fn attributes() -> QpAttributes {
    let mut attributes = responder_attributes();
    attributes.credits.supplied = true;
    attributes
}

/// One doorbell for all of them.
fn bring(y: &mut Hca, receives: u64) {
    for n in 0..receives {
        let buffer = sge(BUFFER_AT + n % 4 * 0x400, 1024);
        y.post_receive(Y_QPN, receive(70 + n, &[buffer])).unwrap();
    }
}

/// What the move to RTR brings out.
fn enter_rtr(y: &mut Hca) -> Vec<Reply> {
    y.move_qp(&attributes(), QpState::Rtr).unwrap();
    replies(y, [])
}

/// Y in RTR with `receives` receive WQEs; its initial ack, with their credits, has been sent.
fn supplier(receives: u64) -> Hca {
    let mut y = in_init(receives);
    assert_eq!(enter_rtr(&mut y).len(), 1);
    y
}

fn told(psn: u32, code: u8, msn: u32) -> Reply {
    (0x11, psn, Some((code, msn)))
}

/// More receive WQEs than the rings of the hardware hold; `credit_table.csv`.
#[test]
fn codes_of_many_receive_wqes() {
    for (count, code) in [(16384, 28), (24576, 29), (32767, 29), (32768, 30)] {
        let mut y = in_init(count);
        assert_eq!(enter_rtr(&mut y), [told(99, code, 0)], "{count}");
    }
}

/// Another answer may come before it, and stands in for it.
#[test]
fn any_answer_stands_in_for_the_initial_ack() {
    let mut y = in_init(2);
    y.move_qp(&attributes(), QpState::Rtr).unwrap();
    y.receive(1, &request(0x04, 100, &[1]).encode().unwrap());
    let (side, index) = (QueueSide::Receive, 0);
    let qpn = Y_QPN;
    let (packet, psn) = (0, 100);
    y.apply(&Event::WqeFetched { qpn, side, index }).unwrap();
    y.apply(&Event::RequestExecuted { packet, qpn, psn }).unwrap();
    assert_eq!(replies(&mut y, []), [told(100, 1, 1)]);
}

/// The NAK of a read that cannot go on is not the responder's: it may decide on an ack meanwhile, which does not leave.
#[test]
fn an_unsolicited_ack_under_way_when_a_read_is_refused() {
    let mut y = supplier(0);
    decided(&mut y, &[read(100, TARGET, 600)]);
    bring(&mut y, 1);
    decided(&mut y, &[]);
    y.invalidate(all_memory().r_key);
    y.region_is_gone();
    let (qpn, psn, syndrome) = (Y_QPN, 100, 0x62);
    assert!(y.due().contains(&Due::UnsolicitedAck { qpn, psn: 102 }));
    y.apply(&Event::ReadRefused { qpn, psn, syndrome }).unwrap();
    assert!(!y.due().contains(&Due::UnsolicitedAck { qpn, psn: 102 }));
    assert_eq!(refused(&mut y.clone(), unsolicited(99)), Rule::Psn);
    y.apply(&unsolicited(102)).unwrap();
    assert_eq!(refused(&mut y.clone(), unsolicited(102)), Rule::UnsolicitedAck);
    assert_eq!(refused(&mut y.clone(), ack_with(102, 1)), Rule::AckNotPermitted);
    y.apply(&ack_with(100, syndrome)).unwrap();
    assert_eq!(refused(&mut y, ack_with(102, 1)), Rule::AckNotPermitted);
}

/// An atomic whose target host memory does not give has no answer, and what is decided behind it may not pass it.
#[test]
fn nothing_leaves_behind_an_atomic_without_an_answer() {
    let mut y = supplier(1);
    y.memory_mut().fail(TARGET & !63, 64);
    decided(
        &mut y,
        &[atomic(0x14, 100, TARGET, 1, 0), request(0x04, 101, &[])],
    );
    bring(&mut y, 4);
    decided(&mut y, &[]);
    for psn in [99, 100] {
        assert_eq!(refused(&mut y.clone(), unsolicited(psn)), Rule::Psn);
    }
    y.apply(&unsolicited(101)).unwrap();
    for (psn, code) in [(99, 4), (100, 4), (101, 4), (101, 3)] {
        assert_eq!(
            refused(&mut y.clone(), ack_with(psn, code)),
            Rule::AckNotPermitted
        );
    }
    assert_eq!(replies(&mut y, []), []);
    assert_eq!(super::case::state(&y), QpState::Error);
}

fn unsolicited(psn: u32) -> Event {
    Event::UnsolicitedAck { qpn: Y_QPN, psn }
}

fn ack_with(psn: u32, syndrome: u8) -> Event {
    let qpn = Y_QPN;
    Event::AckEmitted { qpn, psn, syndrome }
}

/// Takes doorbells and WQEs, decides, and stops before anything leaves.
fn decided(y: &mut Hca, packets: &[hca_golden::wire::packet::Packet]) {
    for packet in packets {
        y.receive(1, &packet.encode().unwrap());
    }
    let decides = |event: &&Event| {
        matches!(
            event,
            Event::Doorbell { .. } | Event::WqeFetched { .. } | Event::RequestExecuted { .. }
        )
    };
    while let Some(&event) = y.choices().iter().find(decides) {
        y.apply(&event).unwrap();
    }
}

/// RNR and sequence NAK.
#[test]
fn a_nak_forbids_an_unsolicited_ack() {
    for packet in [request(0x04, 100, &[]), request(0x04, 102, &[])] {
        let mut y = supplier(0);
        assert_eq!(replies(&mut y, [&packet]).len(), 1);
        bring(&mut y, 3);
        assert_eq!(replies(&mut y, []), []);
        assert_eq!(refused(&mut y, unsolicited(99)), Rule::UnsolicitedAck);
    }
}

#[test]
fn only_new_receive_wqes_permit_an_unsolicited_ack_and_each_doorbell_one() {
    let mut y = supplier(1);
    assert_eq!(refused(&mut y, unsolicited(99)), Rule::UnsolicitedAck);
    bring(&mut y, 1);
    let doorbell = y.choices()[0];
    y.apply(&doorbell).unwrap();
    for psn in [98, 100] {
        assert_eq!(refused(&mut y, unsolicited(psn)), Rule::Psn);
    }
    y.apply(&unsolicited(99)).unwrap();
    assert_eq!(refused(&mut y, unsolicited(99)), Rule::UnsolicitedAck);
    assert_eq!(refused(&mut y, ack_with(99, 3)), Rule::Syndrome);
    assert_eq!(refused(&mut y, ack_with(99, 0x1F)), Rule::Syndrome);
    y.apply(&ack_with(99, 2)).unwrap();
}

/// The count of any moment since the decision, not one that the message has taken from.
#[test]
fn an_answer_tells_of_a_count_since_its_decision() {
    for code in 0..=0x1F {
        let mut y = supplier(3);
        decided(&mut y, &[request(0x04, 100, &[])]);
        bring(&mut y, 2);
        decided(&mut y, &[request(0x04, 101, &[])]);
        let permitted = [2, 3, 4].contains(&code);
        assert_eq!(y.apply(&ack_with(100, code)).is_ok(), permitted, "{code}");
    }
    for code in 0..=0x1F {
        let mut y = supplier(3);
        let read = Event::ReadResponseEmitted {
            qpn: Y_QPN,
            psn: 100,
            syndrome: code,
        };
        decided(&mut y, &[super::case::read(100, TARGET, 4)]);
        assert_eq!(y.apply(&read).is_ok(), code == 3, "{code}");
    }
}

/// It waits for the data that is owed, and an ack behind it covers it.
#[test]
fn an_unsolicited_ack_passes_no_read_response() {
    let mut y = supplier(0);
    decided(&mut y, &[read(100, TARGET, 300)]);
    bring(&mut y, 1);
    let doorbell = y.choices()[0];
    y.apply(&doorbell).unwrap();
    assert_eq!(refused(&mut y, unsolicited(99)), Rule::Psn);
    y.apply(&unsolicited(101)).unwrap();
    assert_eq!(refused(&mut y, ack_with(101, 1)), Rule::ResponsePassed);
    let aeth = Some((1, 1));
    assert_eq!(
        replies(&mut y, []),
        [(0x0D, 100, aeth), (0x0F, 101, aeth), told(101, 1, 1)]
    );
}

/// An unsolicited ack stays due until it or another answer is sent, so that a silent device is found.
#[test]
fn an_unsolicited_ack_is_due_until_an_answer_is() {
    let mut y = supplier(0);
    bring(&mut y, 1);
    let doorbell = y.choices()[0];
    y.apply(&doorbell).unwrap();
    let due = Due::UnsolicitedAck { qpn: Y_QPN, psn: 99 };
    assert_eq!(y.due(), std::slice::from_ref(&due));
    decided(&mut y, &[read(100, TARGET, 4)]);
    assert!(!y.due().contains(&due));
}
