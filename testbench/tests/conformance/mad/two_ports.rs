//! Rows of an adapter with two ports: each answers for itself (`mad.md` section 10). Port 1 has LID 2, port 2 LID 22h.
use super::performance::{get, get_of, EXTENDED};
use super::*;
use crate::bench::two_ports::{on_both_with_two_ports, SECOND_LID};
use crate::bench::verbs::DONE;
use hca_golden::event::DropReason;
use hca_golden::port::PortState::{Active, Init};
use hca_golden::verbs::{HostEvent, PortCounter};
use hca_sim::subnet::directed_route::{answer, arrive, request, Arrived, Leaving};
use hca_sim::subnet::Event;
use hca_testbench::device::Outcome;

on_both_with_two_ports!(
    cf467_node_info_names_the_port_to_which_it_came,
    cf469_the_node_has_one_description,
    cf470_a_directed_route_ends_at_the_port_to_which_it_came,
    cf472_each_port_has_a_key_of_its_own,
    cf472_the_key_of_the_port_that_port_info_names_counts,
    cf476_a_set_acts_on_its_own_port,
    cf479_each_port_has_p_keys_and_guids_of_its_own,
    cf480_each_port_maps_its_own_sls,
    cf482_each_port_sends_its_own_traps,
    cf485_each_port_counts_for_itself,
    cf544_down_takes_its_own_port_down,
    cf546_a_repress_is_for_the_port_to_which_it_came,
);

const FIRST_LID: u16 = 2;
const KEY: u64 = 0x0102_0304_0506_0708;
/// Offsets in PortInfo: LID and MasterSMLID, LocalPortNum, M_KeyViolations.
const LID: usize = 16;
const LOCAL_PORT: usize = 28;
const M_KEY_VIOLATIONS: usize = 44;
/// More than the distance of two traps, 4.096 us * 2^18.
const GAP: Duration = Duration::from_millis(1100);

/// Y with QP0 and QP1 of both ports in RTS. MADs come and go by port 1.
fn node(y: &mut Bench) -> Node<'_> {
    let capabilities = Capabilities {
        ports: 2,
        ..two_vls()
    };
    let mut node = Node::with(y, FIRST_LID, 0, capabilities);
    let Ok(settings) = node.kept.settings(2);
    let lid = SECOND_LID;
    let Ok(()) = node.kept.set_settings(2, &Settings { lid, ..settings });
    node
}

/// What a manager at LID `manager` writes into a port with this LID; no change of state.
fn port_info(lid: u16, manager: u16) -> [u8; 64] {
    let mut data = written();
    data[LID..LID + 2].copy_from_slice(&lid.to_be_bytes());
    data[LID + 2..LID + 4].copy_from_slice(&manager.to_be_bytes());
    // LMC 0, and two VLs.
    (data[34], data[43]) = (0, 0x20);
    data
}

/// Both ports know a manager: that of port 1 has LID 1, that of port 2 LID 31h.
fn known(y: &mut Bench) -> Node<'_> {
    let mut node = node(y);
    for (port, lid, manager) in [(1, FIRST_LID, 1), (2, SECOND_LID, 0x31)] {
        node.port = port;
        node.data(&smp(SET, PORT_INFO, 0, &port_info(lid, manager)));
    }
    node
}

fn cf467_node_info_names_the_port_to_which_it_came(y: &mut Bench) {
    let mut node = node(y);
    for (port, guid) in [(1, 0x81), (2, 0x82)] {
        node.port = port;
        let data = node.data(&smp(GET, NODE_INFO, 0, &[]));
        assert_eq!(data[..4], [1, 1, 1, 2], "two ports");
        assert_eq!(data[4..12], [0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44]);
        assert_eq!(data[12..20], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x80]);
        assert_eq!(data[20..28], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, guid]);
        assert_eq!(data[36], port, "LocalPort");
        let data = node.data(&smp(GET, PORT_INFO, 0, &[]));
        assert_eq!(data[LOCAL_PORT], port);
    }
}

fn cf469_the_node_has_one_description(y: &mut Bench) {
    let mut node = node(y);
    for port in [1, 2] {
        node.port = port;
        let data = node.data(&smp(GET, NODE_DESCRIPTION, 0, &[]));
        assert_eq!(data[..8], *b"a node\0\0", "port {port}");
    }
}

