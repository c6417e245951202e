//! CF482: the violations that the latch may hold, and the events that it causes (`mad.md` section 6.1).
use super::{datagram_of_key, dropped, hca, permitted, rule_of, AT_SECOND, LIDS, QPNS};
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Due, Hca, Rule};
use hca_golden::verbs::{HostEvent, KeyViolation, WrongKey};

const EVENT: HostEvent = HostEvent::Violation { port: 2 };
const WRITTEN: Event = Event::EventWritten(EVENT);

/// Packet `n` that comes to port 2, with this Q_Key.
fn arrives(hca: &mut Hca, q_key: u32) {
    hca.receive(2, &datagram_of_key(QPNS[1], LIDS[1], q_key));
}

fn is_dropped(hca: &mut Hca, n: u32) {
    permitted(hca, dropped(AT_SECOND + n, DropReason::QKey));
}

/// The Q_Keys that the latch of port 2 may hold.
fn keys(hca: &Hca) -> Vec<Option<u32>> {
    let key = |held: &KeyViolation| match held.key {
        WrongKey::QKey(key) => key,
        WrongKey::PKey(_) => panic!("the P_Keys are right"),
    };
    let possible = hca.port(2).possible_violations();
    possible.iter().map(|held| held.as_ref().map(key)).collect()
}

#[test]
fn each_that_is_taken_is_told_of_once() {
    let mut hca = hca();
    assert_eq!(rule_of(&mut hca, WRITTEN), Rule::ViolationEvent);
    for key in [1, 2, 3] {
        arrives(&mut hca, key);
    }
    is_dropped(&mut hca, 0);
    assert!(hca.due().contains(&Due::Event(EVENT)));
    let of_port_1 = Event::EventWritten(HostEvent::Violation { port: 1 });
    assert_eq!(rule_of(&mut hca, of_port_1), Rule::ViolationEvent);
    let nobody = Event::EventWritten(HostEvent::Violation { port: 3 });
    assert_eq!(rule_of(&mut hca, nobody), Rule::ViolationEvent);
    is_dropped(&mut hca, 1);
    permitted(&mut hca, WRITTEN);
    is_dropped(&mut hca, 2);
    assert_eq!(rule_of(&mut hca, WRITTEN), Rule::ViolationEvent);
    assert_eq!(keys(&hca), [Some(1)]);
    assert_eq!(hca.port(1).possible_violations(), [None]);
}

/// The device may write one event for two violations if the first event still waits.
#[test]
fn events_that_nobody_has_written_may_be_one() {
    let mut hca = hca();
    arrives(&mut hca, 1);
    is_dropped(&mut hca, 0);
    hca.port_mut(2).release_violation();
    assert_eq!(keys(&hca), [None]);
    arrives(&mut hca, 2);
    is_dropped(&mut hca, 1);
    assert_eq!(keys(&hca), [Some(2)]);
    permitted(&mut hca, WRITTEN);
    assert!(!hca.due().contains(&Due::Event(EVENT)));
    permitted(&mut hca, WRITTEN);
    assert_eq!(rule_of(&mut hca, WRITTEN), Rule::ViolationEvent);
}

/// A packet that came before the release has taken effect may have met a latch that was not free.
#[test]
fn what_comes_during_a_release_may_be_missed() {
    let mut hca = hca();
    for key in [1, 2, 3] {
        arrives(&mut hca, key);
    }
    is_dropped(&mut hca, 0);
    permitted(&mut hca, WRITTEN);
    hca.port_mut(2).release_violation();
    hca.port_mut(2).violation_is_releasing();
    is_dropped(&mut hca, 1);
    assert_eq!(keys(&hca), [Some(2), None]);
    hca.violation_released(2);
    is_dropped(&mut hca, 2);
    assert_eq!(keys(&hca), [Some(2), Some(3), None]);
    assert!(!hca.due().contains(&Due::Event(EVENT)));
    let mut told = hca.clone();
    permitted(&mut told, WRITTEN);
    // One that came later is taken if none of them was.
    arrives(&mut hca, 4);
    is_dropped(&mut hca, 3);
    assert_eq!(keys(&hca), [Some(2), Some(3), Some(4)]);
    arrives(&mut hca, 5);
    is_dropped(&mut hca, 4);
    assert_eq!(keys(&hca), [Some(2), Some(3), Some(4)]);
    permitted(&mut hca, WRITTEN);
}
