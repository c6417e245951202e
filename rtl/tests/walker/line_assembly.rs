//! The lines that lists are read in, from the beats of the memory bus.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::memory::LineAssembly;

const LINE: usize = 64;

/// A line is complete a clock after its last beat, and stands until a beat of the next one comes; one that host memory
/// did not give is all ones.
fn assembles<const M: usize>() {
    let library = library::<LineAssembly<M>>("line_assembly");
    let mut rng = Rng::with_seed(M as u64);
    let mut bench = Bench::new(&library, 1);
    let beats = LINE / (M / 8);
    for _ in 0..300 {
        let mut line: [u8; LINE] = std::array::from_fn(|_| rng.u8(..));
        let failing = (rng.u8(..4) == 0).then(|| rng.usize(..beats));
        for (n, beat) in line.chunks(M / 8).enumerate() {
            for _ in 0..[0, rng.u8(..4)][rng.usize(..2)] {
                bench.set("beat_valid", 0);
                bench.settle();
                bench.tick();
                bench.settle();
                assert!(!bench.is_set("line_valid"));
            }
            bench.set("beat_valid", 1);
            // Byte 0 at the most significant end.
            bench.set_bytes("beat", &beat.iter().rev().copied().collect::<Vec<u8>>());
            bench.set("beat_last", (n == beats - 1).into());
            bench.set("beat_error", (Some(n) == failing).into());
            bench.settle();
            bench.tick();
            bench.settle();
            assert_eq!(bench.is_set("line_valid"), n == beats - 1);
        }
        if failing.is_some() {
            line.fill(0xFF);
        }
        line.reverse();
        bench.set("beat_valid", 0);
        for clock in 0..rng.u8(..5) {
            bench.settle();
            assert_eq!(bench.is_set("line_valid"), clock == 0);
            assert_eq!(bench.bytes("line"), line, "{clock} clocks after its last beat");
            bench.tick();
        }
    }
}

#[test]
fn a_line_stands_until_the_next_one_comes() {
    assembles::<64>();
    assembles::<128>();
    assembles::<512>();
}
