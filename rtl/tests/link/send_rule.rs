//! The rows of `protocol/link.md` section 5.
use crate::bench::{library, Bench};
use hca_rtl::link::SendRule;

/// CreditLimit, FCTBS, blocks, whether the packet may start.
const ROWS: [(u64, u64, u64, bool); 11] = [
    (64, 0, 64, true),
    (64, 0, 65, false),
    (64, 64, 1, false),
    (65, 64, 1, true),
    (10, 4090, 16, true),
    (10, 4090, 17, false),
    (0, 0, 1, false),
    (2048, 0, 2048, true),
    (2048, 0, 2049, false),
    (1110, 291, 819, true),
    (1110, 291, 820, false),
];

#[test]
fn every_row_of_the_table() {
    let mut bench = Bench::without_clock(&library::<SendRule>("send_rule"), 1);
    for (limit, sent, blocks, allowed) in ROWS {
        bench.set("limit", limit);
        bench.set("sent", sent);
        bench.set("blocks", blocks);
        bench.follow();
        assert_eq!(bench.is_set("allowed"), allowed, "{limit} {sent} {blocks}");
    }
}

/// It is the same as "as many blocks as there are credits left", for 0 to 2048 credits.
#[test]
fn credits_left_are_what_counts() {
    let mut bench = Bench::without_clock(&library::<SendRule>("send_rule"), 1);
    let mut rng = fastrand::Rng::with_seed(226);
    for _ in 0..20_000 {
        let (sent, left, blocks) = (rng.u64(..4096), rng.u64(..=2048), rng.u64(1..=66));
        bench.set("limit", (sent + left) % 4096);
        bench.set("sent", sent);
        bench.set("blocks", blocks);
        bench.follow();
        assert_eq!(bench.is_set("allowed"), blocks <= left, "{sent} {left} {blocks}");
    }
}
