//! NodeInfo, NodeDescription, and what no agent answers.
use super::*;
use crate::bench::on_both;

on_both!(behind super::managed();
    cf467_cf548_node_info_has_the_port_to_which_it_came,
    cf468_unknown_attributes_methods_and_versions,
    cf469_the_modifier_of_a_whole_node_is_0,
    cf547_a_port_with_one_vl_maps_no_sls,
);

fn cf467_cf548_node_info_has_the_port_to_which_it_came(y: &mut Bench) {
    let mut node = Node::new(y);
    let reply = node.ask(&smp(GET, NODE_INFO, 0, &[])).unwrap();
    let head = [
        1, 1, 1, 0x81, 0, 0, 0, 0, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7,
    ];
    assert_eq!(reply[..16], head);
    assert_eq!(reply[16..24], [0x00, 0x11, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        reply[DATA..DATA + 40],
        [
            1, 1, 1, 1, // versions, channel adapter, one port
            0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44, // SystemImageGUID
            0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x80, // NodeGUID
            0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x81, // PortGUID: NodeGUID + 1
            0x00, 0x04, // four P_Keys
            0x12, 0x34, 0x00, 0x00, 0x01, 0x05, // device and revision
            0x01, 0xAB, 0xCD, 0xEF, // port and vendor
        ]
    );
    assert_eq!(reply[DATA + 40..DATA + 64], [0; 24]);
    let data = node.data(&smp(GET, GUID_INFO, 0, &[]));
    assert_eq!(data[..8], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x81]);
}

fn cf468_unknown_attributes_methods_and_versions(y: &mut Bench) {
    let mut node = Node::new(y);
    for attribute in [0x0002, 0x0020, 0xFFFF] {
        for method in [GET, SET] {
            let status = node.status(&smp(method, attribute, 0, &[]));
            assert_eq!(status, 0x000C, "{attribute:04X}h");
        }
    }
    assert_eq!(node.status(&smp(SET, NODE_INFO, 0, &[])), 0x000C);
    assert_eq!(node.status(&smp(SET, NODE_DESCRIPTION, 0, &[7; 64])), 0x000C);
    for method in [0x00, 0x03, 0x12] {
        let status = node.status(&smp(method, NODE_INFO, 0, &[]));
        assert_eq!(status, 0x0008, "{method:02X}h");
    }
    for (at, version) in [(0, 2), (2, 0)] {
        let mut mad = smp(GET, NODE_INFO, 0, &[]);
        mad[at] = version;
        assert_eq!(node.status(&mad), 0x0004);
    }
}

fn cf469_the_modifier_of_a_whole_node_is_0(y: &mut Bench) {
    let mut node = Node::new(y);
    for attribute in [NODE_INFO, NODE_DESCRIPTION] {
        assert_eq!(node.status(&smp(GET, attribute, 0, &[])), 0);
        assert_eq!(node.status(&smp(GET, attribute, 1, &[])), 0x001C);
        assert_eq!(node.status(&smp(GET, attribute, 0x8000_0000, &[])), 0x001C);
    }
}

fn cf547_a_port_with_one_vl_maps_no_sls(y: &mut Bench) {
    let mut node = Node::new(y);
    for method in [GET, SET] {
        assert_eq!(node.status(&smp(method, SL_TO_VL, 0, &[])), 0x000C);
        assert_eq!(node.status(&smp(method, VL_ARBITRATION, 0x1_0000, &[])), 0x000C);
    }
    let mask = node.data(&smp(GET, PORT_INFO, 0, &[]))[20..24].to_vec();
    assert_eq!(mask, [0x06, 0x61, 0x08, 0x18]);
}
