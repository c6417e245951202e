//! The placement drain against lists of packets.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::memory::PlacementDrain;
use std::collections::VecDeque;

/// Clocks between the last that it waits for and `passed`.
const LATE: u32 = 6;
/// Packets that wait to be taken at most.
const WAITING: usize = 64;
/// Atomics under way at most: those whose ends are reported, and one that begins.
const ATOMICS: usize = 129;

/// What a mark waits for is over when, and only when, what had been dispatched then is in memory, atomics among it.
#[test]
fn passes_when_what_was_dispatched_is_in_memory() {
    let library = library::<PlacementDrain>("placement_drain");
    let mut rng = Rng::with_seed(0x91D);
    for (dispatches, takes, places, rests) in [
        (90, 30, 30, 0),
        (50, 90, 50, 0),
        (60, 60, 90, 0),
        (5, 50, 50, 0),
        (90, 90, 90, 400),
    ] {
        let mut bench = Bench::new(&library, rng.u64(..));
        // Packets by the mark that they are older than, counted from 1: dispatched, taken by each side, and atomics.
        let mut order: VecDeque<(u32, bool)> = VecDeque::new();
        let mut sides = [VecDeque::<u32>::new(), VecDeque::new()];
        let mut atomics = VecDeque::new();
        let (mut mark, mut waits, mut over, mut passes) = (1, false, 0, 0);
        for clock in 0..20_000 {
            let ready = rng.u8(..100) < takes;
            let marks = !waits && rng.u8(..50) == 0 && (rests == 0 || atomics.len() == ATOMICS);
            let placed = [0, 1].map(|s: usize| !sides[s].is_empty() && rng.u8(..100) < places);
            // A request that is in memory may have begun an atomic, at the latest now.
            let begins = placed[0] && atomics.len() < ATOMICS && rng.bool();
            // For so many clocks of 800 none ends.
            let done = !atomics.is_empty() && clock % 800 >= rests && rng.u8(..3) == 0;
            bench.set("order_valid", (!order.is_empty()).into());
            bench.set("order_ready", ready.into());
            bench.set(
                "order_response",
                order.front().is_some_and(|(_, response)| *response).into(),
            );
            bench.set("responder_counted", placed[0].into());
            bench.set("requester_counted", placed[1].into());
            bench.set("atomic_begins", begins.into());
            bench.set("atomic_done", done.into());
            bench.set("mark", marks.into());
            bench.settle();
            if waits {
                let dispatched = order.iter().map(|(before, _)| before);
                let taken = sides.iter().flatten();
                let there = dispatched
                    .chain(taken)
                    .chain(&atomics)
                    .any(|before| *before < mark);
                let passed = bench.is_set("passed");
                assert!(!(passed && there), "clock {clock}: before all were in memory");
                let idle = order.is_empty() && atomics.is_empty() && sides.iter().all(VecDeque::is_empty);
                over = if idle { over + 1 } else { 0 };
                assert!(passed || over <= LATE, "clock {clock}: all are in memory");
                if passed {
                    (waits, passes) = (false, passes + 1);
                }
            }
            if begins {
                atomics.push_back(sides[0][0]);
            }
            if done {
                atomics.pop_front();
            }
            for (side, _) in sides.iter_mut().zip(placed).filter(|(_, placed)| *placed) {
                side.pop_front();
            }
            if marks {
                (waits, over, mark) = (true, 0, mark + 1);
            }
            if ready {
                if let Some((before, response)) = order.pop_front() {
                    sides[usize::from(response)].push_back(before);
                }
            }
            let under_way: usize = sides.iter().map(VecDeque::len).sum();
            if order.len() < WAITING && under_way < 250 && rng.u8(..100) < dispatches {
                order.push_back((mark, rng.bool()));
            }
            bench.tick();
        }
        assert!(passes > if rests == 0 { 50 } else { 10 }, "{passes} marks passed");
    }
}
