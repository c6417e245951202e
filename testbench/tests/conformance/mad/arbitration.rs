//! VLArbitrationTable, and VLHighLimit of PortInfo (`mad.md` sections 5 and 5.2): what a manager writes acts on the
//! packets that wait (`link.md` section 6).
use super::*;
use crate::bench::on_both;
use crate::port::arbitration::{credits, IN_FRONT};
use hca_golden::port::PortState::{Active, Armed, Down};

on_both!(behind super::managed();
    cf476_the_high_limit_acts_on_the_packets_that_wait,
    cf481_blocks_of_the_arbitration_tables,
    cf481_the_tables_act_on_the_packets_that_wait,
);

/// Address handle of SL 1, which is on VL 1. SL 0 is on VL 0.
const OTHER_HANDLE: u32 = 9;

/// Y with two data VLs and flow control.
fn with_lanes(y: &mut Bench) -> Node<'_> {
    let mut node = Node::with(y, 0x10, 2, two_vls());
    node.data(&smp(SET, SL_TO_VL, 0, &[0x01, 0, 0, 0, 0, 0, 0, 0]));
    node.y.address(OTHER_HANDLE, AddressHandle { sl: 1, ..peer() });
    node.y.submit(Verb::SetFlowControl { is_on: true });
    node.y.settle();
    node
}

/// VLs of what leaves after the SMPs in front, if so many packets of QP1, each of 5 blocks, are posted on VL 0 and as
/// many on VL 1, and none has credits before all wait.
fn schedule(node: &mut Node<'_>, of_each: usize) -> Vec<u8> {
    let y = &mut *node.y;
    y.set_port_state(&[Down, Armed, Active]);
    y.told();
    y.sequence();
    y.hold_link(true);
    let post = |y: &mut Bench, qpn: u32, handle: u32| {
        y.turn_to(qpn);
        y.post(SendRequest {
            datagram: Some(Datagram {
                handle,
                dest_qpn: qpn,
                q_key: if qpn == 0 { 0 } else { QP1_KEY },
                p_key_index: 0,
            }),
            ..work(2, SEND, 256)
        });
    };
    (0..IN_FRONT).for_each(|_| post(y, 0, HANDLE));
    y.gather(IN_FRONT);
    for _ in 0..of_each {
        post(y, 1, HANDLE);
        post(y, 1, OTHER_HANDLE);
    }
    y.gather(IN_FRONT + 2 * of_each);
    y.submit_link(&[credits(0, 500), credits(1, 500)]);
    y.run_cycles(2_000);
    y.hold_link(false);
    y.settle();
    for (qpn, packets) in [(0, IN_FRONT), (1, 2 * of_each)] {
        y.turn_to(qpn);
        assert_eq!(y.completions(), vec![success(2, 0); packets]);
    }
    let left: Vec<u8> = y.sequence().into_iter().flatten().collect();
    assert_eq!(y.packets().len(), left.len());
    assert_eq!(left[..IN_FRONT], [15; IN_FRONT]);
    left[IN_FRONT..].to_vec()
}

/// A table of these bytes, VL and weight of each entry.
fn block(pairs: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    block[..pairs.len()].copy_from_slice(pairs);
    block
}

/// Byte 38 of PortInfo: 0, one packet at a time; 255, VL 1 waits for all of VL 0.
fn cf476_the_high_limit_acts_on_the_packets_that_wait(y: &mut Bench) {
    let mut node = with_lanes(y);
    node.data(&smp(SET, VL_ARBITRATION, 0x0003_0000, &block(&[0, 255])));
    node.data(&smp(SET, VL_ARBITRATION, 0x0001_0000, &block(&[1, 255])));
    let schedules = [
        (0, [0, 1, 0, 1, 0, 1]),
        (255, [0, 0, 0, 1, 1, 1]),
        (0, [0, 1, 0, 1, 0, 1]),
    ];
    for (limit, expected) in schedules {
        let mut info = written();
        (info[38], info[43]) = (limit, 0x20);
        assert_eq!(node.data(&smp(SET, PORT_INFO, 1, &info))[38], limit);
        assert_eq!(node.data(&smp(GET, PORT_INFO, 1, &[]))[38], limit);
        assert_eq!(schedule(&mut node, 3), expected, "limit {limit}");
    }
}

/// Bits 31:16 of the modifier. After a reset the low table serves both VLs. Eight entries: the second blocks are beyond
/// the tables.
fn cf481_blocks_of_the_arbitration_tables(y: &mut Bench) {
    let mut node = Node::with(y, 0x10, 2, two_vls());
    let at_reset = [block(&[0, 64, 1, 64]), block(&[])];
    for (modifier, expected) in [0x0001_0000, 0x0003_0000].into_iter().zip(at_reset) {
        assert_eq!(node.data(&smp(GET, VL_ARBITRATION, modifier, &[])), expected);
    }
    let low = [0, 1, 1, 2, 0, 3, 1, 4, 0, 5, 1, 6, 0, 7, 1, 255];
    let high = [1, 9, 0, 8, 14, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1];
    for (modifier, pairs) in [(0x0001_0000, low), (0x0003_0000, high)] {
        // The upper four bits of a VL are reserved, and there is no ninth entry.
        let mut written = block(&pairs);
        (written[2], written[16], written[17]) = (0xF0 | pairs[2], 1, 1);
        assert_eq!(
            node.data(&smp(SET, VL_ARBITRATION, modifier, &written)),
            block(&pairs)
        );
    }
    for (modifier, pairs) in [(0x0001_0000, low), (0x0003_0000, high)] {
        assert_eq!(node.data(&smp(GET, VL_ARBITRATION, modifier, &[])), block(&pairs));
    }
    for modifier in [0, 1, 0x0002_0000, 0x0004_0000, 0x0005_0000, 0xFFFF_0000] {
        for method in [GET, SET] {
            assert_eq!(
                node.status(&smp(method, VL_ARBITRATION, modifier, &block(&low))),
                0x001C,
                "{modifier:08X}h"
            );
        }
    }
}

/// A weight of 6 blocks lets two packets of 5 go, one of 5 a single one.
fn cf481_the_tables_act_on_the_packets_that_wait(y: &mut Bench) {
    let mut node = with_lanes(y);
    assert_eq!(schedule(&mut node, 3), [0, 0, 0, 1, 1, 1], "64 blocks in a turn");
    node.data(&smp(SET, VL_ARBITRATION, 0x0001_0000, &block(&[1, 5, 0, 6])));
    assert_eq!(schedule(&mut node, 4), [1, 0, 0, 1, 0, 0, 1, 1]);
    node.data(&smp(SET, VL_ARBITRATION, 0x0003_0000, &block(&[1, 0, 0, 1])));
    assert_eq!(schedule(&mut node, 3), [0, 1, 0, 0, 1, 1]);
    node.data(&smp(SET, VL_ARBITRATION, 0x0001_0000, &block(&[0, 9, 1, 9])));
    assert_eq!(schedule(&mut node, 3), [0, 0, 0, 1, 1, 1]);
}
