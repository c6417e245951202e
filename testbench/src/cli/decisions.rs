//! `hca cosim decisions`: the decision blocks beside the model's functions.
use super::console::Console;
use super::error::CallError;
use crate::decision::{Hardware, HardwareError, Mismatch, Stop, Summary, ALL};
use crate::trace::results::{FailureResult, RunResult};
use hca_host::designs::Designs;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Number of cases between two updates of the progress bar.
const STEP: u64 = 1000;

/// Runs this many cases of a seed on each of these blocks, which [`built`] returns.
pub fn run(
    seed: u64,
    cases: u64,
    blocks: &mut [Hardware],
    console: &mut Console,
) -> Result<RunResult, CallError> {
    console.line(&format!(
        "decisions, seed {seed}: random contexts and events, the hardware's decision blocks beside the model"
    ))?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cases, {eta} left");
    let bar = ProgressBar::new(cases * ALL.len() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut failure = None;
    for (kind, hardware) in ALL.iter().zip(blocks) {
        match all(hardware, seed, cases, &bar) {
            Ok(summary) => {
                console.line(&format!("{}: {} cases", kind.name, summary.cases))?;
                for outcome in kind.outcomes {
                    let count = summary.outcomes.get(outcome).unwrap_or(&0);
                    console.line(&format!("{count:>10}  {outcome}"))?;
                }
            }
            Err(Stop::Mismatch(mismatch)) => {
                let found = failed(seed, &mismatch);
                console.line(&format!("\n{}", found.report))?;
                failure = Some(found);
                break;
            }
            Err(Stop::Build(error)) => return Err(CallError::Build(error)),
        }
    }
    bar.finish_and_clear();
    if failure.is_none() {
        console.line(&format!(
            "HELD: {cases} cases of each of {} decisions; nothing differed",
            ALL.len()
        ))?;
    }
    Ok(RunResult {
        scenario: "decisions",
        seed,
        profile: "any",
        link: "ib, roce",
        golden_only: false,
        held: failure.is_none(),
        cycles: 0,
        decisions: cases * ALL.len() as u64,
        packets: Vec::new(),
        completions: Vec::new(),
        failure,
    })
}

/// Returns the blocks, built once for each design, in the order of [`ALL`].
pub fn built(designs: Designs) -> Result<Vec<Hardware>, CallError> {
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(100));
    let blocks = ALL.iter().map(|kind| {
        spinner.set_message(format!(
            "building the decision `{}`, once for each design",
            kind.name
        ));
        Hardware::new(designs, kind)
    });
    let blocks: Result<Vec<Hardware>, HardwareError> = blocks.collect();
    spinner.finish_and_clear();
    blocks.map_err(|error| match error {
        HardwareError::Export(error) => CallError::Export(error),
        HardwareError::Build(error) => CallError::Build(error),
    })
}

fn all(hardware: &mut Hardware, seed: u64, cases: u64, bar: &ProgressBar) -> Result<Summary, Stop> {
    let mut summary = Summary::default();
    while summary.cases < cases {
        let next = (summary.cases + STEP).min(cases);
        summary.add(hardware.run(seed, summary.cases..next)?);
        bar.inc(STEP);
    }
    Ok(summary)
}

fn failed(seed: u64, mismatch: &Mismatch) -> FailureResult {
    let cases = mismatch.case + 1;
    let replay = format!("scripts/cosim decisions --seed {seed} --cases {cases}");
    FailureResult {
        field: mismatch.field().to_owned(),
        device: None,
        cycle: 0,
        report: mismatch.render(seed, &replay),
        replay,
    }
}
