//! Words that atomics are under way on, against a plain list.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::memory::AtomicWords;
use std::collections::VecDeque;

/// Clocks of a look.
const LOOK: usize = 5;
/// At most so many are under way.
const MOST: usize = 63;
const CLASS: u64 = 0xFFF;

/// Two words of a class are not under way at once.
fn class(address: u64) -> u64 {
    (address >> 3 ^ address >> 15 ^ address >> 27) & CLASS
}

/// Words that differ in a bit that the class does not have, in two that it has twice, and in one that it has.
fn words(rng: &mut Rng) -> Vec<u64> {
    let base = rng.u64(..) & !7;
    let above = (39..64).map(|bit| base ^ 1 << bit);
    let twice = (3..27).map(|bit| base ^ 1 << bit ^ 1 << (bit + 12));
    let once = (3..39).map(|bit| base ^ 1 << bit);
    above.chain(twice).chain(once).chain([base; 20]).collect()
}

#[test]
fn every_bit_of_a_word_counts() {
    let library = library::<AtomicWords>("atomic_words");
    for seed in 0..4 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(&library, seed);
        bench.set("begins", 0);
        bench.set("ends", 0);
        let words = words(&mut rng);
        let mut under_way: VecDeque<(u64, u64)> = VecDeque::new();
        let (mut begun, mut found, mut waited) = (0, 0, 0);
        for _ in 0..4000 {
            let pulse = |bench: &mut Bench, port: &str| {
                bench.set(port, 1);
                bench.settle();
                bench.tick();
                bench.set(port, 0);
            };
            if !under_way.is_empty() && rng.u8(..8) < 3 {
                under_way.pop_front();
                pulse(&mut bench, "ends");
            }
            let address = words[rng.usize(..words.len())];
            bench.set("address", address);
            for _ in 0..LOOK {
                bench.settle();
                bench.tick();
            }
            bench.settle();
            let last = under_way.iter().rev().find(|(word, _)| *word == address);
            let other = under_way
                .iter()
                .any(|(word, _)| *word != address && class(*word) == class(address));
            let waits = other || under_way.len() >= MOST;
            assert_eq!(bench.is_set("waits"), waits, "{address:016X}h");
            assert_eq!(bench.is_set("found"), last.is_some(), "{address:016X}h");
            if let Some((_, number)) = last {
                assert_eq!(bench.get("found_number"), *number);
                found += 1;
            }
            waited += u32::from(waits);
            if !waits {
                assert_eq!(bench.get("number"), begun % 64);
                under_way.push_back((address, begun % 64));
                begun += 1;
                pulse(&mut bench, "begins");
            }
        }
        assert!(found > 200 && waited > 200, "{found} found, {waited} waited");
    }
}
