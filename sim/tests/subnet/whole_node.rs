//! NodeInfo, NodeDescription, and what no agent answers.
use crate::bench::*;
use hca_sim::subnet::{Handled, Ports};

#[test]
fn node_info_has_the_port_to_which_it_came() {
    let mut bench = Bench::new();
    let reply = bench.ask_at(2, &smp(GET, NODE_INFO, 0, &[])).unwrap();
    let head = [
        1, 1, 1, 0x81, 0, 0, 0, 0, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7,
    ];
    assert_eq!(reply[..16], head);
    assert_eq!(reply[16..24], [0x00, 0x11, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        reply[DATA..DATA + 40],
        [
            1, 1, 1, 2, // versions, channel adapter, two ports
            0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44, // SystemImageGUID
            0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x80, // NodeGUID
            0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x82, // PortGUID: NodeGUID + 2
            0x00, 0x28, // 40 P_Keys
            0x12, 0x34, 0x00, 0x00, 0x01, 0x05, // device and revision
            0x02, 0xAB, 0xCD, 0xEF, // port and vendor
        ]
    );
    assert_eq!(reply[DATA + 40..DATA + 64], [0; 24]);
}

#[test]
fn the_first_guid_of_a_port_is_its_port_guid() {
    let mut bench = Bench::new();
    let data = bench.data(&smp(GET, GUID_INFO, 0, &[]));
    assert_eq!(data[..8], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x81]);
}

#[test]
fn node_description_is_text_and_zeros() {
    let mut bench = Bench::new();
    let data = bench.data(&smp(GET, NODE_DESCRIPTION, 0, &[]));
    assert_eq!(data[..8], *b"a node\0\0");
    assert_eq!(data[8..], [0; 56]);
}

#[test]
fn unknown_attributes_methods_and_versions() {
    let mut bench = Bench::new();
    let before = (bench.agent.clone(), bench.ports.clone());
    for attribute in [
        0x0000, 0x0002, 0x0012, 0x0013, 0x0019, 0x0020, 0x0031, 0xFF00, 0xFFFF,
    ] {
        for method in [GET, SET] {
            assert_eq!(
                bench.status(&smp(method, attribute, 0, &[])),
                0x000C,
                "{attribute:04X}h"
            );
        }
    }
    assert_eq!(bench.status(&smp(SET, NODE_INFO, 0, &[])), 0x000C);
    assert_eq!(bench.status(&smp(SET, NODE_DESCRIPTION, 0, &[7; 64])), 0x000C);
    for method in [0x00, 0x03, 0x04, 0x06, 0x08, 0x12, 0x7F, 0x82, 0xFF] {
        assert_eq!(
            bench.status(&smp(method, NODE_INFO, 0, &[])),
            0x0008,
            "{method:02X}h"
        );
    }
    for (at, version) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
        let mut mad = smp(GET, NODE_INFO, 0, &[]);
        mad[at] = version;
        assert_eq!(bench.status(&mad), 0x0004);
        // The version counts before method and attribute.
        mad[3] = 0x7F;
        assert_eq!(bench.status(&mad), 0x0004);
    }
    assert_eq!((bench.agent, bench.ports), before);
}

/// `mad.md` section 5 step 3, and SMInfo: a manager on the port answers for itself, once the M_Key is right.
#[test]
fn what_is_for_a_manager_reaches_it_if_there_is_one() {
    let mut bench = Bench::managed();
    assert_eq!(bench.status(&smp(GET, SM_INFO, 0, &[])), 0x000C);
    assert_eq!(bench.handle(1, &smp(TRAP, 0x0002, 0, &[])), Handled::Consumed);
    bench.agent.set_is_sm(1, true);
    for mad in [
        smp(GET, SM_INFO, 0, &[]),
        smp(SET, SM_INFO, 1, &[]),
        smp(TRAP, 0x0002, 0, &[]),
    ] {
        assert!(matches!(bench.handle(1, &mad), Handled::ForManager(_)));
    }
    // The other port has none.
    assert_eq!(
        bench.ask_at(2, &smp(GET, SM_INFO, 0, &[])).unwrap()[4..6],
        [0x00, 0x0C]
    );
    let mut data = port_info();
    data[..8].fill(0x77);
    bench.data(&smp(SET, PORT_INFO, 0, &data));
    assert_eq!(bench.handle(1, &smp(SET, SM_INFO, 1, &[])), Handled::Consumed);
    let lid = bench.ports.settings(1).map(|settings| settings.lid);
    assert_eq!(lid, Ok(0x14));
}
