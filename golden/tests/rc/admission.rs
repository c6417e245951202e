//! Which fault a device may report or count of a packet that has more than one (`responder.md` section 1).
use super::pair::*;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Hca, Rule};
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;

fn y() -> Hca {
    connected(Y_LID, &y_attributes())
}

fn dropped(packet: u32, reason: DropReason) -> Event {
    Event::PacketDropped { packet, reason }
}

/// Behind the door the reference leaves open which of several faults is counted.
#[test]
fn drops_that_may_be_counted_either_way() {
    let mut both = request(0x04, 100, &[]);
    (both.lrh_mut().unwrap().slid, both.bth.p_key) = (0x11, 0x1234);
    let bytes = both.encode().unwrap();
    let mut y = y();
    for _ in 0..3 {
        y.receive(1, &bytes);
    }
    y.apply(&dropped(0, DropReason::Source)).unwrap();
    y.apply(&dropped(1, DropReason::PKey)).unwrap();
    let other = y.apply(&dropped(2, DropReason::Icrc)).unwrap_err();
    assert_eq!(other.rule, Rule::Decision);
}

/// A response for a QP that does not send yet has a fault by its state, whatever else is wrong with it.
#[test]
fn a_response_in_rtr_from_elsewhere_may_be_counted_either_way() {
    let mut y = Hca::new(PortConfig {
        lid: Y_LID,
        ..PortConfig::default()
    });
    y.create_cq(CQN, 16).unwrap();
    y.create_qp(&y_attributes()).unwrap();
    for state in [QpState::Init, QpState::Rtr] {
        y.move_qp(&y_attributes(), state).unwrap();
    }
    let mut ack = request(0x11, 100, &[]);
    ack.lrh_mut().unwrap().slid = 0x11;
    for _ in 0..3 {
        y.receive(1, &ack.encode().unwrap());
    }
    y.apply(&dropped(0, DropReason::Source)).unwrap();
    y.apply(&dropped(1, DropReason::QpState)).unwrap();
    let other = y.apply(&dropped(2, DropReason::PKey)).unwrap_err();
    assert_eq!(other.rule, Rule::Decision);
}

/// Step 4 stands before step 5: a QP whose state ends the packet may not be asked for it.
#[test]
fn a_drop_of_a_queue_pair_in_error_may_be_counted_by_another_fault() {
    let mut y = y();
    let middle = request(0x01, 100, &[]).encode().unwrap();
    let other_class = request(0x44, 100, &[]).encode().unwrap();
    for bytes in [&middle, &other_class, &other_class, &other_class] {
        y.receive(1, bytes);
    }
    let (qpn, psn, syndrome) = (Y_QPN, 100, 0x61);
    let refused = Event::RequestRefused {
        qpn,
        packet: 0,
        psn,
        syndrome,
    };
    y.apply(&refused).unwrap();
    y.apply(&dropped(1, DropReason::Opcode)).unwrap();
    y.apply(&dropped(2, DropReason::QpState)).unwrap();
    let other = y.apply(&dropped(3, DropReason::PKey)).unwrap_err();
    assert_eq!(other.rule, Rule::Decision);
}

/// At the door the first check that fails is the one reason.
#[test]
fn drops_that_are_counted_one_way() {
    let mut oversize = request(0x04, 100, &[0; 4300]).encode().unwrap();
    oversize[30] ^= 1;
    let mut without_deth = request(0x64, 100, &[]);
    without_deth.extensions.clear();
    let cases = [
        (oversize, DropReason::Vcrc, DropReason::Length),
        (
            without_deth.encode().unwrap(),
            DropReason::HeaderIncomplete,
            DropReason::Opcode,
        ),
    ];
    for (bytes, one, other) in cases {
        let mut y = y();
        y.receive(1, &bytes);
        assert_eq!(y.apply(&dropped(0, other)).unwrap_err().rule, Rule::Decision);
        y.apply(&dropped(0, one)).unwrap();
    }
}

/// `responder.md` section 1, note on steps 11 to 14: of two faults either may be reported.
#[test]
fn either_of_two_faults_may_be_reported() {
    for syndrome in [0x2C, 0x61] {
        let mut y = connected(Y_LID, &y_attributes());
        y.receive(1, &request(0x00, 100, &[1; 2044]).encode().unwrap());
        let refused = Event::RequestRefused {
            packet: 0,
            qpn: Y_QPN,
            psn: 100,
            syndrome,
        };
        y.apply(&refused).unwrap();
    }
}
