//! The P_Key table: a written entry is in force in the clock after the write, in which no packet departs; its retire
//! record comes two clocks later.
use crate::bench::{library, Bench};
use hca_host::register::{PORT_GID, PORT_P_KEY};
use hca_host::retire::Record;
use hca_rtl::control::PKeyTable;
use std::collections::VecDeque;

/// Kind of a record.
const P_KEY_SET: u8 = 32;

fn new_bench() -> Bench {
    let mut bench = Bench::new(&library::<PKeyTable>("p_key_table"), 1);
    bench.set("bus_read_address", 0);
    bench.set("bus_write", 0);
    bench
}

fn record(bench: &Bench) -> Option<Record> {
    let bytes = bench.bytes("retire_record");
    let bits = bytes
        .iter()
        .rev()
        .fold(0, |bits, byte| bits << 8 | u128::from(*byte));
    bench.is_set("retire_valid").then(|| Record::from_bits(0, bits))
}

/// Writes come in any clock, to the table or elsewhere.
#[test]
fn an_entry_counts_once_it_is_written_and_is_told_in_order() {
    let mut bench = new_bench();
    let mut rng = fastrand::Rng::with_seed(0x464);
    let mut entries = [0; 4];
    // What was written one, two and three clocks ago.
    let mut way = VecDeque::from([None; 3]);
    let mut written = 0;
    for clock in 0..5_000 {
        let at = rng.usize(..4);
        bench.set("bus_read_address", u64::from(PORT_P_KEY) + 4 * at as u64);
        let (to, p_key) = (rng.usize(..4), rng.u16(..));
        let group = *rng
            .choice(&[PORT_P_KEY, PORT_P_KEY, PORT_GID])
            .expect("there are some");
        let writes = rng.u8(..3) == 0;
        bench.set("bus_write", writes.into());
        bench.set("bus_write_address", u64::from(group) + 4 * to as u64);
        bench.set("bus_write_data", u64::from(rng.u16(..)) << 16 | u64::from(p_key));
        bench.settle();
        let table = (0..4).fold(0, |table, n| table | u64::from(entries[n]) << (16 * n));
        assert_eq!(bench.get("p_keys"), table, "clock {clock}");
        assert_eq!(bench.get("read_data"), u64::from(entries[at]), "clock {clock}");
        assert_eq!(bench.is_set("send_hold"), way[0].is_some(), "clock {clock}");
        let told = record(&bench).map(|r| {
            assert_eq!((r.kind, r.unnamed_bits()), (P_KEY_SET, 0), "clock {clock}");
            (usize::from(r.code), r.index as u16)
        });
        assert_eq!(told, way[2], "clock {clock}");
        way.pop_back();
        way.push_front(None);
        if writes && group == PORT_P_KEY {
            entries[to] = p_key;
            way[0] = Some((to, p_key));
            written += 1;
        }
        bench.tick();
    }
    assert!(written > 500, "{written}");
}

#[test]
fn after_a_reset_every_entry_is_empty() {
    let mut bench = new_bench();
    bench.set("bus_write", 1);
    bench.set("bus_write_address", PORT_P_KEY.into());
    bench.set("bus_write_data", 0x9234);
    bench.settle();
    bench.tick();
    bench.set("bus_write", 0);
    bench.settle();
    assert_eq!(bench.get("p_keys"), 0x9234);
    bench.set("reset", 1);
    bench.settle();
    bench.tick();
    bench.set("reset", 0);
    for _ in 0..4 {
        bench.settle();
        assert_eq!((bench.get("p_keys"), bench.is_set("retire_valid")), (0, false));
        bench.tick();
    }
}
