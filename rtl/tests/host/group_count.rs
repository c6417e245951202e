//! A queue pair that has left its last group may be destroyed, and none before (`protocol/ud.md` section 4.1).
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::control::GroupCount;

const QPS: u64 = 16;
/// Groups of the table.
const GROUPS: u8 = 8;

fn pulse(bench: &mut Bench, input: &str, index: u64) {
    bench.set("index", index);
    bench.set(input, 1);
    bench.settle();
    bench.tick();
    bench.set(input, 0);
}

#[test]
fn every_group_that_a_queue_pair_joins_counts_until_it_leaves() {
    let mut bench = Bench::without_clock(&library::<GroupCount<4>>("group_count"), 1);
    for input in ["adds", "removes", "clears"] {
        bench.set(input, 0);
    }
    for index in 0..QPS {
        pulse(&mut bench, "clears", index);
    }
    let mut rng = Rng::with_seed(0x6C0);
    let mut counts = [0; QPS as usize];
    for _ in 0..20_000 {
        let index = rng.u64(..QPS);
        let count = &mut counts[index as usize];
        match rng.u8(..16) {
            0 => {
                pulse(&mut bench, "clears", index);
                *count = 0;
            }
            1..8 if *count < GROUPS => {
                pulse(&mut bench, "adds", index);
                *count += 1;
            }
            _ if *count > 0 => {
                pulse(&mut bench, "removes", index);
                *count -= 1;
            }
            _ => {}
        }
        for (index, &count) in counts.iter().enumerate() {
            bench.set("index", index as u64);
            bench.settle();
            assert_eq!(
                bench.is_set("any"),
                count > 0,
                "queue pair {index} in {count} groups"
            );
        }
    }
}
