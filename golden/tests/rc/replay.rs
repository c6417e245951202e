//! When a device may drop the answer to a duplicate (`responder.md` section 6).
use super::case::*;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::{Due, Rule};
use hca_golden::wire::packet::Packet;

/// Section 6, adopted: four are kept. The duplicate of the first waits while atomics come; what the fourth of them
/// takes is the first one's resource, and not before that may the answer be dropped.
#[test]
fn a_replay_that_waits_is_dropped_once_a_newer_atomic_has_its_resource() {
    let mut y = responder(0);
    y.memory_mut().write(TARGET, &5_u64.to_le_bytes());
    let add = |psn| atomic(0x14, psn, TARGET, 10, 0);
    replies(&mut y, &[add(100)]);
    let qpn = Y_QPN;
    let dropped = Event::ReplayDropped { qpn, psn: 100 };
    for (packet, psn) in [(1, 100), (2, 101), (3, 102), (4, 103), (5, 104)] {
        assert_eq!(refused(&mut y, dropped), Rule::ReplayDropped, "before {psn}");
        y.receive(1, &add(psn).encode().unwrap());
        let event = match psn {
            100 => Event::DuplicateRequest { packet, qpn, psn },
            _ => Event::RequestExecuted { packet, qpn, psn },
        };
        y.apply(&event).unwrap();
    }
    // The answer to PSN 100 is still due, and no other replay may be dropped.
    assert!(y.due().contains(&Due::Response { qpn, psn: 100 }));
    for psn in 101..=104 {
        assert_eq!(
            refused(&mut y, Event::ReplayDropped { qpn, psn }),
            Rule::ReplayDropped
        );
    }
    let mut answers = y.clone();
    let answered: Vec<_> = settle(&mut answers).0.iter().map(original).collect();
    assert_eq!(answered, [(100, 5), (101, 15), (102, 25), (103, 35), (104, 45)]);
    y.apply(&dropped).unwrap();
    assert_eq!(
        refused(&mut y, dropped),
        Rule::ReplayDropped,
        "it is reported once"
    );
    let answered: Vec<_> = settle(&mut y).0.iter().map(original).collect();
    assert_eq!(answered, [(101, 15), (102, 25), (103, 35), (104, 45)]);
}

/// Reads may take the resources, too; the value is lost to an atomic.
#[test]
fn a_replay_that_waits_behind_reads_is_not_dropped() {
    let mut y = responder(0);
    replies(&mut y, &[atomic(0x14, 100, TARGET, 10, 0)]);
    let qpn = Y_QPN;
    y.receive(1, &atomic(0x14, 100, TARGET, 10, 0).encode().unwrap());
    y.apply(&Event::DuplicateRequest {
        packet: 1,
        qpn,
        psn: 100,
    })
    .unwrap();
    for packet in 2..6 {
        let psn = 99 + packet;
        y.receive(1, &read(psn, TARGET, 1).encode().unwrap());
        y.apply(&Event::RequestExecuted { packet, qpn, psn }).unwrap();
    }
    let dropped = Event::ReplayDropped { qpn, psn: 100 };
    assert_eq!(refused(&mut y, dropped), Rule::ReplayDropped);
    assert_eq!(rows(&settle(&mut y).0)[0], (0x12, 100));
}

fn original(packet: &Packet) -> (u32, u64) {
    (packet.bth.psn, packet.atomic_ack_eth().unwrap().orig_rem_dt)
}
