//! PortInfo (`portinfo.csv`, `mad.md` sections 5.2 and 5.4).
use super::*;
use crate::bench::{on_both, QPN};
use crate::ud::{packet, send};
use hca_golden::event::DropReason;
use hca_golden::port::PortState::{Active, Armed, Down, Init};
use hca_golden::verbs::PortCounter;
use hca_sim::subnet::Event;

mod of_no_lid {
    use super::*;

    on_both!(behind super::super::unmanaged(); cf543_values_at_reset);
}

mod of_a_lid {
    use super::*;

    on_both!(behind super::super::managed();
        cf475_a_value_that_is_not_legal_changes_no_field,
        cf476_the_mtu_acts_on_the_next_packets,
        cf477_violations_are_cleared_by_0_alone,
        cf478_client_reregister_is_an_event_and_shown_once,
        cf544_down_waits_for_the_reply_to_leave,
        cf545_a_step_that_was_done_is_done_again,
    );
}

/// PortInfo of a Set with these states.
fn states(port: u8, physical: u8) -> [u8; 64] {
    let mut data = written();
    data[32] = 0x10 | port;
    data[33] = physical << 4 | 2;
    data
}

fn cf543_values_at_reset(y: &mut Bench) {
    let mut node = Node::at(y, 0, 0);
    node.y.set_port_state(&[Down]);
    let mut expected = [0; 64];
    expected[8..10].copy_from_slice(&[0xFE, 0x80]);
    expected[20..24].copy_from_slice(&[0x06, 0x61, 0x08, 0x18]);
    // Port 1; widths 1X and 4X; 2.5 Gb/s and Init; LinkUp and polling; no key and LMC; 2.5 Gb/s active and enabled.
    expected[28..36].copy_from_slice(&[1, 3, 3, 2, 0x12, 0x52, 0x00, 0x11]);
    // NeighborMTU 4096, one VL, no arbitration tables, MTUCap 4096, one VL operational.
    expected[36..44].copy_from_slice(&[0x50, 0x10, 0, 0, 0, 0x05, 0, 0x10]);
    // Four GUIDs, RespTimeValue 16.
    expected[50..53].copy_from_slice(&[4, 0, 16]);
    let mad = directed(smp(GET, PORT_INFO, 0, &[]));
    let (slid, mad) = node.arrive(0, Node::packet(0, NEIGHBOUR, NEIGHBOUR, &mad));
    let Handled::Reply(reply) = node.handle(slid, &mad) else {
        panic!("no reply");
    };
    let (_, _, sent) = node.send(0, NEIGHBOUR, &reply.encode());
    assert_eq!(sent[DATA..DATA + 64], expected);
    node.y.told();
}

/// Neither of Y's LIDs changes.
fn cf475_a_value_that_is_not_legal_changes_no_field(y: &mut Bench) {
    let mut node = Node::new(y);
    let illegal: [(usize, u8, &str); 6] = [
        (17, 0x00, "LID 0"),
        (16, 0xC0, "LID C014h"),
        (17, 0x16, "LID 16h with LMC 2"),
        (32, 0x12, "PortState 2"),
        (36, 0x60, "MTU 6"),
        (43, 0x20, "OperationalVLs above VLCap"),
    ];
    let before = node.data(&smp(GET, PORT_INFO, 0, &[]));
    for (at, byte, what) in illegal {
        let mut data = written();
        data[at] = byte;
        assert_eq!(node.status(&smp(SET, PORT_INFO, 1, &data)), 0x001C, "{what}");
        assert_eq!(node.data(&smp(GET, PORT_INFO, 0, &[])), before, "{what}");
    }
    assert_eq!(before[16..18], [0x00, 0x10]);
}

