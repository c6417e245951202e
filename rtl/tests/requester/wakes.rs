//! A packet that leaves wakes its QP if that sleeps until one has left, and if it is in the pipeline.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::requester::LeftWakes;

const STAGES: [&str; 4] = ["fetch", "judge", "launch", "settle"];

#[test]
fn sleepers_and_those_in_the_pipeline() {
    let mut bench = Bench::without_clock(&library::<LeftWakes<4>>("left_wakes"), 1);
    let mut rng = Rng::with_seed(0x3A4E);
    let mut sleeps = [false; 16];
    for clock in 0..20_000 {
        let left = rng.usize(0..16);
        // The first clocks say of each whether it sleeps.
        let sets = clock < 16 || rng.bool();
        let (at, crowded) = (if clock < 16 { clock } else { rng.usize(0..16) }, rng.bool());
        let leaves = clock >= 16 && rng.u8(0..4) != 0;
        bench.set("sets", sets.into());
        bench.set("index", at as u64);
        bench.set("crowded", crowded.into());
        let mut passes = false;
        for stage in STAGES {
            let (valid, near) = (rng.u8(0..4) == 0, rng.bool());
            let index = if near {
                left ^ (1 << rng.u8(0..4))
            } else {
                rng.usize(0..16)
            };
            let index = if rng.u8(0..4) == 0 { left } else { index };
            bench.set(&format!("{stage}_valid"), valid.into());
            bench.set(&format!("{stage}_index"), index as u64);
            passes |= valid && index == left;
        }
        bench.set("left_valid", leaves.into());
        bench.set("left_index", left as u64);
        bench.settle();
        let wakes = leaves && (sleeps[left] || passes);
        assert_eq!(bench.is_set("wakes"), wakes, "clock {clock}: QP {left}");
        bench.tick();
        if sets {
            sleeps[at] = crowded;
        }
    }
}
