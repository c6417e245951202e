//! Passages: what was on its way at a mark, and nothing else, is waited for.
use crate::bench::Bench;
use crate::parts;
use fastrand::Rng;
use std::collections::VecDeque;

/// What is on its way, each with whether the mark waits for it.
#[derive(Default)]
struct Way(VecDeque<bool>);

#[test]
fn a_mark_waits_for_what_was_on_its_way() {
    let (parts, library) = parts::of("passage");
    assert!(!parts.is_empty());
    let mut bench = Bench::new(&library, 1);
    let mut rng = Rng::with_seed(3);
    let mut ways: Vec<Way> = parts.iter().map(|_| Way::default()).collect();
    let limits: Vec<usize> = parts
        .iter()
        .map(|part| {
            let high = part
                .word_behind("reg [")
                .parse::<u32>()
                .expect("its counter has several bits");
            (1 << (high + 1)) - 1
        })
        .collect();
    for clock in 0..20_000 {
        let eager = if clock / 500 % 2 == 0 { 80 } else { 20 };
        let mut moves = Vec::new();
        for ((part, way), limit) in parts.iter().zip(&ways).zip(&limits) {
            let leaves = !way.0.is_empty() && rng.u8(0..100) < 100 - eager;
            let enters = way.0.len() - usize::from(leaves) < *limit && rng.u8(0..100) < eager;
            let mark = rng.u8(0..100) < 3;
            for (port, value) in [("enters", enters), ("leaves", leaves), ("mark", mark)] {
                bench.set(&part.port(port), value.into());
            }
            moves.push((enters, leaves, mark));
        }
        bench.settle();
        for (part, way) in parts.iter().zip(&ways) {
            let passed = bench.is_set(&part.port("passed"));
            let open = way.0.iter().filter(|waited| **waited).count();
            assert_eq!(
                passed,
                open == 0,
                "{}, clock {clock}: {open} of {} are waited for",
                part.name,
                way.0.len()
            );
        }
        bench.tick();
        for (way, (enters, leaves, mark)) in ways.iter_mut().zip(moves) {
            if leaves {
                way.0.pop_front();
            }
            if mark {
                way.0.iter_mut().for_each(|waited| *waited = true);
            }
            if enters {
                way.0.push_back(false);
            }
        }
    }
}
