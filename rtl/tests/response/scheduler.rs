//! Wakes from four sources at once: none is lost, none is served twice, and nobody waits longer than one round.
use crate::bench::{self, Bench};
use hca_rtl::requester::Scheduler;

const QPS: usize = 16;

fn wakes(rng: &mut fastrand::Rng, bench: &mut Bench, odds: u32) -> Vec<usize> {
    let mut woken = vec![];
    for source in ["a", "b", "c", "d"] {
        let index = rng.usize(..QPS);
        let valid = odds != 0 && rng.u32(..odds) == 0;
        bench.set(&format!("wake_{source}_valid"), valid.into());
        bench.set(&format!("wake_{source}_index"), index as u64);
        if valid {
            woken.push(index);
        }
    }
    woken
}

#[test]
fn every_wake_gets_one_turn_within_a_round() {
    let library = bench::library::<Scheduler<4, 16>>("scheduler");
    for seed in 0..6 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bench = Bench::new(&library, seed);
        // Turns of others since a QP was woken, for those that wait.
        let mut waits: [Option<usize>; QPS] = [None; QPS];
        let odds = [1, 2, 8, 40][seed as usize % 4];
        let mut turns = 0;
        for clock in 0..4000 {
            let drains = clock >= 3800;
            let woken = wakes(&mut rng, &mut bench, if drains { 0 } else { odds });
            let ready = drains || rng.u32(..3) != 0;
            bench.set("turn_ready", ready.into());
            bench.settle();
            if ready && bench.is_set("turn_valid") {
                let index = bench.get("turn") as usize;
                let others = waits[index].take().expect("a turn needs a wake");
                assert!(others < 2 * QPS, "QP {index} waited for {others} turns");
                waits.iter_mut().flatten().for_each(|others| *others += 1);
                turns += 1;
            }
            for index in woken {
                waits[index].get_or_insert(0);
            }
            bench.tick();
        }
        assert_eq!(waits, [None; QPS], "seed {seed}");
        assert!(turns > 100);
    }
}

/// The turn pipeline is idle meanwhile, so a clock here is a clock between two packets of a QP.
#[test]
fn a_turn_follows_its_wake_by_two_clocks() {
    let library = bench::library::<Scheduler<4, 16>>("scheduler");
    let mut bench = Bench::new(&library, 1);
    wakes(&mut fastrand::Rng::with_seed(1), &mut bench, 0);
    bench.set("turn_ready", 1);
    bench.set("wake_c_valid", 1);
    bench.set("wake_c_index", 9);
    let mut seen = vec![];
    for _ in 0..6 {
        bench.settle();
        seen.push(bench.is_set("turn_valid"));
        bench.tick();
        bench.set("wake_c_valid", 0);
    }
    assert_eq!(seen, [false, false, true, false, false, false]);
}
