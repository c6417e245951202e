//! Which events a device with two ports may report, and by what rule others are refused (`link.md` section 8).
mod latch;

use hca_golden::capabilities::Capabilities;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Due, Hca, Output, Rule};
use hca_golden::port::{PortConfig, PortState};
use hca_golden::verbs::{
    AddressHandle, Datagram, EndToEndCredits, HostEvent, Pmtu, QpAttributes, QpState, QueueSide,
    ReceiveRequest, RemoteAccess, SendRequest, Service, Sge,
};
use hca_golden::wire::bth::Bth;
use hca_golden::wire::deth::Deth;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::lrh::Lrh;
use hca_golden::wire::packet::{Packet, Route};

/// Number of the first packet that arrives at port 2.
const AT_SECOND: u32 = 1 << 30;
const CQN: u32 = 1;
const Q_KEY: u32 = 0x1234;
/// LIDs of the ports.
const LIDS: [u16; 2] = [2, 0x22];
/// A QP of datagrams of each port.
const QPNS: [u32; 2] = [0x14, 0x25];
const UD_SEND_ONLY: u8 = 0x64;

fn attributes(qpn: u32, port: u8) -> QpAttributes {
    QpAttributes {
        qpn,
        service: Service::Ud,
        send_cq: CQN,
        receive_cq: CQN,
        port,
        p_key_index: 0,
        dest_qpn: 0,
        dlid: 0,
        sl: 0,
        source_path_bits: 0,
        static_rate: 0,
        sgid_index: 0,
        global: None,
        ethernet: None,
        pmtu: Pmtu::B256,
        sq_psn: 5,
        rq_psn: 0,
        min_rnr_timer: 0,
        timeout: 0,
        retry_cnt: 0,
        rnr_retry: 0,
        pd: 0,
        access: RemoteAccess::default(),
        max_rd_atomic: 0,
        max_dest_rd_atomic: 0,
        credits: EndToEndCredits::default(),
        q_key: Q_KEY,
        dry_event: false,
    }
}

/// Both QPs in RTS, each with a receive WQE that the device knows of and an address handle with the QPN's number.
fn hca() -> Hca {
    let port = PortConfig {
        lid: LIDS[0],
        ..PortConfig::default()
    };
    let capabilities = Capabilities {
        ports: 2,
        protects: false,
        ..Capabilities::FULL
    };
    let mut hca = Hca::with(port, capabilities);
    hca.port_mut(2).set_lid(LIDS[1], 0);
    hca.create_cq(CQN, 64).unwrap();
    for (port, qpn) in (1..).zip(QPNS) {
        hca.create_qp(&attributes(qpn, port)).unwrap();
        for state in [QpState::Init, QpState::Rtr, QpState::Rts] {
            hca.move_qp(&attributes(qpn, port), state).unwrap();
        }
        let sges = vec![Sge {
            addr: 0x1000,
            length: 44,
            l_key: 0,
        }];
        hca.post_receive(qpn, ReceiveRequest { wr_id: 1, sges }).unwrap();
        permitted(&mut hca, doorbell(qpn, QueueSide::Receive));
        let address = AddressHandle {
            port,
            dlid: 1,
            ..AddressHandle::default()
        };
        hca.create_ah(qpn, address).unwrap();
    }
    hca
}

fn doorbell(qpn: u32, side: QueueSide) -> Event {
    let producer = 1;
    Event::Doorbell { qpn, side, producer }
}

fn permitted(hca: &mut Hca, event: Event) -> Vec<Output> {
    hca.apply(&event).unwrap()
}

fn rule_of(hca: &mut Hca, event: Event) -> Rule {
    hca.apply(&event).unwrap_err().rule
}

/// A datagram of 4 bytes for this DestQP and LID.
fn datagram(dest_qp: u32, dlid: u16) -> Vec<u8> {
    datagram_of_key(dest_qp, dlid, Q_KEY)
}

