//! The wire blocks alone, at the width of the small profile: what the parser makes of each frame, field by field, and
//! what the builder makes of each header and payload, byte by byte, is what the model makes of them.
use hca_host::profile::Link;
use hca_rtl::export::DESIGNS;
use hca_testbench::wire::hardware::Blocks;
use hca_testbench::wire::mismatch::Stop;
use hca_testbench::wire::run::run;

const WIDTH: usize = 64;

#[test]
fn infiniband_at_64_bits() {
    let blocks = Blocks::new(DESIGNS, WIDTH, Link::InfiniBand).unwrap();
    let cases = match std::env::var("HCA_TIER").as_deref() {
        Ok("nightly") => 100_000,
        _ => 3000,
    };
    let summary = run(1, cases, &[blocks], |_| ()).unwrap_or_else(|stop| match stop {
        Stop::Mismatch(mismatch) => panic!("{}", mismatch.render(1, "scripts/cosim wire --seed 1")),
        stop => panic!("{stop}"),
    });
    assert_eq!(summary.cases, cases);
}
