//! Whose turn it is: queues that a doorbell woke and queues that their consumer woke.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::queue::Turns;
use std::collections::VecDeque;

/// Each kind in its order, one of each in turn; no doorbell and no consumer is lost.
#[test]
fn doorbells_and_consumers_in_turn() {
    let mut rng = Rng::with_seed(0x7042);
    let library = library::<Turns<4, 16>>("turns");
    for (rings, frees) in [(20, 90), (60, 50), (90, 30), (40, 40)] {
        let mut bench = Bench::new(&library, 1);
        let mut doorbells: VecDeque<u64> = VecDeque::new();
        let mut refills: VecDeque<u64> = VecDeque::new();
        let mut refilled_last = false;
        for clock in 0..10_000 {
            let (doorbell, refill) = (rng.u64(0..16), rng.u64(0..16));
            let rung = rng.u8(0..100) < rings;
            let moved = rng.u8(0..100) < rings;
            let free = rng.u8(0..100) < frees;
            bench.set("doorbell_valid", rung.into());
            bench.set("doorbell", doorbell);
            bench.set("refill_valid", moved.into());
            bench.set("refill_index", refill);
            bench.set("free", free.into());
            bench.settle();
            let queued = refills.contains(&refill);
            let neither = doorbells.is_empty() && refills.is_empty();
            let takes_refill = !refills.is_empty() && (doorbells.is_empty() || !refilled_last);
            let next = match () {
                () if neither => rung.then_some(doorbell),
                () if takes_refill => refills.front().copied(),
                () => doorbells.front().copied(),
            };
            assert_eq!(bench.is_set("turn_direct"), neither, "clock {clock}");
            assert_eq!(
                bench.is_set("turn_valid"),
                free && next.is_some(),
                "clock {clock}"
            );
            if let Some(index) = next.filter(|_| free) {
                assert_eq!(bench.get("turn_index"), index, "clock {clock}");
            }
            let taken = rung && bench.is_set("doorbell_ready");
            assert_eq!(bench.is_set("doorbell_ready"), doorbells.len() < 16);
            bench.tick();
            if free && !neither {
                refilled_last = takes_refill;
                match takes_refill {
                    true => refills.pop_front(),
                    false => doorbells.pop_front(),
                };
            }
            if taken && !(free && neither) {
                doorbells.push_back(doorbell);
            }
            if moved && !queued {
                refills.push_back(refill);
            }
        }
    }
}