fn datagram_of_key(dest_qp: u32, dlid: u16, q_key: u32) -> Vec<u8> {
    let (opcode, p_key) = (UD_SEND_ONLY, 0xFFFF);
    let packet = Packet {
        route: Route::Local(Lrh {
            dlid,
            slid: 1,
            ..Lrh::default()
        }),
        bth: Bth {
            opcode,
            p_key,
            dest_qp,
            ..Bth::default()
        },
        extensions: vec![Extension::Deth(Deth {
            q_key,
            src_qp: 9,
            ..Deth::default()
        })],
        payload: vec![1; 4],
    };
    packet.encode().unwrap()
}

fn executed(packet: u32, qpn: u32) -> Event {
    let psn = 0;
    Event::RequestExecuted { packet, qpn, psn }
}

fn dropped(packet: u32, reason: DropReason) -> Event {
    Event::PacketDropped { packet, reason }
}

fn fetched(qpn: u32) -> Event {
    let (side, index) = (QueueSide::Receive, 0);
    Event::WqeFetched { qpn, side, index }
}

#[test]
fn each_port_numbers_its_packets() {
    let mut hca = hca();
    let at = |hca: &mut Hca, port: u8| hca.receive(port, &datagram(9, LIDS[usize::from(port) - 1]));
    assert_eq!(
        [1, 2, 1, 2].map(|port| at(&mut hca, port)),
        [0, AT_SECOND, 1, AT_SECOND + 1]
    );
    let of = |packet| dropped(packet, DropReason::DestQp);
    assert_eq!(rule_of(&mut hca, of(2)), Rule::NoSuchPacket);
    assert_eq!(rule_of(&mut hca, of(AT_SECOND + 2)), Rule::NoSuchPacket);
    for packet in [AT_SECOND, 0, 1, AT_SECOND + 1] {
        permitted(&mut hca, of(packet));
        assert_eq!(rule_of(&mut hca, of(packet)), Rule::NoSuchPacket);
    }
}

/// A packet for the QP of the other port is dropped, and the packets of the two ports have no order.
#[test]
fn packets_of_two_ports_have_no_order() {
    let mut hca = hca();
    hca.receive(1, &datagram(QPNS[1], LIDS[0]));
    hca.receive(2, &datagram(QPNS[1], LIDS[1]));
    let own = hca.choices().into_iter().find(|e| e.packet() == Some(0));
    assert_eq!(own, Some(dropped(0, DropReason::Source)));
    permitted(&mut hca, fetched(QPNS[1]));
    assert_eq!(rule_of(&mut hca, executed(0, QPNS[1])), Rule::Decision);
    assert_eq!(rule_of(&mut hca, dropped(0, DropReason::PKey)), Rule::Decision);
    permitted(&mut hca, executed(AT_SECOND, QPNS[1]));
    permitted(&mut hca, dropped(0, DropReason::Source));
}

#[test]
fn packets_of_one_port_keep_their_order() {
    let mut hca = hca();
    for _ in 0..2 {
        hca.receive(2, &datagram(QPNS[1], LIDS[1]));
    }
    permitted(&mut hca, fetched(QPNS[1]));
    assert_eq!(
        rule_of(&mut hca, executed(AT_SECOND + 1, QPNS[1])),
        Rule::PacketOrder
    );
    permitted(&mut hca, executed(AT_SECOND, QPNS[1]));
}

#[test]
fn a_packet_leaves_by_the_port_of_its_queue_pair() {
    let mut hca = hca();
    for (port, qpn) in (1..).zip(QPNS) {
        let datagram = Datagram {
            handle: qpn,
            dest_qpn: 9,
            ..Datagram::default()
        };
        let request = SendRequest {
            datagram: Some(datagram),
            ..SendRequest::default()
        };
        hca.post_send(qpn, request).unwrap();
        permitted(&mut hca, doorbell(qpn, QueueSide::Send));
        let (side, index) = (QueueSide::Send, 0);
        permitted(&mut hca, Event::WqeFetched { qpn, side, index });
        let outputs = permitted(&mut hca, Event::RequestEmitted { qpn, psn: 5 });
        let ports: Vec<u8> = outputs.iter().filter_map(port_of).collect();
        assert_eq!(ports, [port]);
    }
}

