//! Any bytes at all: decode ends in a packet or in a named reason, and what was decoded encodes to the same bytes.
//!
//! `cargo test` runs the corpus and a seeded sample; with `HCA_TIER=nightly` new inputs for minutes. A failing input of
//! those is named by its `BOLERO_RANDOM_SEED`; `cargo bolero test` with a coverage-guided engine takes the same target.
mod forge;

use forge::Shape;
use hca_golden::decision::link::judge;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::wire::frame::Frame;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::time::Duration;

/// How long the nightly tier looks for new inputs.
const NIGHTLY: Duration = Duration::from_secs(180);
/// Longer than the longest frame.
const MAX_INPUT: usize = 4400;

fn nightly() -> bool {
    std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly")
}

/// The first byte chooses the shape that the others are put into.
fn any_input(input: &[u8]) {
    let Some((shape, content)) = input.split_first() else {
        return;
    };
    let shape = Shape::of(*shape);
    let link = shape.link();
    let frame = shape.forge(content);
    let decoded = Frame::decode(link, &frame);
    match &decoded {
        Ok(packet) => {
            let encoded = packet.encode().unwrap();
            if !forge::holds_what_receivers_ignore(link, &frame, packet) {
                assert_eq!(encoded, frame);
            }
            assert_eq!(Frame::decode(link, &encoded).unwrap().encode().unwrap(), encoded);
        }
        Err(malformed) => assert!(!malformed.to_string().is_empty()),
    }
    agrees_with_a_port(link, &frame, &decoded);
}

/// A port takes what decodes, or refuses it for a reason of its own.
fn agrees_with_a_port(link: Link, frame: &[u8], decoded: &Result<Frame, impl std::fmt::Debug>) {
    let port = PortConfig {
        link,
        lid: 2,
        ..PortConfig::default()
    };
    match (judge(&port, frame), decoded) {
        (Ok(packet), Ok(frame)) => assert_eq!(frame.clone().packet(), Some(packet)),
        (Ok(packet), Err(malformed)) => panic!("{malformed:?}, but a port takes {packet:?}"),
        (Err(_), _) => {}
    }
}

#[test]
fn decode() {
    let target = bolero::check!().with_max_len(MAX_INPUT);
    if nightly() {
        target.with_test_time(NIGHTLY).for_each(any_input);
    } else {
        // The corpus alone: what else runs every day is seeded.
        target.with_iterations(0).for_each(any_input);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn decode_seeded(shape in any::<u8>(), content in prop::collection::vec(any::<u8>(), 0..200)) {
        any_input(&[vec![shape], content].concat());
    }
}
