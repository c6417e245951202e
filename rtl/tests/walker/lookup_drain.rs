//! The lookup drain against a list of packets.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::memory::LookupDrain;
use std::collections::VecDeque;

/// Clocks between the last that it waits for and `passed`.
const LATE: u32 = 3;

/// Packets numbered in the order in which their keys are looked up: what a mark waits for is over when, and only when,
/// all up to the newest then have departed or were refused.
#[test]
fn passes_when_what_was_looked_up_is_gone() {
    let library = library::<LookupDrain>("lookup_drain");
    let mut rng = Rng::with_seed(0x1D);
    for (walks, departs) in [(90, 20), (50, 50), (90, 95), (10, 90)] {
        let mut bench = Bench::new(&library, rng.u64(..));
        let mut under_way = VecDeque::new();
        let mut looked_up: Option<u32> = None;
        let (mut newest, mut awaited, mut over, mut passes) = (0, None, 0, 0);
        let mut rests = false;
        for clock in 0..20_000 {
            if looked_up.is_none() && !rests && rng.u8(..100) < walks && under_way.len() < 100 {
                newest += 1;
                looked_up = Some(newest);
            }
            rests = false;
            let ends = looked_up.is_some() && rng.u8(..4) == 0;
            let hands_on = ends && rng.u8(..8) != 0;
            let leaves = !under_way.is_empty() && rng.u8(..100) < departs;
            let marks = awaited.is_none() && rng.u8(..50) == 0;
            bench.set("looks", looked_up.is_some().into());
            bench.set("handed_on", hands_on.into());
            bench.set("departs", leaves.into());
            bench.set("mark", marks.into());
            bench.settle();
            if let Some(last) = awaited {
                let there = under_way.iter().copied().chain(looked_up).any(|n| n <= last);
                let passed = bench.is_set("passed");
                assert!(!(passed && there), "clock {clock}: before packet {last} was gone");
                over = if there { 0 } else { over + 1 };
                assert!(passed || over <= LATE, "clock {clock}: packet {last} is gone");
                if passed {
                    (awaited, passes) = (None, passes + 1);
                }
            }
            if marks {
                (awaited, over) = (Some(newest), 0);
            }
            if leaves {
                under_way.pop_front();
            }
            if ends {
                under_way.extend(looked_up.take().filter(|_| hands_on));
                rests = true;
            }
            bench.tick();
        }
        assert!(passes > 50, "{passes} marks passed");
    }
}

/// Up to four packets are looked up at once, and none while `waits` is high: the same holds.
#[test]
fn passes_when_all_of_several_are_gone() {
    let library = library::<LookupDrain>("lookup_drain");
    let mut rng = Rng::with_seed(0x1E);
    for (walks, departs) in [(90, 20), (50, 50), (95, 95)] {
        let mut bench = Bench::new(&library, rng.u64(..));
        let (mut under_way, mut looked_up) = (VecDeque::new(), VecDeque::new());
        let (mut newest, mut awaited, mut over, mut passes) = (0, None, 0, 0);
        for clock in 0..20_000 {
            let hands_on = !looked_up.is_empty() && rng.u8(..3) == 0;
            let leaves = !under_way.is_empty() && rng.u8(..100) < departs;
            let marks = awaited.is_none() && rng.u8(..50) == 0;
            bench.set("looks", u64::from(!looked_up.is_empty()));
            bench.set("handed_on", hands_on.into());
            bench.set("departs", leaves.into());
            bench.set("mark", marks.into());
            bench.settle();
            if let Some(last) = awaited {
                let there = under_way.iter().chain(&looked_up).any(|n| *n <= last);
                let passed = bench.is_set("passed");
                assert!(!(passed && there), "clock {clock}: before packet {last} was gone");
                // The packets that are looked up in the two clocks before `waits` shows may hold it up.
                over = if there || !looked_up.is_empty() || !under_way.is_empty() {
                    0
                } else {
                    over + 1
                };
                assert!(passed || over <= LATE, "clock {clock}: packet {last} is gone");
                if passed {
                    (awaited, passes) = (None, passes + 1);
                }
            }
            if marks {
                (awaited, over) = (Some(newest), 0);
            }
            if leaves {
                under_way.pop_front();
            }
            if hands_on {
                under_way.extend(looked_up.pop_front());
            }
            let may = looked_up.len() < 4 && under_way.len() < 100 && !bench.is_set("waits");
            if may && rng.u8(..100) < walks {
                newest += 1;
                looked_up.push_back(newest);
            }
            bench.tick();
        }
        assert!(passes > 30, "{passes} marks passed");
    }
}