/// Byte 36: sent, taken, and too long. An MTU that is refused is none.
fn cf476_the_mtu_acts_on_the_next_packets(y: &mut Bench) {
    let mut node = Node::new(y);
    // Those of QP0 serve no other QP.
    let (cqn, entries) = (5, 64);
    node.y.submit(Verb::CreateCq { cqn, entries });
    node.y.create_another(&QpAttributes {
        send_cq: cqn,
        receive_cq: cqn,
        ..crate::ud::attributes()
    });
    node.y.enter_rts();
    let mut discards = 0;
    for (code, status, bytes) in [
        (0x10, 0, 256),
        (0x60, 0x001C, 256),
        (0x00, 0x001C, 256),
        (0x40, 0, 2048),
    ] {
        let mut info = written();
        info[36] = code;
        assert_eq!(node.status(&smp(SET, PORT_INFO, 1, &info)), status, "{code:02X}h");
        let shown = node.data(&smp(GET, PORT_INFO, 1, &[]))[36];
        assert_eq!(shown, if bytes == 256 { 0x10 } else { 0x40 });
        let y = &mut *node.y;
        y.turn_to(QPN);
        for (wr_id, bytes) in [(1, bytes), (2, bytes + 1)] {
            y.post(send(wr_id, bytes));
        }
        let sent: Vec<_> = y.sent().iter().map(|packet| packet.payload.len()).collect();
        discards += 1;
        assert_eq!(sent, [bytes as usize]);
        assert_eq!(y.completions(), [success(1, 0), success(2, 0)]);
        assert_eq!(y.port_counter(PortCounter::XmitDiscards), discards);
        let arriving = |bytes: u32| {
            let mut packet = packet(0x64, 7, &vec![7; bytes as usize]);
            packet.lrh_mut().unwrap().dlid = 0x14;
            packet
        };
        y.post_receive(3, 0, bytes + 40);
        y.take(&[arriving(bytes + 1), arriving(bytes)]);
        assert_eq!(y.drops(), [(DropReason::PayloadLength, 1)]);
        assert_eq!(y.completions(), [success(3, bytes + 40)]);
    }
}

fn cf477_violations_are_cleared_by_0_alone(y: &mut Bench) {
    let mut node = Node::new(y);
    for (counter, count) in [
        (PortCounter::PKeyViolations, 7),
        (PortCounter::QKeyViolations, 0xFFFF),
    ] {
        node.y.submit(Verb::SetPortCounter { counter, count });
    }
    let mut data = written();
    data[44..50].copy_from_slice(&[0, 1, 0, 1, 0xFF, 0xFF]);
    let shown = node.data(&smp(SET, PORT_INFO, 1, &data));
    assert_eq!(shown[44..50], [0, 0, 0, 7, 0xFF, 0xFF]);
    data[46..48].fill(0);
    let shown = node.data(&smp(SET, PORT_INFO, 1, &data));
    assert_eq!(shown[44..50], [0, 0, 0, 0, 0xFF, 0xFF]);
    data[48..50].fill(0);
    assert_eq!(node.data(&smp(SET, PORT_INFO, 1, &data))[44..50], [0; 6]);
}

fn cf478_client_reregister_is_an_event_and_shown_once(y: &mut Bench) {
    let mut node = Node::new(y);
    node.data(&smp(SET, PORT_INFO, 1, &written()));
    while node.agent.event().is_some() {}
    let mut data = written();
    data[51] |= 0x80;
    assert_eq!(node.data(&smp(SET, PORT_INFO, 1, &data))[51], 0x92);
    assert_eq!(node.data(&smp(GET, PORT_INFO, 1, &[]))[51], 0x12);
    assert_eq!(node.agent.event(), Some(Event::ClientReregister { port: 1 }));
    assert_eq!(node.agent.event(), None);
}

/// To come back, and for good. The LIDs stay.
fn cf544_down_waits_for_the_reply_to_leave(y: &mut Bench) {
    let mut node = Node::new(y);
    for (port, physical, then) in [(1, 0, Init), (0, 2, Init), (0, 3, Down)] {
        node.y.set_port_state(&[Armed, Active]);
        let set = smp(SET, PORT_INFO, 1, &states(port, physical));
        let packet = Node::packet(0, ASKER, node.lid(), &set);
        let (slid, mad) = node.arrive(0, packet);
        let Handled::Reply(reply) = node.handle(slid, &mad) else {
            panic!("no reply");
        };
        assert_eq!(node.y.port_state(), Active);
        let (_, _, sent) = node.send(0, slid, &reply.encode());
        assert_eq!(sent[4..6], [0, 0]);
        assert_eq!(
            sent[DATA + 32..DATA + 34],
            [0x14, 0x52],
            "still Active in the reply"
        );
        node.reply_left();
        assert_eq!(node.y.port_state(), then);
        assert_eq!(node.lid(), 0x14);
    }
    node.y
        .take(&[Node::packet(0, ASKER, 0x14, &smp(GET, NODE_INFO, 0, &[]))]);
    assert_eq!(node.y.drops(), [(DropReason::PortState, 1)]);
    node.y.told();
}

fn cf545_a_step_that_was_done_is_done_again(y: &mut Bench) {
    let mut node = Node::new(y);
    node.y.set_port_state(&[Down]);
    for (code, at) in [(3, Armed), (4, Active)] {
        for _ in 0..2 {
            let shown = node.data(&smp(SET, PORT_INFO, 1, &states(code, 0)));
            assert_eq!(shown[32], 0x10 | code);
            assert_eq!(shown[16..18], [0x00, 0x14], "other fields are taken");
            assert_eq!(node.y.port_state(), at);
        }
    }
    node.y.told();
}
