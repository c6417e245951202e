//! P_KeyTable and GUIDInfo (`mad.md` section 5).
use super::*;
use crate::bench::on_both;
use hca_golden::event::DropReason;
use hca_golden::verbs::{GlobalRoute, PortCounter};
use hca_sim::subnet::Event;

on_both!(behind super::managed();
    cf479_p_keys_in_blocks_of_32,
    cf479_the_first_guid_is_read_only,
    cf479_guids_and_prefix_make_the_gids_of_the_next_packets,
    cf480_sls_are_mapped_to_vls,
);

/// The four entries of the first block act.
fn cf479_p_keys_in_blocks_of_32(y: &mut Bench) {
    let mut node = Node::new(y);
    let data = node.data(&smp(GET, P_KEY_TABLE, 0, &[]));
    assert_eq!(data[..4], [0xFF, 0xFF, 0, 0]);
    let mut block = [0; 64];
    block[..10].copy_from_slice(&[0x7F, 0xFF, 0x80, 0x42, 0, 0, 0, 0, 0x99, 0x99]);
    let shown = node.data(&smp(SET, P_KEY_TABLE, 0, &block));
    assert_eq!(shown[..8], block[..8]);
    assert_eq!(shown[8..], [0; 56]);
    assert_eq!(node.agent.event(), Some(Event::PKeyChange { port: 1 }));
    for method in [GET, SET] {
        assert_eq!(node.status(&smp(method, P_KEY_TABLE, 1, &[])), 0x001C);
        assert_eq!(node.status(&smp(method, P_KEY_TABLE, 0xFFFF, &[])), 0x001C);
    }
    // QP1 takes what matches an entry: 7FFFh is a limited member of the default partition, and 8042h a full one.
    for (p_key, is_taken) in [(0xFFFF, true), (0x0042, true), (0x7FFF, false), (0x9999, false)] {
        let mut packet = Node::packet(1, ASKER, node.lid(), &[7; 256]);
        packet.bth.p_key = p_key;
        match is_taken {
            true => drop(node.arrive(1, packet)),
            false => {
                node.y.take(&[packet]);
                assert_eq!(node.y.drops(), [(DropReason::PKey, 1)], "{p_key:04X}h");
            }
        }
    }
}

fn cf479_the_first_guid_is_read_only(y: &mut Bench) {
    let mut node = Node::new(y);
    let shown = node.data(&smp(SET, GUID_INFO, 0, &[0x99; 64]));
    assert_eq!(shown[..8], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x81]);
    // The table has four entries.
    assert_eq!(shown[8..32], [0x99; 24]);
    assert_eq!(shown[32..], [0; 32]);
    assert_eq!(node.status(&smp(GET, GUID_INFO, 1, &[])), 0x001C);
    assert_eq!(node.status(&smp(SET, GUID_INFO, 0xFFFF_FFFF, &[1; 64])), 0x001C);
}

/// The GUID of entry 2, then the prefix, of PortInfo's bytes 8 to 15 (CF476).
fn cf479_guids_and_prefix_make_the_gids_of_the_next_packets(y: &mut Bench) {
    let mut node = Node::new(y);
    let mut guids = [0; 64];
    guids[16..24].copy_from_slice(&[0x02, 0, 0, 0xFF, 0xFE, 0, 0, 0x21]);
    node.data(&smp(SET, GUID_INFO, 0, &guids));
    let from_entry = |sgid_index| AddressHandle {
        global: Some(GlobalRoute {
            dgid: [0x20; 16],
            flow_label: 0,
            traffic_class: 0,
            hop_limit: 1,
        }),
        sgid_index,
        ..peer()
    };
    let source = |packets: Vec<Packet>| u128::from_be_bytes(packets[0].grh().unwrap().sgid);
    let sent = source(node.send_to(1, from_entry(2), &[7; 256]));
    assert_eq!(sent, 0xFE80_0000_0000_0000_0200_00FF_FE00_0021);
    let mut info = written();
    info[8..16].copy_from_slice(&[0xFE, 0x80, 0, 0, 0, 0, 0xAB, 0xCD]);
    node.data(&smp(SET, PORT_INFO, 1, &info));
    let sent = source(node.send_to(1, from_entry(2), &[7; 256]));
    assert_eq!(sent, 0xFE80_0000_0000_ABCD_0200_00FF_FE00_0021);
    let sent = source(node.send_to(1, from_entry(0), &[7; 256]));
    assert_eq!(sent, 0xFE80_0000_0000_ABCD_5555_6666_7777_8881);
}

/// SL 0 stands in the high nibble of byte 0. What leaves is on the VL of its SL, or is discarded.
fn cf480_sls_are_mapped_to_vls(y: &mut Bench) {
    let mut node = Node::with(y, 0x10, 2, two_vls());
    assert_eq!(node.data(&smp(GET, SL_TO_VL, 0, &[]))[..8], [0; 8]);
    let table = [0x01, 0x10, 0, 0, 0, 0, 0, 0x1F];
    for mad in [smp(SET, SL_TO_VL, 0, &table), smp(GET, SL_TO_VL, 0, &[])] {
        assert_eq!(node.data(&mad)[..8], table);
    }
    for (sl, vl) in [(0, 0), (1, 1), (2, 1), (3, 0), (13, 0), (14, 1)] {
        let address = AddressHandle { sl, ..peer() };
        let sent = node.send_to(1, address, &[7; 256]);
        assert_eq!(sent[0].lrh().unwrap().vl, vl, "SL {sl}");
    }
    let address = AddressHandle { sl: 15, ..peer() };
    assert_eq!(node.send_to(1, address, &[7; 256]), []);
    assert_eq!(node.y.port_counter(PortCounter::XmitDiscards), 1);
}
