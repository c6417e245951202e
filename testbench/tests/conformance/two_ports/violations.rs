//! CF482: each port has a violation latch of its own (`mad.md` section 6.1).
use super::management::{connect, mad_at};
use super::{connections, to_first, to_second, SECOND_QPN};
use crate::bench::two_ports::{on_both_with_two_ports, SECOND_LID, SECOND_PEER};
use crate::bench::verbs::DONE;
use crate::bench::{Bench, PEER_QPN};
use hca_golden::event::DropReason;
use hca_golden::verbs::{HostEvent, KeyViolation, WrongKey};
use hca_testbench::device::{Outcome, Verb};

on_both_with_two_ports!(cf482_each_port_latches_its_own, cf482_qp1_of_port_2_is_1,);

/// The violations in the latches of both ports.
fn latched(y: &mut Bench) -> [Option<KeyViolation>; 2] {
    [1, 2].map(|port| match y.attempt(Verb::QueryViolation.on_port(port)) {
        Ok(Outcome::Violation(held)) => held.map(|held| *held),
        other => panic!("{other:?}"),
    })
}

/// The violation of a packet that the peer of port 2 sends.
fn at_port_2(key: WrongKey, source_qpn: u32, dest_qpn: u32) -> KeyViolation {
    KeyViolation {
        key,
        slid: SECOND_PEER,
        dlid: SECOND_LID,
        sl: 0,
        source_qpn,
        dest_qpn,
        sgid: [0; 16],
        dgid: [0; 16],
    }
}

fn cf482_each_port_latches_its_own(y: &mut Bench) {
    connections(y, 1);
    let mut second = to_second(0x04, 100, &[1; 4]);
    second.bth.p_key = 0x9002;
    y.arrive_at(2, &[second.clone()]);
    let of_second = at_port_2(WrongKey::PKey(0x9002), 0, SECOND_QPN);
    assert_eq!(latched(y), [None, Some(of_second)]);
    assert_eq!(y.told(), [HostEvent::Violation { port: 2 }]);
    let mut first = to_first(0x04, 100, &[1; 4]);
    first.bth.p_key = 0x9001;
    second.bth.p_key = 0x9003;
    y.arrive_at(1, &[first]);
    y.arrive_at(2, &[second]);
    y.drops();
    assert_eq!(y.told(), [HostEvent::Violation { port: 1 }]);
    let [of_first, held] = latched(y);
    assert_eq!(of_first.map(|held| held.key), Some(WrongKey::PKey(0x9001)));
    assert_eq!(held, Some(of_second));
    assert_eq!(y.attempt(Verb::ReleaseViolation.on_port(2)), DONE);
    assert_eq!(latched(y), [of_first, None]);
}

fn cf482_qp1_of_port_2_is_1(y: &mut Bench) {
    connect(y, 1);
    let mut mad = mad_at(2, 1);
    mad.bth.p_key = 0x9001;
    y.arrive_at(2, &[mad]);
    assert_eq!(y.drops(), [(DropReason::PKey, 1)]);
    let held = at_port_2(WrongKey::PKey(0x9001), PEER_QPN, 1);
    assert_eq!(latched(y), [None, Some(held)]);
    assert_eq!(y.told(), [HostEvent::Violation { port: 2 }]);
}
