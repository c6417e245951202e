//! CF462: what one port does is nothing to the other (`link.md` section 8).
use super::{
    completions_of, connections, datagrams, to_first, to_second, FIRST_HANDLE, FIRST_QPN, SECOND_HANDLE,
    SECOND_QPN,
};
use crate::bench::peer::{acknowledge, to};
use crate::bench::requester::{work, SEND};
use crate::bench::two_ports::{at_second, on_both_with_two_ports};
use crate::bench::verbs::DONE;
use crate::bench::{Bench, FIRST_PSN};
use crate::ud::{datagram, success};
use hca_golden::event::DropReason;
use hca_golden::port::PortState::{self, Active, Armed, Down, Init};
use hca_golden::verbs::PortCounter::{RcvErrors, RcvPackets, XmitData, XmitDiscards, XmitPackets};
use hca_golden::verbs::{Datagram, HostEvent, SendRequest};
use hca_golden::wire::packet::Packet;
use hca_testbench::device::{Outcome, Verb};

on_both_with_two_ports!(
    cf462_both_ports_send_and_receive_at_once,
    cf462_a_lid_is_of_one_port,
    cf462_counters_are_of_one_port,
    cf462_a_counter_is_set_at_one_port,
    cf462_a_port_that_is_down_leaves_the_other_alone,
    cf462_each_port_goes_through_its_own_states,
    cf462_sls_map_to_the_vls_of_the_port,
    cf462_operational_vls_are_of_one_port,
    cf462_the_active_mtu_is_of_one_port,
);

/// Messages of each port, each way.
const MESSAGES: u32 = 8;

fn set_state(y: &mut Bench, port: u8, states: &[PortState]) {
    for &state in states {
        y.submit(Verb::SetPortState { state }.on_port(port));
    }
    y.settle();
}

/// States of both ports.
fn states(y: &mut Bench) -> [PortState; 2] {
    [1, 2].map(|port| match y.attempt(Verb::QueryPortState.on_port(port)) {
        Ok(Outcome::PortState(state)) => state,
        other => panic!("{other:?}"),
    })
}

/// A signaled datagram of 4 bytes by this handle.
fn to_handle(handle: u32) -> SendRequest {
    let sent = datagram(1, SEND, 4);
    SendRequest {
        datagram: sent.datagram.map(|d| Datagram { handle, ..d }),
        ..sent
    }
}

/// A datagram leaves each port.
fn send_both(y: &mut Bench) {
    for (qpn, handle) in [(FIRST_QPN, FIRST_HANDLE), (SECOND_QPN, SECOND_HANDLE)] {
        y.turn_to(qpn);
        y.post(to_handle(handle));
    }
    y.settle();
    for qpn in [FIRST_QPN, SECOND_QPN] {
        assert_eq!(completions_of(y, qpn), [success(1, 0)]);
    }
}

fn cf462_both_ports_send_and_receive_at_once(y: &mut Bench) {
    connections(y, MESSAGES.into());
    for n in 0..MESSAGES {
        for qpn in [FIRST_QPN, SECOND_QPN] {
            y.turn_to(qpn);
            y.post(work(u64::from(n), SEND, 40));
        }
        let byte = [n as u8 + 1; 4];
        y.submit_at(1, &[to_first(0x04, 100 + n, &byte)]);
        y.submit_at(2, &[to_second(0x04, 100 + n, &byte)]);
    }
    let rows = |packets: &[Packet], opcode: u8| {
        let of = packets.iter().filter(|p| p.bth.opcode == opcode);
        of.map(|p| p.bth.psn).collect::<Vec<_>>()
    };
    let lids = [(2, 1), (0x22, 0x11)];
    for (packets, (slid, dlid)) in y.left().iter().zip(lids) {
        assert_eq!(
            rows(packets, 0x04),
            (FIRST_PSN..FIRST_PSN + MESSAGES).collect::<Vec<_>>()
        );
        // Acks may be joined; the last one is there.
        assert_eq!(rows(packets, 0x11).last(), Some(&(100 + MESSAGES - 1)));
        let is_from = |p: &Packet| p.lrh().is_some_and(|lrh| (lrh.slid, lrh.dlid) == (slid, dlid));
        assert!(packets.iter().all(is_from));
    }
    let last = acknowledge(FIRST_PSN + MESSAGES - 1, 0x1F);
    y.submit_at(2, &[at_second(to(SECOND_QPN, last.clone()))]);
    y.arrive_at(1, &[to(FIRST_QPN, last)]);
    for qpn in [FIRST_QPN, SECOND_QPN] {
        let mut completions = completions_of(y, qpn);
        completions.sort_unstable_by_key(|c| c.0);
        let sent = (0..u64::from(MESSAGES)).map(|n| success(n, 0));
        let received = (0..u64::from(MESSAGES)).map(|n| success(70 + n, 4));
        assert_eq!(completions, sent.chain(received).collect::<Vec<_>>());
    }
}

