//! Values of a decision block are found by name, wherever they lie in their port.
use hca_rtl::decision::design;
use hca_sim::decision::DecisionBlock;
use hca_sim::wire::library;

fn duplicate_match() -> DecisionBlock {
    let design = design("duplicate_match").unwrap();
    DecisionBlock::new(&design, &library(&design).unwrap()).unwrap()
}

#[test]
fn a_field_is_set_and_read_without_its_neighbours() {
    let mut block = duplicate_match();
    // 178 bits: PSN 24, span 24, read 1, fetch_add 1, VA 64, R_Key 32, length 32.
    for noise in [0x00, 0xFF] {
        block.fill(|bytes| bytes.fill(noise));
        let all = |bits: u32| (u64::MAX >> (64 - bits)) & (u64::from(noise) * 0x0101_0101_0101_0101);
        block.set("stored.va", 0x0123_4567_89AB_CDEF);
        block.set("stored.r_key", 0x5A5A_1234);
        assert_eq!(block.get("stored.va"), 0x0123_4567_89AB_CDEF);
        assert_eq!(block.get("stored.r_key"), 0x5A5A_1234);
        assert_eq!(block.get("stored.span"), all(24));
        assert_eq!(block.get("stored.fetch_add"), all(1));
        assert_eq!(block.get("stored.length"), all(32));
        assert_eq!(block.get("va"), all(64));
    }
}

/// The whole port, low bits first.
#[test]
fn a_wide_port_is_set_in_parts() {
    let mut block = duplicate_match();
    block.fill(|bytes| bytes.fill(0));
    block.set_part("stored", 0, 0xAB_CDEF);
    block.set_part("stored", 64, 1 << 50);
    assert_eq!(block.get("stored.psn"), 0xAB_CDEF);
    assert_eq!(block.get("stored.va"), 0);
    assert_eq!(block.get("stored.r_key"), 1);
    block.set_part("stored", 128, 1 << 17);
    assert_eq!(block.get("stored.r_key"), 1 << 31 | 1);
}

#[test]
fn an_evaluation_follows_the_inputs() {
    let mut block = duplicate_match();
    block.fill(|bytes| bytes.fill(0));
    block.set("stored.psn", 0xFF_FFFF);
    block.set("psn", 0xFF_FFFF);
    block.settle().unwrap();
    assert!(block.is_set("found"), "a CompareSwap repeats itself");
    block.set("psn", 0);
    block.settle().unwrap();
    assert!(!block.is_set("found"), "of another PSN");
}

#[test]
#[should_panic(expected = "duplicate_match has no value `stored.gid`")]
fn an_unknown_name_is_reported() {
    duplicate_match().set("stored.gid", 0);
}

#[test]
#[should_panic(expected = "1000000h does not fit the 24 bits of `psn`")]
fn a_value_that_does_not_fit_is_reported() {
    duplicate_match().set("psn", 1 << 24);
}
