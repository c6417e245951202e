//! FCTBS: packets count once they leave, those from before Init never.
use crate::bench::{library, Bench};
use hca_rtl::link::BlocksLeft;

fn step(bench: &mut Bench, inputs: &[(&str, u64)]) {
    for (name, value) in inputs {
        bench.set(name, *value);
    }
    bench.settle();
    bench.tick();
    for name in ["starts", "begins", "clear"] {
        bench.set(name, 0);
    }
    bench.settle();
}

fn counts(bench: &Bench) -> [u64; 2] {
    ["blocks_0", "blocks_1"].map(|name| bench.get(name))
}

fn fresh() -> Bench {
    let mut bench = Bench::new(&library::<BlocksLeft<2>>("blocks_left"), 1);
    step(&mut bench, &[("starts", 0), ("begins", 0), ("clear", 1)]);
    bench
}

const LEAVES: [(&str, u64); 3] = [("begins", 1), ("vl", 1), ("words", 16)];

#[test]
fn blocks_of_each_length_on_each_vl() {
    let mut bench = fresh();
    // PktLen and blocks of link.md section 5.
    let lengths = [
        (5, 1),
        (15, 1),
        (16, 2),
        (31, 2),
        (32, 3),
        (72, 5),
        (82, 6),
        (518, 33),
        (1032, 65),
        (1055, 66),
    ];
    let mut sum = [0, 0];
    for (n, (words, blocks)) in lengths.into_iter().enumerate() {
        let vl = n % 2;
        step(&mut bench, &[("starts", 1)]);
        step(&mut bench, &[("begins", 1), ("vl", vl as u64), ("words", words)]);
        sum[vl] += blocks;
        assert_eq!(counts(&bench), sum);
        // An SMP.
        step(&mut bench, &[("starts", 1)]);
        step(&mut bench, &[("begins", 1), ("vl", 15), ("words", 72)]);
        assert_eq!(counts(&bench), sum);
    }
    let before = sum[1];
    for n in 1..=2048 {
        step(&mut bench, &[("starts", 1)]);
        step(&mut bench, &LEAVES);
        assert_eq!(counts(&bench), [sum[0], (before + 2 * n) % 4096]);
    }
}

#[test]
fn what_had_started_when_the_counts_were_cleared_is_not_counted() {
    let mut bench = fresh();
    for _ in 0..3 {
        step(&mut bench, &[("starts", 1)]);
    }
    step(&mut bench, &LEAVES);
    assert_eq!(counts(&bench), [0, 2]);
    // Two are under way, and one more starts with the clear; then another.
    step(&mut bench, &[("starts", 1), ("clear", 1)]);
    assert_eq!(counts(&bench), [0, 0]);
    step(&mut bench, &[("starts", 1)]);
    for _ in 0..3 {
        step(&mut bench, &LEAVES);
        assert_eq!(counts(&bench), [0, 0]);
    }
    step(&mut bench, &LEAVES);
    assert_eq!(counts(&bench), [0, 2]);
    // Cleared twice with the same two packets under way; one leaves with the second clear.
    for _ in 0..2 {
        step(&mut bench, &[("starts", 1)]);
    }
    step(&mut bench, &[("clear", 1)]);
    step(
        &mut bench,
        &[("clear", 1), ("begins", 1), ("vl", 1), ("words", 16)],
    );
    step(
        &mut bench,
        &[("starts", 1), ("begins", 1), ("vl", 1), ("words", 16)],
    );
    assert_eq!(counts(&bench), [0, 0]);
    step(&mut bench, &LEAVES);
    assert_eq!(counts(&bench), [0, 2]);
}