/// A manager's own request leaves by its port alone.
fn cf470_a_directed_route_ends_at_the_port_to_which_it_came(y: &mut Bench) {
    let mut node = node(y);
    for port in [1, 2] {
        node.port = port;
        let mad = directed(smp(GET, NODE_INFO, 0, &[]));
        let (slid, mad) = node.arrive(0, Node::packet(0, NEIGHBOUR, NEIGHBOUR, &mad));
        let mut smp = Smp::decode(&mad);
        assert_eq!(arrive(&mut smp, port), Arrived::ForAgent);
        let mad: MadBytes = smp.encode();
        assert_eq!((mad[6], mad[193]), (2, port), "pointer and ReturnPath[1]");
        let Handled::Reply(mut reply) = node.handle(slid, &mad) else {
            panic!("no reply");
        };
        assert_eq!(answer(&mut reply.clone(), 3 - port), None, "by the other port");
        assert_eq!(answer(&mut reply, port), Some(0xFFFF));
        let (slid, dlid, sent) = node.send(0, 0xFFFF, &reply.encode());
        assert_eq!((slid, dlid), (0xFFFF, 0xFFFF));
        assert_eq!((sent[DATA + 36], sent[193]), (port, port));
    }
    let mut mad = directed(smp(GET, NODE_INFO, 0, &[]));
    (mad[6], mad[129]) = (0, 2);
    assert_eq!(request(&mut Smp::decode(&mad), 2), Leaving::ByLink);
    assert_eq!(request(&mut Smp::decode(&mad), 1), Leaving::Dropped);
}

/// PortInfo with the key and this protection.
fn keyed(lid: u16, protect: u8) -> [u8; 64] {
    let mut data = port_info(lid, 1);
    data[..8].copy_from_slice(&KEY.to_be_bytes());
    data[34] |= protect << 6;
    data
}

