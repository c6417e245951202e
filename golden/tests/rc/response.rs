//! Which responses may leave, in which order (`responder.md` section 8 and 9).
use super::case::*;
use super::pair::*;
use hca_golden::event::Event;
use hca_golden::hca::Rule;
use hca_golden::verbs::*;

fn doorbell(y: &mut hca_golden::hca::Hca) {
    let first = y.choices()[0];
    assert!(matches!(first, Event::Doorbell { .. }));
    y.apply(&first).unwrap();
}

/// Y has executed Send 100, Read 101 and 102, Send 103, and has answered nothing.
fn executed() -> hca_golden::hca::Hca {
    let mut y = responder(2);
    doorbell(&mut y);
    let packets = [
        request(0x04, 100, &[1]),
        read(101, TARGET, 300),
        request(0x04, 103, &[1]),
    ];
    for packet in &packets {
        y.receive(1, &packet.encode().unwrap());
    }
    loop {
        let next = y.choices()[0];
        match next {
            Event::AckEmitted { .. } => return y,
            other => y.apply(&other).unwrap(),
        };
    }
}

const fn emit_ack(psn: u32) -> Event {
    let (qpn, syndrome) = (Y_QPN, 0x1F);
    Event::AckEmitted { qpn, psn, syndrome }
}

const fn emit_data(psn: u32) -> Event {
    let (qpn, syndrome) = (Y_QPN, 0x1F);
    Event::ReadResponseEmitted { qpn, psn, syndrome }
}

#[test]
fn an_ack_passes_no_read() {
    let mut y = executed();
    assert_eq!(refused(&mut y, emit_ack(103)), Rule::ResponsePassed);
    y.apply(&emit_data(101)).unwrap();
    assert_eq!(refused(&mut y, emit_ack(103)), Rule::ResponsePassed);
    y.apply(&emit_data(102)).unwrap();
    y.apply(&emit_ack(103)).unwrap();
}

#[test]
fn responses_leave_in_psn_order() {
    let mut y = executed();
    assert_eq!(refused(&mut y, emit_data(102)), Rule::ResponseNotPermitted);
    y.apply(&emit_data(101)).unwrap();
    assert_eq!(refused(&mut y, emit_data(101)), Rule::ResponseNotPermitted);
    assert_eq!(
        refused(&mut y, emit_ack(100)),
        Rule::AckNotPermitted,
        "told by PSN 101"
    );
    let rest = rows(&settle(&mut y).0);
    assert_eq!(rest, [(0x0F, 102), (0x11, 103)]);
}

/// The region goes away between the first response and the second.
#[test]
fn a_read_is_refused_from_its_fault_on_and_not_before() {
    let mut y = responder_of_region(|_| {});
    doorbell(&mut y);
    let packet = with_reth(request(0x0C, 100, &[]), TARGET, 0x22, 700);
    y.receive(1, &packet.encode().unwrap());
    let (qpn, psn) = (Y_QPN, 100);
    y.apply(&Event::RequestExecuted { packet: 0, qpn, psn }).unwrap();
    y.apply(&emit_data(100)).unwrap();
    let refusal = |psn, syndrome| Event::ReadRefused { qpn, psn, syndrome };
    assert_eq!(
        refused(&mut y, refusal(101, 0x62)),
        Rule::Protection,
        "no fault yet"
    );
    y.dereg_mr(0x11).unwrap();
    y.region_is_gone();
    assert_eq!(refused(&mut y, emit_data(101)), Rule::Protection);
    assert_eq!(refused(&mut y, refusal(101, 0x61)), Rule::Syndrome);
    let (packets, _) = settle(&mut y);
    let aeth = packets[0].aeth().unwrap();
    assert_eq!(
        (rows(&packets), aeth.syndrome, aeth.msn),
        (vec![(0x11, 101)], 0x62, 1)
    );
    assert_eq!(state(&y), QpState::Error);
    assert_eq!(y.poll_async(), Some(AsyncEvent::AccessError { qpn }));
}

/// max_dest_rd_atomic is 4; the fifth comes before a response is sent.
#[test]
fn one_read_more_is_refused_until_a_response_leaves() {
    let mut y = responder(0);
    for psn in 100..105 {
        y.receive(1, &read(psn, TARGET, 1).encode().unwrap());
    }
    for packet in 0..4 {
        let (qpn, psn) = (Y_QPN, 100 + packet);
        y.apply(&Event::RequestExecuted { packet, qpn, psn }).unwrap();
    }
    let (qpn, psn) = (Y_QPN, 104);
    let executed = Event::RequestExecuted { packet: 4, qpn, psn };
    assert_eq!(refused(&mut y, executed), Rule::Decision);
    let last = y.clone();
    y.apply(&emit_data(100)).unwrap();
    y.apply(&executed).unwrap();
    let mut y = last;
    let refused = Event::RequestRefused {
        packet: 4,
        qpn,
        psn,
        syndrome: 0x61,
    };
    y.apply(&refused).unwrap();
}

/// The data of a response is that of the moment at which it was fetched, where the device says so.
#[test]
fn a_fetched_response_keeps_its_data() {
    for fetched in [false, true] {
        let mut y = responder(0);
        y.receive(1, &read(100, TARGET, 4).encode().unwrap());
        let (qpn, psn) = (Y_QPN, 100);
        y.apply(&Event::RequestExecuted { packet: 0, qpn, psn }).unwrap();
        if fetched {
            y.apply(&Event::ReadFetched { qpn, psn }).unwrap();
            assert_eq!(
                refused(&mut y, Event::ReadFetched { qpn, psn }),
                Rule::ResponseNotPermitted
            );
        }
        y.memory_mut().write(TARGET, &[9; 4]);
        let payload = decoded(&transmitted(&mut y, emit_data(100))).payload;
        assert_eq!(payload, if fetched { message(4) } else { vec![9; 4] });
    }
}
