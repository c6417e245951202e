//! The credit table, exhaustively (`protocol/credit_table.csv`; `protocol/scenario_seed001.md` section 3).
use crate::bench::{library, Bench};
use hca_rtl::credit::CreditTable;

/// Of each code: its credits, and the largest count that it stands for (`protocol/credit_table.csv`).
const TABLE: [(u64, u64); 31] = [
    (0, 0),
    (1, 1),
    (2, 2),
    (3, 3),
    (4, 5),
    (6, 7),
    (8, 11),
    (12, 15),
    (16, 23),
    (24, 31),
    (32, 47),
    (48, 63),
    (64, 95),
    (96, 127),
    (128, 191),
    (192, 255),
    (256, 383),
    (384, 511),
    (512, 767),
    (768, 1023),
    (1024, 1535),
    (1536, 2047),
    (2048, 3071),
    (3072, 4095),
    (4096, 6143),
    (6144, 8191),
    (8192, 12287),
    (12288, 16383),
    (16384, 24575),
    (24576, 32767),
    (32768, 65535),
];

fn table() -> Bench {
    let mut bench = Bench::without_clock(&library::<CreditTable>("credit_table"), 1);
    bench.set("count", 0);
    bench.set("given", 0);
    bench
}

/// CF145.
#[test]
fn every_count_has_the_code_of_the_largest_entry_that_is_not_above_it() {
    let mut bench = table();
    let mut code = 0;
    for count in 0..=0xFFFF {
        if count > TABLE[code].1 {
            code += 1;
        }
        bench.set("count", count);
        bench.follow();
        assert_eq!(bench.get("code"), code as u64, "{count} WQEs");
    }
    assert_eq!(code, 30, "all codes were seen");
}

#[test]
fn every_code_has_its_credits_and_31_has_none() {
    let mut bench = table();
    for (code, &(credits, _)) in TABLE.iter().enumerate() {
        bench.set("given", code as u64);
        bench.follow();
        assert_eq!(bench.get("credits"), credits, "code {code}");
        assert!(!bench.is_set("unlimited"), "code {code}");
    }
    bench.set("given", 31);
    bench.follow();
    assert_eq!(bench.get("credits"), 0);
    assert!(bench.is_set("unlimited"));
}

/// `protocol/scenario_seed001.md` section 3, second table.
#[test]
fn counts_of_the_seed_have_its_codes() {
    let mut bench = table();
    let rows = [
        (0, 0),
        (1, 1),
        (4, 4),
        (5, 4),
        (6, 5),
        (7, 5),
        (8, 6),
        (11, 6),
        (12, 7),
        (15, 7),
        (16, 8),
        (32767, 29),
        (32768, 30),
        (32769, 30),
        (65535, 30),
    ];
    for (count, code) in rows {
        bench.set("count", count);
        bench.follow();
        assert_eq!(bench.get("code"), code, "{count} WQEs");
    }
}
