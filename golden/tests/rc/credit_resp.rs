//! Credits that a responder gives (`aeth.md` section 3 and 5, `responder.md` section 8, CF144 to CF153).
use super::case::*;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Due, Hca, Rule};
use hca_golden::verbs::*;

/// Y in Init, PMTU 256, ePSN 100, four receive WQEs of 1024 bytes to a page.
fn in_init(supplied: bool, receives: u64) -> Hca {
    let attributes = attributes(supplied);
    let mut y = connected(Y_LID, &attributes);
    y.memory_mut().write(TARGET, &message(4096));
    for state in [QpState::Reset, QpState::Init] {
        y.move_qp(&attributes, state).unwrap();
    }
    bring(&mut y, receives);
    settle(&mut y);
    y
}

fn attributes(supplied: bool) -> QpAttributes {
    let mut attributes = responder_attributes();
    attributes.credits.supplied = supplied;
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
fn enter_rtr(y: &mut Hca, supplied: bool) -> Vec<Reply> {
    y.move_qp(&attributes(supplied), QpState::Rtr).unwrap();
    replies(y, [])
}

/// Y in RTR with so many receive WQEs, which it has told of.
fn supplier(receives: u64) -> Hca {
    let mut y = in_init(true, receives);
    assert_eq!(enter_rtr(&mut y, true).len(), 1);
    y
}

fn told(psn: u32, code: u8, msn: u32) -> Reply {
    (0x11, psn, Some((code, msn)))
}

/// Counts and codes of `scenario_seed001.md` section 3 and of every row of the table near its ends.
const CODES: [(u64, u8); 40] = [
    (0, 0),
    (1, 1),
    (2, 2),
    (3, 3),
    (4, 4),
    (5, 4),
    (6, 5),
    (7, 5),
    (8, 6),
    (9, 6),
    (10, 6),
    (11, 6),
    (12, 7),
    (13, 7),
    (14, 7),
    (15, 7),
    (16, 8),
    (17, 8),
    (18, 8),
    (19, 8),
    (20, 8),
    (21, 8),
    (22, 8),
    (23, 8),
    (24, 9),
    (25, 9),
    (26, 9),
    (27, 9),
    (28, 9),
    (29, 9),
    (30, 9),
    (31, 9),
    (32, 10),
    (33, 10),
    (47, 10),
    (48, 11),
    (16384, 28),
    (24576, 29),
    (32767, 29),
    (32768, 30),
];

#[test]
fn cf144_cf145_cf148_the_initial_ack_tells_of_the_receive_wqes() {
    for (count, code) in CODES {
        let mut y = in_init(true, count);
        assert_eq!(enter_rtr(&mut y, true), [told(99, code, 0)], "{count}");
    }
}

#[test]
fn cf146_code_31_where_credits_are_not_supplied() {
    let mut y = in_init(false, 2);
    assert_eq!(enter_rtr(&mut y, false), []);
    assert_eq!(replies(&mut y, [&request(0x04, 100, &[1])]), [told(100, 0x1F, 1)]);
    bring(&mut y, 2);
    assert_eq!(replies(&mut y, []), []);
}

#[test]
fn cf147_the_count_is_zero_after_create_and_reset() {
    let mut y = in_init(true, 0);
    assert_eq!(enter_rtr(&mut y, true), [told(99, 0, 0)]);
    bring(&mut y, 3);
    assert_eq!(replies(&mut y, []), [told(99, 3, 0)]);
    for state in [QpState::Reset, QpState::Init] {
        y.move_qp(&attributes(true), state).unwrap();
    }
    assert_eq!(enter_rtr(&mut y, true), [told(99, 0, 0)]);
}

/// Five receive WQEs: the code of 4 and that of 3, then MSN moves on.
#[test]
fn cf149_a_send_takes_its_wqe_with_the_first_packet() {
    let mut y = supplier(4);
    let packets = [
        request(0x00, 100, &[1; 256]),
        request(0x01, 101, &[1; 256]),
        request(0x02, 102, &[1; 4]),
        request(0x04, 103, &[1; 4]),
    ];
    let acks = [told(100, 3, 0), told(101, 3, 0), told(102, 3, 1), told(103, 2, 2)];
    for (packet, ack) in packets.iter().zip(acks) {
        assert_eq!(replies(&mut y, [packet]), [ack]);
    }
}

/// `aeth.md` section 5: at the packet with the immediate data.
#[test]
fn cf149_a_write_with_immediate_takes_its_wqe_with_the_last_packet() {
    let mut y = supplier(2);
    let first = rdma(0x06, 100, TARGET, 260, &[1; 256]);
    let last = with_immediate(request(0x09, 101, &[1; 4]), [0; 4]);
    assert_eq!(replies(&mut y, [&first]), [told(100, 2, 0)]);
    assert_eq!(replies(&mut y, [&last]), [told(101, 1, 1)]);
}

#[test]
fn cf150_cf273_the_initial_ack_has_the_psn_before_the_first() {
    for (epsn, psn) in [(0, 0xFF_FFFF), (100, 99)] {
        let attributes = QpAttributes {
            rq_psn: epsn,
            ..attributes(true)
        };
        let mut y = in_init(true, 1);
        y.move_qp(&attributes, QpState::Rtr).unwrap();
        assert_eq!(y.due(), [Due::UnsolicitedAck { qpn: Y_QPN, psn }]);
        let came = answered(&mut y, []);
        assert_eq!(rows(&came), [(0x11, psn)]);
        assert_eq!(came[0].aeth().unwrap().syndrome, 1);
        let lrh = came[0].lrh().unwrap();
        assert_eq!((lrh.sl, lrh.slid, lrh.dlid), (3, Y_LID, X_LID));
        assert_eq!((came[0].bth.dest_qp, came[0].bth.a), (X_QPN, false));
    }
}

/// Another answer may come before it, and stands in for it.
#[test]
fn cf150_any_answer_stands_in_for_the_initial_ack() {
    let mut y = in_init(true, 2);
    y.move_qp(&attributes(true), QpState::Rtr).unwrap();
    y.receive(&request(0x04, 100, &[1]).encode().unwrap());
    let (side, index) = (QueueSide::Receive, 0);
    let qpn = Y_QPN;
    let (packet, psn) = (0, 100);
    y.apply(&Event::WqeFetched { qpn, side, index }).unwrap();
    y.apply(&Event::RequestExecuted { packet, qpn, psn }).unwrap();
    assert_eq!(replies(&mut y, []), [told(100, 1, 1)]);
}

/// The peer knows of no more than half: one of two, two of four, but not three of four.
#[test]
fn cf151_an_unsolicited_ack_when_the_peer_may_starve() {
    let mut y = supplier(1);
    bring(&mut y, 1);
    assert_eq!(replies(&mut y, []), [told(99, 2, 0)]);
    bring(&mut y, 1);
    assert_eq!(replies(&mut y, []), [], "it knows of two of three");
    bring(&mut y, 1);
    assert_eq!(replies(&mut y, []), [told(99, 4, 0)]);
    bring(&mut y, 1);
    assert_eq!(replies(&mut y, []), [], "five are told as four");
    for psn in 100..103 {
        let left = 104 - psn;
        assert_eq!(
            replies(&mut y, [&request(0x04, psn, &[])]),
            [told(psn, left as u8, psn - 99)]
        );
    }
    bring(&mut y, 2);
    assert_eq!(replies(&mut y, []), [told(102, 4, 3)]);
}

/// A Send of which no packet was answered yet takes what the peer knows of.
#[test]
fn cf151_what_is_taken_is_not_known_of_any_more() {
    let mut y = supplier(2);
    let mut first = request(0x00, 100, &[1; 256]);
    first.bth.a = false;
    let came = replies(&mut y, [&first]);
    assert!(came.is_empty() || came == [told(100, 1, 0)]);
    bring(&mut y, 1);
    let came = replies(&mut y, []);
    assert_eq!(came[0].2, Some((2, 0)));
}

#[test]
fn cf152_an_unsolicited_ack_after_a_read_is_an_acknowledge() {
    let mut y = supplier(0);
    let read = replies(&mut y, [&read(100, TARGET, 600)]);
    let aeth = Some((0, 1));
    assert_eq!(read, [(0x0D, 100, aeth), (0x0E, 101, None), (0x0F, 102, aeth)]);
    bring(&mut y, 1);
    assert_eq!(replies(&mut y, []), [told(102, 1, 1)]);
    let atomic = replies(&mut y, [&atomic(0x14, 103, TARGET, 1, 0)]);
    assert_eq!(atomic, [(0x12, 103, Some((1, 2)))]);
    bring(&mut y, 1);
    assert_eq!(replies(&mut y, []), [told(103, 2, 2)]);
}

/// RNR and sequence NAK; the answer to what comes again tells all.
#[test]
fn cf153_no_unsolicited_ack_while_a_nak_is_the_latest_answer() {
    for (packet, nak) in [
        (request(0x04, 100, &[]), told(100, 0x2C, 0)),
        (request(0x04, 102, &[]), told(100, 0x60, 0)),
    ] {
        let mut y = supplier(0);
        assert_eq!(replies(&mut y, [&packet]), [nak]);
        bring(&mut y, 3);
        assert_eq!(replies(&mut y, []), []);
        assert_eq!(broken(&mut y, unsolicited(99)), Rule::UnsolicitedAck);
        assert_eq!(replies(&mut y, [&request(0x04, 100, &[])]), [told(100, 2, 1)]);
    }
}

/// The NAK of a read that cannot go on is not the responder's: it may decide on an ack meanwhile, which does not leave.
#[test]
fn cf153_an_unsolicited_ack_under_way_when_a_read_is_refused() {
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
    assert_eq!(broken(&mut y.clone(), unsolicited(99)), Rule::Psn);
    y.apply(&unsolicited(102)).unwrap();
    assert_eq!(broken(&mut y.clone(), unsolicited(102)), Rule::UnsolicitedAck);
    assert_eq!(broken(&mut y.clone(), ack_with(102, 1)), Rule::AckNotPermitted);
    y.apply(&ack_with(100, syndrome)).unwrap();
    assert_eq!(broken(&mut y, ack_with(102, 1)), Rule::AckNotPermitted);
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
        assert_eq!(broken(&mut y.clone(), unsolicited(psn)), Rule::Psn);
    }
    y.apply(&unsolicited(101)).unwrap();
    for (psn, code) in [(99, 4), (100, 4), (101, 4), (101, 3)] {
        assert_eq!(broken(&mut y.clone(), ack_with(psn, code)), Rule::AckNotPermitted);
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

fn broken(y: &mut Hca, event: Event) -> Rule {
    y.apply(&event).unwrap_err().rule
}

/// Takes doorbells and WQEs, decides, and stops before anything leaves.
fn decided(y: &mut Hca, packets: &[hca_golden::wire::packet::Packet]) {
    for packet in packets {
        y.receive(&packet.encode().unwrap());
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

#[test]
fn only_new_receive_wqes_permit_an_unsolicited_ack_and_each_doorbell_one() {
    let mut y = supplier(1);
    assert_eq!(broken(&mut y, unsolicited(99)), Rule::UnsolicitedAck);
    bring(&mut y, 1);
    let doorbell = y.choices()[0];
    y.apply(&doorbell).unwrap();
    for psn in [98, 100] {
        assert_eq!(broken(&mut y, unsolicited(psn)), Rule::Psn);
    }
    y.apply(&unsolicited(99)).unwrap();
    assert_eq!(broken(&mut y, unsolicited(99)), Rule::UnsolicitedAck);
    assert_eq!(broken(&mut y, ack_with(99, 3)), Rule::Syndrome);
    assert_eq!(broken(&mut y, ack_with(99, 0x1F)), Rule::Syndrome);
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
    assert_eq!(broken(&mut y, unsolicited(99)), Rule::Psn);
    y.apply(&unsolicited(101)).unwrap();
    assert_eq!(broken(&mut y, ack_with(101, 1)), Rule::ResponsePassed);
    let aeth = Some((1, 1));
    assert_eq!(
        replies(&mut y, []),
        [(0x0D, 100, aeth), (0x0F, 101, aeth), told(101, 1, 1)]
    );
}

/// The model owes it until something tells: a silent device is seen.
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
