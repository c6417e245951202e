//! Random lives of a fabric: verbs, legal and illegal, with traffic, on the hardware and on the model alone, each
//! judged by the model. What fails is shrunk to the steps that it takes.
//!
//! `cargo test` runs a few; with `HCA_TIER=nightly` ten thousand.
use hca_golden::capabilities::Capabilities;
use hca_golden::port::Link;
use hca_host::profile::SMALL;
use hca_rtl::export::DESIGNS;
use hca_testbench::case::Step;
use hca_testbench::cli::hardware::{config, Hardware};
use hca_testbench::device::golden::GoldenDevice;
use hca_testbench::device::{port_of, Device, CAPABILITIES};
use hca_testbench::fabric::{Fabric, Stop, Unwatched};
use hca_testbench::life::{self, Ends, Places, Software};
use hca_testbench::report::{render, Context};
use hca_testbench::scoreboard::Checked;
use hca_testbench::station::Station;
use hca_testbench::Side;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use proptest_state_machine::ReferenceStateMachine;
use std::cell::Cell;
use std::sync::atomic::Ordering;

/// Clock cycles without progress that are a hang.
const PATIENCE: u64 = 60_000;
/// Most steps of a life.
const STEPS: usize = 100;

/// Of an ordinary run, and of the nightly one.
fn cases(ordinary: u32, nightly: u32) -> u32 {
    match std::env::var("HCA_TIER") {
        Ok(tier) if tier == "nightly" => nightly,
        _ => ordinary,
    }
}

/// Runs lives from this seed; the smallest that fails ends the test.
fn hold(cases: u32, seed: u8, device: impl Fn(Side) -> Box<dyn Device>) {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let lives = Software::sequential_strategy(1..=STEPS);
    let (packets, completions) = (Cell::new(0), Cell::new(0));
    let held = runner.run(&lives, |(_, steps, seen)| {
        if let Some(seen) = &seen {
            seen.store(steps.len(), Ordering::SeqCst);
        }
        let ends = live(&steps, &device).map_err(TestCaseError::fail)?;
        packets.set(packets.get() + ends.packets);
        completions.set(completions.get() + ends.completions);
        Ok(())
    });
    if let Err(failure) = held {
        panic!("{failure}");
    }
    println!(
        "{cases} lives: {} packets, {} completions",
        packets.get(),
        completions.get()
    );
    // Lives that only wait and are refused would hold too.
    assert!(packets.get() > 4 * u64::from(cases), "hardly any traffic");
    assert!(completions.get() > 4 * u64::from(cases), "hardly any completions");
}

fn live(steps: &[Step], device: &impl Fn(Side) -> Box<dyn Device>) -> Result<Ends, String> {
    let station =
        |side| -> Box<dyn Station> { Box::new(Checked::new(side, device(side), port_of(side), PATIENCE)) };
    let mut observer = Unwatched;
    let mut fabric = Fabric::new(station(Side::X), station(Side::Y), PATIENCE, &mut observer);
    match life::run(&mut fabric, &Places::new(Link::InfiniBand, 0), steps) {
        Ok(ends) => Ok(ends),
        Err(Stop::Failed(failure)) => Err(render(
            &failure,
            &Context {
                scenario: "a life",
                seed: 0,
                replay: "",
            },
        )),
        Err(Stop::Output(error)) => Err(error.to_string()),
    }
}

#[test]
fn lives_hold_on_two_models() {
    let device = |side| -> Box<dyn Device> {
        let capabilities = Capabilities {
            max_qps: 1 << SMALL.qp_bits,
            ..CAPABILITIES
        };
        Box::new(GoldenDevice::with(port_of(side), capabilities))
    };
    hold(cases(200, 10_000), 1, device);
}

#[test]
fn lives_hold_on_the_hardware() {
    let hardware = Hardware::build(DESIGNS, &SMALL, None, false).unwrap();
    let device =
        |side| -> Box<dyn Device> { Box::new(hardware.device(side, &config(&SMALL, 1, side)).unwrap()) };
    hold(cases(40, 10_000), 2, device);
}