/// Both have LMC 0 at first; then port 2 has four LIDs.
fn cf462_a_lid_is_of_one_port(y: &mut Bench) {
    connections(y, 1);
    let with_dlid = |dlid, mut packet: Packet| {
        packet.lrh_mut().unwrap().dlid = dlid;
        packet
    };
    y.arrive_at(2, &[with_dlid(2, to_second(0x04, 100, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    y.arrive_at(1, &[with_dlid(0x22, to_first(0x04, 100, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    let (lid, lmc) = (0x20, 2);
    assert_eq!(y.attempt(Verb::SetLid { lid, lmc }.on_port(2)), DONE);
    y.settle();
    y.arrive_at(1, &[with_dlid(3, to_first(0x04, 100, &[1; 4]))]);
    assert_eq!(y.drops(), [(DropReason::Dlid, 1)]);
    y.arrive_at(2, &[with_dlid(0x23, to_second(0x04, 100, &[1; 4]))]);
    assert_eq!(completions_of(y, SECOND_QPN), [success(70, 4)]);
    y.arrive_at(1, &[to_first(0x04, 100, &[1; 4])]);
    assert_eq!(completions_of(y, FIRST_QPN), [success(70, 4)]);
    let slids = y
        .left()
        .map(|p| p.iter().map(|p| p.lrh().unwrap().slid).collect::<Vec<_>>());
    assert_eq!(slids, [vec![2], vec![0x23]]);
}

/// A datagram of 4 bytes has 9 words.
fn cf462_counters_are_of_one_port(y: &mut Bench) {
    datagrams(y, 0);
    y.turn_to(SECOND_QPN);
    y.post(to_handle(SECOND_HANDLE));
    y.post(to_handle(SECOND_HANDLE));
    let [of_first, of_second] = y.left();
    assert_eq!((of_first.len(), of_second.len()), (0, 2));
    assert_eq!(y.completions(), [success(1, 0), success(1, 0)]);
    assert_eq!((y.counts(XmitPackets), y.counts(XmitData)), ([0, 2], [0, 18]));
    let mut no_lid = to_second(0x04, 100, &[1; 4]);
    no_lid.lrh_mut().unwrap().dlid = 0;
    y.arrive_at(2, &[no_lid, to_second(0x04, 100, &[1; 4])]);
    assert_eq!(y.drops(), [(DropReason::Opcode, 1), (DropReason::Dlid, 1)]);
    assert_eq!((y.counts(RcvPackets), y.counts(RcvErrors)), ([0, 1], [0, 1]));
    y.arrive_at(1, &[to_first(0x04, 100, &[1; 4])]);
    assert_eq!(y.drops(), [(DropReason::Opcode, 1)]);
    assert_eq!((y.counts(RcvPackets), y.counts(RcvErrors)), ([1, 1], [0, 1]));
}

fn cf462_a_counter_is_set_at_one_port(y: &mut Bench) {
    let (counter, count) = (XmitPackets, 7);
    assert_eq!(
        y.attempt(Verb::SetPortCounter { counter, count }.on_port(2)),
        DONE
    );
    assert_eq!(y.counts(XmitPackets), [0, 7]);
    datagrams(y, 0);
    send_both(y);
    assert_eq!(y.left().map(|packets| packets.len()), [1, 1]);
    assert_eq!(y.counts(XmitPackets), [1, 8]);
}

fn cf462_a_port_that_is_down_leaves_the_other_alone(y: &mut Bench) {
    datagrams(y, 1);
    set_state(y, 2, &[Down]);
    assert_eq!(states(y), [Active, Init]);
    assert_eq!(y.told(), [HostEvent::PortError { port: 2 }]);
    send_both(y);
    assert_eq!(y.left().map(|packets| packets.len()), [1, 0]);
    assert_eq!(y.counts(XmitDiscards), [0, 1]);
    let to_qp = |qpn| to(qpn, crate::ud::packet(0x64, 7, &[1; 4]));
    y.arrive_at(2, &[at_second(to_qp(SECOND_QPN))]);
    assert_eq!(y.drops(), [(DropReason::PortState, 1)]);
    y.arrive_at(1, &[to_qp(FIRST_QPN)]);
    assert_eq!(completions_of(y, FIRST_QPN), [success(70, 44)]);
    set_state(y, 2, &[Armed, Active]);
    assert_eq!(y.told(), [HostEvent::PortActive { port: 2 }]);
    send_both(y);
    assert_eq!(y.left().map(|packets| packets.len()), [1, 1]);
    y.arrive_at(2, &[at_second(to_qp(SECOND_QPN))]);
    assert_eq!(completions_of(y, SECOND_QPN), [success(70, 44)]);
}

/// By software, by a packet that wakes it, and by its cable.
fn cf462_each_port_goes_through_its_own_states(y: &mut Bench) {
    set_state(y, 1, &[Down]);
    assert_eq!(states(y), [Init, Active]);
    set_state(y, 2, &[Down, Armed]);
    assert_eq!(states(y), [Init, Armed]);
    set_state(y, 1, &[Armed]);
    y.arrive_at(2, &[to_second(0x04, 100, &[1; 4])]);
    assert_eq!(y.drops(), [(DropReason::DestQp, 1)]);
    assert_eq!(states(y), [Armed, Active]);
    y.submit(Verb::DisablePort.on_port(2));
    y.settle();
    assert_eq!(states(y), [Armed, Down]);
    set_state(y, 1, &[Active]);
    assert_eq!(states(y), [Active, Down]);
    let mut told = y.told();
    // Events of two ports have no order.
    told.sort_by_key(|event| {
        matches!(
            event,
            HostEvent::PortError { port: 2 } | HostEvent::PortActive { port: 2 }
        )
    });
    let (error, active) = (
        |port| HostEvent::PortError { port },
        |port| HostEvent::PortActive { port },
    );
    assert_eq!(told, [error(1), active(1), error(2), active(2), error(2)]);
}

/// SL 0, on which both send.
fn cf462_sls_map_to_the_vls_of_the_port(y: &mut Bench) {
    datagrams(y, 0);
    let verb = Verb::SetSlToVl { table: [1; 16] };
    assert_eq!(y.attempt(verb.on_port(2)), DONE);
    send_both(y);
    let vls = y
        .left()
        .map(|p| p.iter().map(|p| p.lrh().unwrap().vl).collect::<Vec<_>>());
    assert_eq!(vls, [vec![0], vec![1]]);
}

/// VL 1 of port 1 carries nothing any more.
fn cf462_operational_vls_are_of_one_port(y: &mut Bench) {
    datagrams(y, 0);
    for port in [1, 2] {
        let verb = Verb::SetSlToVl { table: [1; 16] };
        assert_eq!(y.attempt(verb.on_port(port)), DONE);
    }
    assert_eq!(y.attempt(Verb::SetDataVls { data_vls: 1 }.on_port(1)), DONE);
    y.settle();
    send_both(y);
    assert_eq!(y.left().map(|packets| packets.len()), [0, 1]);
    assert_eq!(y.counts(XmitDiscards), [1, 0]);
}

/// Both send 300 bytes, and 400 come to both.
fn cf462_the_active_mtu_is_of_one_port(y: &mut Bench) {
    datagrams(y, 0);
    assert_eq!(y.attempt(Verb::SetMtu { mtu: 1 }.on_port(2)), DONE);
    y.settle();
    for (qpn, handle) in [(FIRST_QPN, FIRST_HANDLE), (SECOND_QPN, SECOND_HANDLE)] {
        y.turn_to(qpn);
        let of_300 = work(1, SEND, 300);
        y.post(SendRequest {
            sges: of_300.sges,
            ..to_handle(handle)
        });
    }
    y.settle();
    for qpn in [FIRST_QPN, SECOND_QPN] {
        assert_eq!(completions_of(y, qpn), [success(1, 0)]);
    }
    assert_eq!(y.left().map(|packets| packets.len()), [1, 0]);
    assert_eq!(y.counts(XmitDiscards), [0, 1]);
    y.arrive_at(1, &[to_first(0x04, 100, &[1; 400])]);
    assert_eq!(y.drops(), [(DropReason::Opcode, 1)]);
    y.arrive_at(2, &[to_second(0x04, 100, &[1; 400])]);
    assert_eq!(y.drops(), [(DropReason::Length, 1)]);
    assert_eq!(y.counts(RcvErrors), [0, 1]);
}
