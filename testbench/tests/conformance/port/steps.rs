//! CF432 to CF434, CF438: from one state to another.
use crate::bench::{on_both, request, Bench};
use crate::ud::packet;
use crate::ud::qp0::{connect, four_lids, smp};
use crate::ud::{peer, send, success};
use hca_golden::event::DropReason;
use hca_golden::port::PortState;
use hca_golden::verbs::HostEvent;
use hca_golden::wire::packet::Packet;
use PortState::{Active, Armed, Down, Init};

on_both!(behind super::four_lids();
    cf432_a_data_packet_makes_an_armed_port_active,
    cf432_what_fails_a_check_of_the_link_does_not,
    cf433_other_steps_change_nothing,
    cf434_a_port_that_goes_down_comes_back_to_init,
    cf438_events_of_the_port,
);

pub const PORT_ACTIVE: HostEvent = HostEvent::PortActive { port: 1 };
pub const PORT_ERROR: HostEvent = HostEvent::PortError { port: 1 };

/// A datagram for LID 10h.
pub fn data() -> Packet {
    let mut data = packet(0x64, 7, &[1; 4]);
    data.lrh_mut().unwrap().dlid = 0x10;
    data
}

/// Also one that no QP takes. SMPs do not.
fn cf432_a_data_packet_makes_an_armed_port_active(y: &mut Bench) {
    connect(y, peer(), 2);
    y.set_port_state(&[Down, Armed]);
    y.take(&[smp(0x81), smp(0x01)]);
    assert_eq!(y.completions().len(), 2);
    assert_eq!(y.port_state(), Armed);
    y.take(&[data()]);
    assert_eq!(y.port_state(), Active);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    assert_eq!(y.told(), [PORT_ERROR, PORT_ACTIVE]);
}

fn cf432_what_fails_a_check_of_the_link_does_not(y: &mut Bench) {
    y.set_port_state(&[Down, Armed]);
    let mut bad_vcrc = data().encode().unwrap();
    *bad_vcrc.last_mut().unwrap() ^= 1;
    let mut other_lid = data();
    other_lid.lrh_mut().unwrap().dlid = 0x20;
    let mut no_lid = data();
    no_lid.lrh_mut().unwrap().dlid = 0;
    let mut other_vl = data();
    other_vl.lrh_mut().unwrap().vl = 9;
    y.receive(&[bad_vcrc]);
    y.take(&[other_lid, no_lid, other_vl]);
    assert_eq!(y.port_state(), Armed);
    let drops = [(DropReason::Vcrc, 1), (DropReason::Dlid, 2), (DropReason::Vl, 1)];
    assert_eq!(y.drops(), drops);
    // The ICRC is no matter of the link.
    let mut bad_icrc = data().encode().unwrap();
    let payload = bad_icrc.len() - 8;
    bad_icrc[payload] ^= 1;
    let covered = bad_icrc.len() - 2;
    let vcrc = hca_golden::wire::crc::vcrc(&bad_icrc[..covered]);
    bad_icrc[covered..].copy_from_slice(&vcrc);
    y.receive(&[bad_icrc]);
    assert_eq!(y.drops(), [(DropReason::Icrc, 1)]);
    assert_eq!(y.port_state(), Active);
}

/// The same state again is no step either.
fn cf433_other_steps_change_nothing(y: &mut Bench) {
    for state in [Active, Armed, Init] {
        y.set_port_state(&[state]);
        assert_eq!(y.port_state(), Active, "{state:?}");
    }
    y.set_port_state(&[Down]);
    for state in [Active, Init] {
        y.set_port_state(&[state]);
        assert_eq!(y.port_state(), Init, "{state:?}");
    }
    y.set_port_state(&[Armed]);
    for state in [Armed, Init] {
        y.set_port_state(&[state]);
        assert_eq!(y.port_state(), Armed, "{state:?}");
    }
    y.set_port_state(&[Active]);
    assert_eq!(y.port_state(), Active);
    assert_eq!(y.told(), [PORT_ERROR, PORT_ACTIVE]);
}

/// From each state but Down.
fn cf434_a_port_that_goes_down_comes_back_to_init(y: &mut Bench) {
    y.datagrams();
    for states in [&[Down][..], &[Down], &[Armed, Down], &[Armed, Active, Down]] {
        y.set_port_state(states);
        assert_eq!(y.port_state(), Init);
    }
    // LIDs and queue pairs are what they were.
    y.set_port_state(&[Armed, Active]);
    y.post(send(1, 4));
    y.settle();
    assert_eq!(y.packets().len(), 1);
    assert_eq!(y.completions(), [success(1, 0)]);
    let mut sent = request(0x04, 7, &[]);
    sent.lrh_mut().unwrap().dlid = 0x13;
    y.take(&[sent]);
    assert_eq!(y.drops(), [(DropReason::Opcode, 1)]);
}

fn cf438_events_of_the_port(y: &mut Bench) {
    assert_eq!(y.told(), []);
    y.set_port_state(&[Down]);
    assert_eq!(y.told(), [PORT_ERROR]);
    y.set_port_state(&[Armed]);
    assert_eq!(y.told(), []);
    y.set_port_state(&[Active]);
    assert_eq!(y.told(), [PORT_ACTIVE]);
    y.set_port_state(&[Down]);
    y.set_port_state(&[Down, Armed, Down]);
    assert_eq!(y.told(), [PORT_ERROR]);
}
