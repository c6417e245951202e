//! The wait for what is under way, step by step.
use crate::bench::{library, Bench};
use hca_rtl::control::Drain;

/// The input that each of the five steps waits for, in the order of the steps.
const PASSED: [&str; 5] = [
    "lookups_passed", "outbound_passed", "memory_passed", "completions_passed", "failures_reported",
];
/// The output that is high for one cycle when each of the first four steps begins; the fifth has none.
const MARKS: [&str; 4] = ["lookups_mark", "outbound_mark", "memory_mark", "completions_mark"];

/// The marks within 100 clocks of a start, and `done`, in the order they come. `passes(n, begun)` says whether input
/// `n` is high while `begun` marks have come.
fn steps(passes: impl Fn(usize, usize) -> bool) -> Vec<&'static str> {
    let mut bench = Bench::new(&library::<Drain>("drain"), 1);
    bench.set("start", 1);
    let mut begun = Vec::new();
    for _ in 0..100 {
        for (n, input) in PASSED.into_iter().enumerate() {
            bench.set(input, passes(n, begun.len()).into());
        }
        bench.settle();
        begun.extend(
            MARKS
                .into_iter()
                .chain(["done"])
                .filter(|output| bench.is_set(output)),
        );
        bench.tick();
        bench.set("start", 0);
    }
    begun
}

#[test]
fn a_step_ends_with_what_it_waits_for_and_with_nothing_else() {
    let all: Vec<&str> = MARKS.into_iter().chain(["done"]).collect();
    assert_eq!(steps(|_, _| true), all);
    for held in 0..PASSED.len() {
        let begun = steps(|n, _| n != held);
        assert_eq!(begun, all[..=held.min(3)], "{} is low", PASSED[held]);
    }
    // Only the step under way has its input high; the fifth begins without a mark, so that input rises with the fourth.
    assert_eq!(steps(|n, begun| n + 1 == begun || begun == 4 && n == 4), all);
}