fn cf472_each_port_has_a_key_of_its_own(y: &mut Bench) {
    let mut node = node(y);
    node.port = 2;
    node.data(&smp(SET, PORT_INFO, 0, &keyed(SECOND_LID, 2)));
    assert_eq!(node.ask(&smp(GET, NODE_INFO, 0, &[])), None);
    node.port = 1;
    node.data(&smp(GET, NODE_INFO, 0, &[]));
    let data = node.data(&smp(GET, PORT_INFO, 0, &[]));
    assert_eq!(data[..8], [0; 8], "M_Key");
    assert_eq!(data[M_KEY_VIOLATIONS..M_KEY_VIOLATIONS + 2], [0, 0]);
    node.port = 2;
    let data = node.data(&with_key(smp(GET, PORT_INFO, 0, &[]), KEY));
    assert_eq!(data[..8], [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(data[M_KEY_VIOLATIONS..M_KEY_VIOLATIONS + 2], [0, 1]);
}

/// By modifier 2 port 1 shows PortInfo of port 2, and sets nothing there.
fn cf472_the_key_of_the_port_that_port_info_names_counts(y: &mut Bench) {
    let mut node = node(y);
    let data = node.data(&smp(GET, PORT_INFO, 2, &[]));
    assert_eq!(data[LID..LID + 2], [0x00, 0x22]);
    assert_eq!(data[LOCAL_PORT], 2);
    let set = port_info(0x44, 1);
    assert_eq!(node.status(&smp(SET, PORT_INFO, 2, &set)), 0x001C);
    for method in [GET, SET] {
        assert_eq!(node.status(&smp(method, PORT_INFO, 3, &set)), 0x001C);
    }
    node.port = 2;
    node.data(&smp(SET, PORT_INFO, 2, &keyed(SECOND_LID, 2)));
    assert_eq!(node.status(&with_key(smp(SET, PORT_INFO, 1, &set), KEY)), 0x001C);
    node.port = 1;
    assert_eq!(node.ask(&smp(GET, PORT_INFO, 2, &[])), None);
    let data = node.data(&with_key(smp(GET, PORT_INFO, 2, &[]), KEY));
    assert_eq!(data[LID..LID + 2], [0x00, 0x22]);
    assert_eq!(data[M_KEY_VIOLATIONS..M_KEY_VIOLATIONS + 2], [0, 1]);
    let data = node.data(&smp(GET, PORT_INFO, 1, &[]));
    assert_eq!(data[LID..LID + 2], [0x00, 0x02]);
    assert_eq!(data[M_KEY_VIOLATIONS..M_KEY_VIOLATIONS + 2], [0, 0]);
}

/// Its LID: port 2 is reached by the new one, port 1 by its old one.
fn cf476_a_set_acts_on_its_own_port(y: &mut Bench) {
    let mut node = node(y);
    node.port = 2;
    let data = node.data(&smp(SET, PORT_INFO, 0, &port_info(0x34, 0x31)));
    assert_eq!(data[LID..LID + 4], [0x00, 0x34, 0x00, 0x31]);
    assert_eq!(node.agent.event(), Some(Event::LidChange { port: 2 }));
    assert_eq!(node.agent.event(), Some(Event::SmChange { port: 2 }));
    let reply = node.ask(&smp(GET, PORT_INFO, 0, &[])).expect("by LID 34h");
    assert_eq!(reply[DATA + LOCAL_PORT], 2);
    let get = smp(GET, PORT_INFO, 0, &[]);
    for (port, lid) in [(2, SECOND_LID), (1, 0x34)] {
        node.y.arrive_at(port, &[Node::packet(0, ASKER, lid, &get)]);
        assert_eq!(node.y.drops(), [(DropReason::Dlid, 1)], "port {port}");
    }
    node.port = 1;
    let data = node.data(&get);
    assert_eq!(data[LID..LID + 4], [0x00, 0x02, 0x00, 0x00]);
    assert_eq!(node.agent.event(), None);
}

/// QP1 of each port takes what matches an entry of its own table.
fn cf479_each_port_has_p_keys_and_guids_of_its_own(y: &mut Bench) {
    let mut node = node(y);
    node.port = 2;
    let block = [0x80, 0x42, 0xFF, 0xFF, 0, 0, 0, 0];
    let shown = node.data(&smp(SET, P_KEY_TABLE, 0, &block));
    assert_eq!(shown[..8], block);
    assert_eq!(node.agent.event(), Some(Event::PKeyChange { port: 2 }));
    let mut guids = [0; 64];
    guids[..16].fill(0x99);
    let shown = node.data(&smp(SET, GUID_INFO, 0, &guids));
    assert_eq!(shown[..8], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x82]);
    assert_eq!(shown[8..24], [[0x99; 8], [0; 8]].concat());
    node.port = 1;
    let shown = node.data(&smp(GET, P_KEY_TABLE, 0, &[]));
    assert_eq!(shown[..8], [0xFF, 0xFF, 0, 0, 0, 0, 0, 0]);
    let shown = node.data(&smp(GET, GUID_INFO, 0, &[]));
    assert_eq!(shown[..8], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x81]);
    assert_eq!(shown[8..], [0; 56]);
    for (port, is_taken) in [(2, true), (1, false)] {
        node.port = port;
        let mut packet = Node::packet(1, ASKER, node.lid(), &[7; 256]);
        packet.bth.p_key = 0x8042;
        match is_taken {
            true => drop(node.arrive(1, packet)),
            false => {
                node.y.arrive_at(port, &[packet]);
                assert_eq!(node.y.drops(), [(DropReason::PKey, 1)]);
            }
        }
    }
    node.y.told();
}

