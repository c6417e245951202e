//! GUIDInfo, P_KeyTable, SLtoVLMappingTable, VLArbitrationTable (`protocol/mad.md` section 5).
use crate::bench::*;
use hca_sim::subnet::attribute::ArbitrationEntry;
use hca_sim::subnet::{ArbitrationTable, Event, Ports};

#[test]
fn p_keys_in_blocks_of_32() {
    let mut bench = Bench::new();
    let data = bench.data(&smp(GET, P_KEY_TABLE, 0, &[]));
    assert_eq!(data[..4], [0xFF, 0xFF, 0, 0]);
    assert_eq!(data[4..], [0; 60]);
    let mut block = [0; 64];
    block[..4].copy_from_slice(&[0x7F, 0xFF, 0x80, 0x42]);
    assert_eq!(bench.data(&smp(SET, P_KEY_TABLE, 0, &block)), block);
    assert_eq!(bench.agent.event(), Some(Event::PKeyChange { port: 1 }));
    // 40 entries: of the second block 8 exist. The high half of the modifier means nothing here.
    let shown = bench.data(&smp(SET, P_KEY_TABLE, 0x0005_0001, &[0xAA; 64]));
    assert_eq!(shown[..16], [0xAA; 16]);
    assert_eq!(shown[16..], [0; 48]);
    let p_keys = bench.ports.p_keys(1).unwrap();
    assert_eq!(
        (p_keys.len(), &p_keys[..3], p_keys[39]),
        (40, &[0x7FFF, 0x8042, 0][..], 0xAAAA)
    );
    for method in [GET, SET] {
        assert_eq!(bench.status(&smp(method, P_KEY_TABLE, 2, &[])), 0x001C);
        assert_eq!(bench.status(&smp(method, P_KEY_TABLE, 0xFFFF, &[])), 0x001C);
    }
    assert_eq!(bench.ports.p_keys(1).unwrap(), p_keys);
}

#[test]
fn p_keys_that_are_written_as_they_are_are_no_event() {
    let mut bench = Bench::new();
    let data = bench.data(&smp(GET, P_KEY_TABLE, 0, &[]));
    bench.data(&smp(SET, P_KEY_TABLE, 0, &data));
    assert_eq!(bench.agent.event(), None);
}

#[test]
fn the_first_guid_is_read_only() {
    let mut bench = Bench::new();
    let shown = bench.data(&smp(SET, GUID_INFO, 0, &[0x99; 64]));
    assert_eq!(shown[..8], [0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x81]);
    assert_eq!(shown[8..], [0x99; 56]);
    // 10 entries: of the second block 2 exist, and both may be written.
    let shown = bench.data(&smp(SET, GUID_INFO, 1, &[0x88; 64]));
    assert_eq!((&shown[..16], &shown[16..]), (&[0x88; 16][..], &[0; 48][..]));
    assert_eq!(bench.status(&smp(GET, GUID_INFO, 2, &[])), 0x001C);
    assert_eq!(bench.status(&smp(SET, GUID_INFO, 0xFFFF_FFFF, &[1; 64])), 0x001C);
}

#[test]
fn the_vl_of_sl_0_stands_in_the_high_nibble() {
    let mut bench = Bench::new();
    assert_eq!(bench.data(&smp(GET, SL_TO_VL, 0, &[])), [0; 64]);
    let mut data = [0xEE; 64];
    data[..8].copy_from_slice(&[0x01, 0x23, 0xF0, 0x12, 0x30, 0x00, 0x00, 0x03]);
    // The modifier means nothing here.
    let shown = bench.data(&smp(SET, SL_TO_VL, 0x0102, &data));
    assert_eq!(shown[..8], [0x01, 0x23, 0xF0, 0x12, 0x30, 0x00, 0x00, 0x03]);
    assert_eq!(shown[8..], [0; 56]);
    let vls = bench.ports.sl_to_vl(1).unwrap().vls;
    assert_eq!(vls, [0, 1, 2, 3, 15, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 3]);
}

/// Four data VLs (`link.md` section 6).
#[test]
fn at_reset_the_low_table_serves_every_vl_alike() {
    let mut bench = Bench::new();
    let low = bench.data(&smp(GET, VL_ARBITRATION, 0x0001_0000, &[]));
    assert_eq!(low[..8], [0, 64, 1, 64, 2, 64, 3, 64]);
    assert_eq!(low[8..], [0; 56]);
    assert_eq!(bench.data(&smp(GET, VL_ARBITRATION, 0x0002_0000, &[])), [0; 64]);
    assert_eq!(bench.data(&smp(GET, VL_ARBITRATION, 0x0003_0000, &[])), [0; 64]);
}

#[test]
fn blocks_of_the_arbitration_tables() {
    let mut bench = Bench::new();
    let mut data = [0; 64];
    data[..4].copy_from_slice(&[0xF1, 0x40, 0x02, 0xFF]);
    data[62..].copy_from_slice(&[0x03, 0x01]);
    let mut shown = data;
    shown[0] = 0x01;
    assert_eq!(
        bench.data(&smp(SET, VL_ARBITRATION, 0x0001_0000, &data)),
        shown,
        "low 0 to 31"
    );
    let second = bench.data(&smp(SET, VL_ARBITRATION, 0x0002_0000, &data));
    assert_eq!(
        (&second[..4], &second[4..]),
        (&[0x01, 0x40, 0x02, 0xFF][..], &[0; 60][..]),
        "low 32 to 39"
    );
    let high = bench.data(&smp(SET, VL_ARBITRATION, 0x0003_0000, &data));
    assert_eq!(
        (&high[..4], &high[4..]),
        (&[0x01, 0x40, 0x02, 0xFF][..], &[0; 60][..]),
        "high 0 to 7"
    );
    let low = bench.ports.vl_arbitration(1, ArbitrationTable::Low).unwrap();
    let entry = |vl, weight| ArbitrationEntry { vl, weight };
    assert_eq!(
        (low.len(), low[0], low[31], low[33]),
        (40, entry(1, 64), entry(3, 1), entry(2, 255))
    );
    for modifier in [0x0000_0000, 0x0004_0000, 0x0005_0000, 0xFFFF_0000, 0x0000_0001] {
        for method in [GET, SET] {
            assert_eq!(
                bench.status(&smp(method, VL_ARBITRATION, modifier, &data)),
                0x001C
            );
        }
    }
}
