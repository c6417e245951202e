//! The retire port: every record of its lane as it came, and orders without a gap.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::retire::Retire;

const LANES: usize = 16;
const RECORD_BYTES: usize = 12;

#[test]
fn records_of_a_clock_have_their_lanes_and_orders_have_no_gap() {
    let mut bench = Bench::new(&library::<Retire>("retire"), 1);
    let mut rng = Rng::with_seed(0x2E71);
    let mut order = 0;
    for _ in 0..5_000 {
        // Few of them at a time, now and then all.
        let valid = [rng.u16(..), rng.u16(..) & rng.u16(..), 0, 0xFFFF][rng.usize(..4)];
        let records: Vec<[u8; RECORD_BYTES]> =
            (0..LANES).map(|_| std::array::from_fn(|_| rng.u8(..))).collect();
        for (lane, record) in records.iter().enumerate() {
            bench.set(&format!("lane_{lane}_valid"), u64::from(valid >> lane & 1));
            bench.set_bytes(&format!("lane_{lane}_record"), record);
        }
        bench.settle();
        assert_eq!(bench.get("retire_valid"), u64::from(valid));
        assert_eq!(bench.get("retire_order"), order);
        assert_eq!(bench.bytes("retire_record"), records.concat());
        bench.tick();
        order += u64::from(valid.count_ones());
    }
}