/// SL 0 of port 2 is on VL 1.
fn cf480_each_port_maps_its_own_sls(y: &mut Bench) {
    let mut node = node(y);
    node.port = 2;
    let shown = node.data(&smp(SET, SL_TO_VL, 0, &[0x10, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(shown[..8], [0x10, 0, 0, 0, 0, 0, 0, 0]);
    for (port, vl) in [(1, 0), (2, 1)] {
        node.port = port;
        let sent = node.send_to(1, peer(), &[7; 256]);
        assert_eq!(sent[0].lrh().unwrap().vl, vl, "port {port}");
        let shown = node.data(&smp(GET, SL_TO_VL, 0, &[]));
        assert_eq!(shown[0], vl << 4);
    }
}

/// Each to its own manager, by its own latch, with its own LID.
fn cf482_each_port_sends_its_own_traps(y: &mut Bench) {
    let mut node = known(y);
    node.y.told();
    for (port, lid, manager, p_key) in [(2, 0x22, 0x31, 0x9002), (1, 0x02, 0x01, 0x9001)] {
        node.port = port;
        let mut packet = Node::packet(1, 0x33, node.lid(), &[7; 256]);
        packet.bth.p_key = p_key;
        node.y.arrive_at(port, &[packet]);
        assert_eq!(node.y.drops(), [(DropReason::PKey, 1)]);
        assert_eq!(node.y.told(), [HostEvent::Violation { port }]);
        for asked in [3 - port, port] {
            let mut registers = Registers {
                y: node.y,
                kept: &mut node.kept,
            };
            let Ok(()) = node.agent.take_violation(&mut registers, asked);
        }
        let (slid, dlid, trap) = node.trap().expect("a trap");
        assert_eq!((slid, dlid), (lid, manager));
        let notice = &trap[DATA..];
        let low = lid as u8;
        assert_eq!(notice[..8], [0x82, 0, 0, 1, 0x01, 0x01, 0x00, low], "257");
        assert_eq!(notice[12..16], [0x00, 0x33, 0x00, low], "LID1 and LID2");
        assert_eq!(notice[18..20], p_key.to_be_bytes());
        assert_eq!(node.trap(), None);
        let transaction = u64::from_be_bytes(trap[8..16].try_into().unwrap());
        assert_eq!(node.ask(&super::traps::repress(transaction, 257)), None);
    }
}

/// The request itself is counted: a packet of 72 words.
fn cf485_each_port_counts_for_itself(y: &mut Bench) {
    let mut node = node(y);
    let (counter, count) = (PortCounter::XmitDiscards, 0x0707);
    let set = Verb::SetPortCounter { counter, count }.on_port(2);
    assert_eq!(node.y.attempt(set), DONE);
    for (port, discards) in [(1, [0, 0]), (2, [7, 7])] {
        node.port = port;
        let answer = node.ask_qp1(&get(port));
        assert_eq!(answer[4..6], [0, 0]);
        assert_eq!(answer[DATA + 1], port, "PortSelect");
        assert_eq!(answer[DATA + 14..DATA + 16], discards);
        let counters = [0, 0, 0, 0, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(answer[DATA + 24..DATA + 40], counters);
        let answer = node.ask_qp1(&get_of(EXTENDED, port));
        assert_eq!(answer[DATA + 39], 2, "packets received");
        for attribute in [0x0012, EXTENDED] {
            let answer = node.ask_qp1(&get_of(attribute, 3 - port));
            assert_eq!(answer[4..6], [0x00, 0x1C], "{attribute:04X}h of the other port");
        }
    }
    // A Set clears 64-bit counters of its own port.
    let mut clear = get_of(EXTENDED, 2);
    clear[3] = SET;
    let answer = node.ask_qp1(&clear);
    assert_eq!(answer[DATA + 39], 0);
    node.port = 1;
    let answer = node.ask_qp1(&get_of(EXTENDED, 1));
    assert_eq!(answer[DATA + 39], 5);
}

fn cf544_down_takes_its_own_port_down(y: &mut Bench) {
    let mut node = known(y);
    node.port = 2;
    let mut set = port_info(SECOND_LID, 0x31);
    set[32] = 0x11;
    let data = node.data(&smp(SET, PORT_INFO, 0, &set));
    assert_eq!(data[32], 0x14, "still Active in the reply");
    let states = [1, 2].map(|port| match node.y.attempt(Verb::QueryPortState.on_port(port)) {
        Ok(Outcome::PortState(state)) => state,
        other => panic!("{other:?}"),
    });
    assert_eq!(states, [Active, Init], "the link trains anew");
    node.y.told();
}

/// Both ports repeat a trap. A TrapRepress that comes to port 1 does not end the trap of port 2.
fn cf546_a_repress_is_for_the_port_to_which_it_came(y: &mut Bench) {
    use hca_sim::subnet::attribute::Trap;
    let mut node = known(y);
    node.agent.ask(2, Trap::FlowControlWatchdog);
    node.port = 2;
    let (_, dlid, trap) = node.trap().expect("a trap");
    assert_eq!(dlid, 0x31);
    let transaction = u64::from_be_bytes(trap[8..16].try_into().unwrap());
    let repress = super::traps::repress(transaction, 131);
    node.port = 1;
    assert_eq!(node.ask(&repress), None);
    node.now += GAP;
    node.port = 2;
    let (_, _, again) = node.trap().expect("a repetition");
    assert_eq!(again[8..16], trap[8..16]);
    assert_eq!(node.ask(&repress), None);
    node.now += GAP;
    assert_eq!(node.trap(), None);
}
