//! The decision blocks decide as the model does, on every kind of outcome.
use hca_rtl::export::DESIGNS;
use hca_testbench::decision::{by_name, Hardware, Stop};

/// Runs the cases of a kind; every outcome must be met.
fn holds(name: &str) {
    let kind = by_name(name).unwrap_or_else(|| panic!("no decision {name}"));
    let mut hardware = Hardware::new(DESIGNS, kind).unwrap();
    let cases = match std::env::var("HCA_TIER").as_deref() {
        Ok("nightly") => 5_000_000,
        _ => 100_000,
    };
    let summary = hardware.run(1, 0..cases).unwrap_or_else(|stop| match stop {
        Stop::Mismatch(mismatch) => panic!("{}", mismatch.render(1, "scripts/cosim decisions --seed 1")),
        stop => panic!("{stop}"),
    });
    assert_eq!(summary.cases, cases);
    let missing: Vec<_> = summary.missing(kind).collect();
    assert!(
        missing.is_empty(),
        "never met: {missing:?} of {:#?}",
        summary.outcomes
    );
    let unknown: Vec<_> = summary
        .outcomes
        .keys()
        .filter(|o| !kind.outcomes.contains(o))
        .collect();
    assert!(unknown.is_empty(), "not listed: {unknown:?}");
}

#[test]
fn admission() {
    holds("admission");
}

#[test]
fn request() {
    holds("request");
}

#[test]
fn unreliable() {
    holds("unreliable");
}

#[test]
fn duplicate() {
    holds("duplicate");
}

#[test]
fn response() {
    holds("response");
}

#[test]
fn turn() {
    holds("turn");
}

#[test]
fn turn_of_an_unreliable_service() {
    holds("unreliable-turn");
}

#[test]
fn seek() {
    holds("seek");
}

#[test]
fn datagrams_on_their_way_out() {
    holds("datagram");
}

#[test]
fn datagrams_on_their_way_in() {
    holds("datagram-in");
}
