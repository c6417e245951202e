//! Accesses that meet a region while it comes or goes: until when each table may be what they found.
use super::case::*;
use super::pair::*;
use hca_golden::event::{DropReason, Event, LATE_LOOKUPS};
use hca_golden::hca::{Hca, Rule};
use hca_golden::verbs::*;

const QPN: u32 = Y_QPN;

fn executed(packet: u32, psn: u32) -> Event {
    let qpn = QPN;
    Event::RequestExecuted { packet, qpn, psn }
}

fn refusal(packet: u32, psn: u32) -> Event {
    let (qpn, syndrome) = (QPN, 0x62);
    Event::RequestRefused {
        packet,
        qpn,
        psn,
        syndrome,
    }
}

/// First, middle and last of three have PSNs 100, 101 and 102; a middle one has no AETH.
fn read_response(psn: u32) -> Event {
    let (qpn, syndrome) = (QPN, if psn == 101 { 0 } else { 0x1F });
    Event::ReadResponseEmitted { qpn, psn, syndrome }
}

/// Y with a Read of three packets from its region, executed, and one response of it sent.
fn reading() -> Hca {
    let mut y = responder_of_region(|_| {});
    y.receive(
        1,
        &with_reth(request(0x0C, 100, &[]), TARGET, 0x22, 700)
            .encode()
            .unwrap(),
    );
    y.apply(&executed(0, 100)).unwrap();
    y.apply(&read_response(100)).unwrap();
    y
}

fn write(psn: u32) -> Vec<u8> {
    with_reth(request(0x0A, psn, &[0xEE; 8]), TARGET, 0x22, 8)
        .encode()
        .unwrap()
}

#[test]
fn what_had_its_key_before_the_region_went_goes_on() {
    let mut y = reading();
    y.dereg_mr(0x11).unwrap();
    y.apply(&read_response(101)).unwrap();
    y.apply(&read_response(102)).unwrap();
}

#[test]
fn what_had_not_is_refused() {
    let mut y = reading();
    y.dereg_mr(0x11).unwrap();
    let (qpn, psn, syndrome) = (QPN, 101, 0x62);
    y.apply(&Event::ReadRefused { qpn, psn, syndrome }).unwrap();
}

/// CF142: the request was under way when the read failed. It has no answer, and the last word is the NAK.
#[test]
fn a_request_behind_a_read_that_is_refused() {
    let mut y = reading();
    y.receive(1, &request(0x04, 103, &[]).encode().unwrap());
    y.invalidate(0x22);
    let (qpn, psn, syndrome) = (QPN, 101, 0x62);
    y.apply(&Event::ReadRefused { qpn, psn, syndrome }).unwrap();
    let not_ready = Event::RequestRefused {
        packet: 1,
        qpn,
        psn: 103,
        syndrome: 0x2C,
    };
    let drop = Event::PacketDropped {
        packet: 1,
        reason: DropReason::QpState,
    };
    y.clone().apply(&drop).unwrap();
    y.apply(&not_ready).unwrap();
    let nak = |psn, syndrome| Event::AckEmitted { qpn, psn, syndrome };
    assert_eq!(refused(&mut y.clone(), nak(103, 0x2C)), Rule::AckNotPermitted);
    y.apply(&nak(101, syndrome)).unwrap();
    assert_eq!(refused(&mut y.clone(), nak(103, 0x2C)), Rule::AckNotPermitted);
    y.apply(&Event::StateChanged {
        qpn,
        state: QpState::Error,
    })
    .unwrap();
    y.receive(1, &request(0x04, 103, &[]).encode().unwrap());
    assert_eq!(
        refused(
            &mut y,
            Event::RequestRefused {
                packet: 2,
                qpn,
                psn: 103,
                syndrome: 0x2C
            }
        ),
        Rule::Decision
    );
}

#[test]
fn nothing_finds_a_region_whose_deregistration_has_ended() {
    let mut y = reading();
    y.dereg_mr(0x11).unwrap();
    y.region_is_gone();
    assert_eq!(refused(&mut y, read_response(101)), Rule::Protection);
    let mut y = reading();
    y.invalidate(0x22);
    y.apply(&read_response(101)).unwrap();
    y.region_is_gone();
    assert_eq!(refused(&mut y, read_response(102)), Rule::Protection);
}

#[test]
fn a_request_finds_the_region_or_not_while_it_is_deregistered() {
    for event in [executed(0, 100), refusal(0, 100)] {
        let mut y = responder_of_region(|_| {});
        y.receive(1, &write(100));
        y.dereg_mr(0x11).unwrap();
        y.apply(&event).unwrap();
    }
    let mut y = responder_of_region(|_| {});
    y.receive(1, &write(100));
    y.dereg_mr(0x11).unwrap();
    y.region_is_gone();
    assert_eq!(refused(&mut y, executed(0, 100)), Rule::Decision);
}