fn port_of(output: &Output) -> Option<u8> {
    match output {
        Output::Transmit { port, .. } => Some(*port),
        _ => None,
    }
}

/// A step, and an event about it, is of the port that takes it.
#[test]
fn a_step_is_of_one_port() {
    let mut hca = hca();
    hca.port_mut(2).set_port_state(PortState::Down);
    let state = PortState::Down;
    let step = |port, side| Event::PortModified { port, side, state };
    assert_eq!(rule_of(&mut hca, step(1, QueueSide::Receive)), Rule::PortState);
    for port in [0, 3] {
        assert_eq!(rule_of(&mut hca, step(port, QueueSide::Receive)), Rule::Port);
    }
    let (port, side) = (2, QueueSide::Receive);
    assert!(hca.due().contains(&Due::PortModification { port, side, state }));
    permitted(&mut hca, step(2, QueueSide::Receive));
    let [first, second] = [1, 2].map(|port| HostEvent::PortError { port });
    assert_eq!(rule_of(&mut hca, Event::EventWritten(first)), Rule::PortEvent);
    permitted(&mut hca, Event::EventWritten(second));
    permitted(&mut hca, step(2, QueueSide::Send));
    let states = [1, 2].map(|port| hca.port(port).query_port_state());
    assert_eq!(states, [PortState::Active, PortState::Down]);
}

/// A packet that came before the change may have met the table before it, if it came to that port.
#[test]
fn a_p_key_is_of_one_port() {
    let mut hca = hca();
    hca.receive(1, &datagram(QPNS[0], LIDS[0]));
    hca.receive(2, &datagram(QPNS[1], LIDS[1]));
    hca.port_mut(2).set_p_key(0, 0x9111);
    let set = |port| Event::PKeySet {
        port,
        index: 0,
        p_key: 0x9111,
    };
    assert_eq!(rule_of(&mut hca, set(1)), Rule::PKeyTable);
    permitted(&mut hca, set(2));
    assert_eq!(rule_of(&mut hca, dropped(0, DropReason::PKey)), Rule::Decision);
    let mut late = hca.clone();
    permitted(&mut late, fetched(QPNS[1]));
    permitted(&mut late, executed(AT_SECOND, QPNS[1]));
    permitted(&mut hca, dropped(AT_SECOND, DropReason::PKey));
    // One that comes after the change meets the new table alone.
    hca.receive(2, &datagram(QPNS[1], LIDS[1]));
    permitted(&mut hca, fetched(QPNS[1]));
    assert_eq!(
        rule_of(&mut hca, executed(AT_SECOND + 1, QPNS[1])),
        Rule::Decision
    );
}

#[test]
fn vls_are_of_one_port() {
    let mut hca = hca();
    hca.port_mut(2).set_sl_to_vl(&[1; 16]);
    let set = |port, from_sl| Event::SlToVlSet {
        port,
        from_sl,
        vls: 0x1111_1111,
    };
    assert_eq!(rule_of(&mut hca, set(1, 0)), Rule::SlToVl);
    permitted(&mut hca, set(2, 0));
    permitted(&mut hca, set(2, 8));
    assert!(!hca.port(2).is_sl_to_vl_changing());
}

/// A device with one port numbers its packets as port 1 does, and has no other.
#[test]
fn a_device_with_one_port_has_no_second() {
    let mut hca = Hca::new(PortConfig::default());
    assert!(hca.has_port(1) && !hca.has_port(2) && !hca.has_port(0));
    assert_eq!(hca.receive(1, &[]), 0);
    assert_eq!(
        rule_of(&mut hca, dropped(AT_SECOND, DropReason::Length)),
        Rule::NoSuchPacket
    );
    let (side, state) = (QueueSide::Send, PortState::Down);
    let of_second = Event::PortModified { port: 2, side, state };
    assert_eq!(rule_of(&mut hca, of_second), Rule::Port);
}
