//! Packets that leave no trace but a counter (`responder.md` section 1, steps 1 to 7).
use super::pair::*;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Hca, Rule};
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;
use hca_golden::wire::crc::{icrc, vcrc};
use hca_golden::wire::packet::Packet;

fn y() -> Hca {
    connected(Y_LID, &y_attributes())
}

fn reason(change: impl FnOnce(&mut Packet)) -> DropReason {
    let mut packet = request(0x04, 100, &[1, 2, 3]);
    change(&mut packet);
    drop_reason(&mut y(), &packet.encode().unwrap())
}

/// The packet with some byte changed and both CRCs right.
fn changed(at: usize, bits: u8) -> Vec<u8> {
    let mut bytes = request(0x04, 100, &[1, 2, 3]).encode().unwrap();
    bytes[at] ^= bits;
    bytes.truncate(bytes.len() - 6);
    bytes.extend(icrc(&bytes));
    bytes.extend(vcrc(&bytes));
    bytes
}

/// CF034, CF035, CF039, CF040, CF055, CF056.
#[test]
fn what_the_link_drops() {
    let good = request(0x04, 100, &[1, 2, 3]).encode().unwrap();
    let mut bad_vcrc = good.clone();
    *bad_vcrc.last_mut().unwrap() ^= 1;
    assert_eq!(drop_reason(&mut y(), &bad_vcrc), DropReason::Vcrc);

    let mut bad_icrc = good.clone();
    bad_icrc[21] ^= 1;
    bad_icrc.truncate(good.len() - 2);
    bad_icrc.extend(vcrc(&bad_icrc));
    assert_eq!(drop_reason(&mut y(), &bad_icrc), DropReason::Icrc);

    assert_eq!(drop_reason(&mut y(), &good[..25]), DropReason::Length);
    assert_eq!(drop_reason(&mut y(), &[]), DropReason::Length);
    assert_eq!(drop_reason(&mut y(), &changed(0, 0x01)), DropReason::LinkVersion);
    assert_eq!(drop_reason(&mut y(), &changed(5, 0x01)), DropReason::Length);
    assert_eq!(
        drop_reason(&mut y(), &changed(1, 0x02)),
        DropReason::NetworkHeader
    );
    assert_eq!(
        drop_reason(&mut y(), &changed(9, 0x01)),
        DropReason::TransportVersion
    );
    assert_eq!(
        drop_reason(&mut y(), &changed(8, 0x15)),
        DropReason::PadCount,
        "11h, whose AETH is payload and pad of a Send"
    );
}

/// CF041, CF042, CF046, CF049, CF050.
#[test]
fn what_the_queue_pair_drops() {
    assert_eq!(reason(|p| p.lrh_mut().unwrap().dlid = 0x21), DropReason::Dlid);
    assert_eq!(reason(|p| p.lrh_mut().unwrap().dlid = 0xC020), DropReason::Dlid);
    assert_eq!(reason(|p| p.bth.dest_qp = 0x35), DropReason::DestQp);
    assert_eq!(reason(|p| p.bth.opcode = 0x24), DropReason::Opcode, "UC");
    assert_eq!(
        reason(|p| p.bth.opcode = 0x80),
        DropReason::Opcode,
        "notification"
    );
    assert_eq!(
        reason(|p| p.bth.opcode = 0xC4),
        DropReason::Opcode,
        "undefined class"
    );
    assert_eq!(reason(|p| p.lrh_mut().unwrap().slid = 0x11), DropReason::Source);
    assert_eq!(reason(|p| p.bth.p_key = 0xFFFE), DropReason::PKey);
    let limited = |p_key| {
        let mut packet = request(0x04, 100, &[]);
        packet.bth.p_key = p_key;
        packet
    };
    assert_eq!(answers(&mut y(), &[limited(0x7FFF)]), [(100, 0x2C, 0)]);
}

/// CF043, CF044, CF045.
#[test]
fn states_that_accept_requests() {
    let only = request(0x04, 100, &[]).encode().unwrap();
    let mut y = Hca::new(PortConfig {
        lid: Y_LID,
        lmc: 0,
        ..PortConfig::default()
    });
    y.create_cq(CQN, 64).unwrap();
    y.create_qp(&y_attributes()).unwrap();
    assert_eq!(drop_reason(&mut y, &only), DropReason::QpState, "Reset");
    y.move_qp(&y_attributes(), QpState::Init).unwrap();
    assert_eq!(drop_reason(&mut y, &only), DropReason::QpState, "Init");
    for state in [QpState::Rtr, QpState::Rts, QpState::Sqd] {
        y.move_qp(&y_attributes(), state).unwrap();
        assert_eq!(
            answers(&mut y, &[request(0x04, 100, &[])]),
            [(100, 0x2C, 0)],
            "{state:?}"
        );
    }
    y.move_qp(&y_attributes(), QpState::Error).unwrap();
    assert_eq!(drop_reason(&mut y, &only), DropReason::QpState, "Error");
}

/// CF016.
#[test]
fn reserved_bits_are_ignored() {
    let mut y = y();
    let mut packet = request(0x04, 100, &[]);
    let lrh = packet.lrh_mut().unwrap();
    (lrh.resv2, lrh.resv5) = (3, 31);
    (packet.bth.f, packet.bth.b, packet.bth.m) = (true, true, true);
    (packet.bth.resv6, packet.bth.resv7) = (0x3F, 0x7F);
    assert_eq!(answers(&mut y, &[packet]), [(100, 0x2C, 0)]);
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
        y.receive(&bytes);
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
        y.receive(&ack.encode().unwrap());
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
        y.receive(bytes);
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
        y.receive(&bytes);
        assert_eq!(y.apply(&dropped(0, other)).unwrap_err().rule, Rule::Decision);
        y.apply(&dropped(0, one)).unwrap();
    }
}
