//! The M_Key and its lease (`protocol/mad.md` section 4).
use crate::bench::*;
use std::time::Duration;

const KEY: u64 = 0x0102_0304_0506_0708;
const WRONG: u64 = 0x0102_0304_0506_0709;
const KEY_BYTES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// PortInfo with this key, protection and lease period in seconds.
fn keyed(protect: u8, period: u8) -> [u8; 64] {
    let mut data = port_info();
    data[..8].copy_from_slice(&KEY_BYTES);
    data[27] = period;
    data[34] |= protect << 6;
    data
}

/// Active, with that key.
fn bench(protect: u8, period: u8) -> Bench {
    let mut bench = Bench::managed();
    bench.data(&smp(SET, PORT_INFO, 0, &keyed(protect, period)));
    bench
}

fn violations(bench: &mut Bench) -> [u8; 2] {
    let data = bench.data(&with_key(smp(GET, PORT_INFO, 0, &[]), KEY));
    [data[44], data[45]]
}

fn protect(bench: &Bench) -> u8 {
    let Ok(info) = bench.agent.port_info(&mut bench.ports.clone(), 1);
    info.m_key_protect_bits
}

#[test]
fn a_set_with_a_wrong_key_changes_nothing_and_traps() {
    for level in 0..4 {
        let mut bench = bench(level, 0);
        let ports = bench.ports.clone();
        let mut data = keyed(level, 0);
        data[17] = 0x18;
        let refused = with_key(smp(SET, PORT_INFO, 1, &data), WRONG);
        assert_eq!(bench.ask(&refused), None);
        assert_eq!(bench.ports, ports);
        assert_eq!(violations(&mut bench), [0, 1]);
        let trap = bench.trap().expect("a trap");
        assert_eq!((trap.slid, trap.dlid, trap.sl), (0x14, 1, 0));
        let notice = &trap.smp.data;
        assert_eq!(
            notice[..8],
            [0x82, 0, 0, 1, 0x01, 0x00, 0x00, 0x14],
            "256 of LID 14h"
        );
        assert_eq!(notice[8..16], [0, 0, 0, 0, 0x00, 0x33, 0, 0], "SLID 33h");
        assert_eq!(
            notice[16..24],
            [SET, 0, 0x00, 0x15, 0, 0, 0, 1],
            "method, attribute, modifier"
        );
        assert_eq!(notice[24..32], [1, 2, 3, 4, 5, 6, 7, 9], "the wrong key");
        assert_eq!(notice[32..], [0; 32], "no directed route");
    }
}

#[test]
fn the_counter_of_violations_stays_at_all_ones() {
    let mut bench = bench(2, 0);
    for _ in 0..0x1_0001 {
        assert_eq!(bench.ask(&smp(GET, NODE_INFO, 0, &[])), None);
    }
    assert_eq!(violations(&mut bench), [0xFF, 0xFF]);
}

#[test]
fn what_a_get_with_a_wrong_key_shows() {
    let get = with_key(smp(GET, PORT_INFO, 0, &[]), WRONG);
    assert_eq!(bench(0, 0).data(&get)[..8], KEY_BYTES);
    assert_eq!(bench(1, 0).data(&get)[..8], [0; 8]);
    for level in [2, 3] {
        let mut bench = bench(level, 0);
        assert_eq!(bench.ask(&get), None);
        assert_eq!(bench.data(&with_key(get, KEY))[..8], KEY_BYTES);
    }
    // Other attributes show nothing of the key.
    let get = with_key(smp(GET, NODE_INFO, 0, &[]), WRONG);
    assert_eq!(bench(1, 0).data(&get)[..4], [1, 1, 1, 2]);
    assert_eq!(bench(2, 0).ask(&get), None);
}

#[test]
fn the_lease_ends_without_a_mad() {
    let mut bench = bench(2, 5);
    assert_eq!(bench.ask(&smp(GET, PORT_INFO, 0, &[])), None);
    bench.now += Duration::from_secs(5);
    assert!(bench.agent.wakes().is_some_and(|at| at <= bench.now));
    bench.trap();
    assert_eq!(protect(&bench), 0);
}

/// `mad.md` section 4: the key of the port that the modifier names counts, too.
#[test]
fn port_info_of_another_port_needs_its_key() {
    let mut bench = bench(2, 0);
    let get = smp(GET, PORT_INFO, 1, &[]);
    assert_eq!(bench.ask_at(2, &get), None);
    let reply = bench.ask_at(2, &with_key(get, KEY)).expect("a reply");
    assert_eq!(reply[DATA..DATA + 8], KEY_BYTES);
    assert_eq!(reply[DATA + 28], 1, "LocalPortNum");
}