/// CF091: the request behind a Send with invalidate.
#[test]
fn cf091_a_request_does_not_find_what_the_one_before_it_took_out_of_use() {
    let mut y = responder_of_region(|_| {});
    y.receive(1, &send_with_invalidate(100, 0x22).encode().unwrap());
    y.receive(1, &write(101));
    y.apply(&Event::Doorbell {
        qpn: QPN,
        side: QueueSide::Receive,
        producer: 1,
    })
    .unwrap();
    y.apply(&Event::WqeFetched {
        qpn: QPN,
        side: QueueSide::Receive,
        index: 0,
    })
    .unwrap();
    y.apply(&executed(0, 100)).unwrap();
    assert_eq!(refused(&mut y, executed(1, 101)), Rule::Decision);
    y.apply(&refusal(1, 101)).unwrap();
}

fn target() -> MemoryRegion {
    MemoryRegion {
        l_key: 0x11,
        r_key: 0x22,
        base: TARGET,
        length: 1024,
        ..all_memory()
    }
}

#[test]
fn a_region_that_comes_may_come_too_late_for_a_request() {
    for event in [executed(0, 100), refusal(0, 100)] {
        let mut y = responder(0);
        y.receive(1, &write(100));
        y.reg_mr(target()).unwrap();
        y.apply(&event).unwrap();
    }
}

#[test]
fn a_request_behind_the_end_of_a_registration_finds_the_region() {
    let mut before = responder(0);
    before.reg_mr(target()).unwrap();
    let mut behind = before.clone();
    before.receive(1, &write(100));
    before.region_stands(0x11);
    before.apply(&refusal(0, 100)).unwrap();
    behind.region_stands(0x11);
    behind.receive(1, &write(100));
    assert_eq!(refused(&mut behind.clone(), refusal(0, 100)), Rule::Decision);
    behind.apply(&executed(0, 100)).unwrap();
}

/// X with a Send from the target region about to leave, posted once `stands` registrations of two have ended: that of
/// another region, then that of the target.
fn sending(stands: usize) -> Hca {
    let mut x = requester();
    let other = MemoryRegion {
        l_key: 0x111,
        r_key: 0x122,
        ..target()
    };
    x.reg_mr(other).unwrap();
    x.reg_mr(target()).unwrap();
    let (early, late) = [0x111, 0x11].split_at(stands);
    early.iter().for_each(|l_key| x.region_stands(*l_key));
    let from_target = Sge {
        addr: TARGET,
        length: 8,
        l_key: 0x11,
    };
    x.post_send(X_QPN, send(1, &[from_target])).unwrap();
    late.iter().for_each(|l_key| x.region_stands(*l_key));
    while let Some(event) = x.choices().first().filter(|e| **e != departs()).copied() {
        x.apply(&event).unwrap();
    }
    x
}

fn departs() -> Event {
    Event::RequestEmitted { qpn: X_QPN, psn: 10 }
}

#[test]
fn a_send_request_posted_behind_the_end_of_a_registration_finds_the_region() {
    let refusal = Event::SendRefused {
        qpn: X_QPN,
        index: 0,
        status: Status::LocProtErr,
    };
    for stands in 0..2 {
        sending(stands).apply(&departs()).unwrap();
        sending(stands).apply(&refusal).unwrap();
    }
    refused(&mut sending(2), refusal);
    sending(2).apply(&departs()).unwrap();
}

/// The end of another says nothing.
#[test]
fn a_request_may_come_before_the_end_of_one_registration_and_behind_that_of_another() {
    let mut y = responder(0);
    y.reg_mr(MemoryRegion {
        l_key: 0x111,
        r_key: 0x122,
        ..target()
    })
    .unwrap();
    y.reg_mr(target()).unwrap();
    y.region_stands(0x111);
    y.receive(1, &write(100));
    y.clone().apply(&refusal(0, 100)).unwrap();
    y.region_stands(0x11);
    y.apply(&refusal(0, 100)).unwrap();
}

#[test]
fn a_key_lives_on_for_so_many_events() {
    for (events, lives) in [(LATE_LOOKUPS, true), (LATE_LOOKUPS + 1, false)] {
        let mut y = reading();
        y.dereg_mr(0x11).unwrap();
        for packet in 1..=events {
            y.receive(1, &[]);
            let reason = DropReason::Length;
            y.apply(&Event::PacketDropped { packet, reason }).unwrap();
        }
        assert_eq!(y.apply(&read_response(101)).is_ok(), lives, "{events} events");
    }
}
