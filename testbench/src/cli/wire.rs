//! `hca cosim wire`: runs the wire blocks beside the model.
use super::console::Console;
use super::error::CallError;
use crate::trace::results::{FailureResult, RunResult};
use crate::wire::case::BATCH;
use crate::wire::hardware::{Blocks, HardwareError};
use crate::wire::mismatch::{Mismatch, Stop};
use crate::wire::run::{self, Summary};
use crate::wire::WIDTHS;
use hca_host::designs::Designs;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Runs this many cases of a seed on these blocks.
pub fn run(seed: u64, cases: u64, blocks: &[Blocks], console: &mut Console) -> Result<RunResult, CallError> {
    let [widths @ .., last] = WIDTHS.map(|w| w.to_string());
    console.line(&format!(
        "wire, seed {seed}: link receive and packet builder at {} and {last} bits, InfiniBand and RoCEv2, beside the model",
        widths.join(", ")
    ))?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cases, {eta} left");
    let bar = ProgressBar::new(cases).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let ran = run::run(seed, cases, blocks, |done| bar.set_position(done));
    bar.finish_and_clear();
    let failure = match ran {
        Ok(summary) => {
            for line in lines(&summary) {
                console.line(&line)?;
            }
            None
        }
        Err(Stop::Mismatch(mismatch)) => {
            let failure = failure(seed, &mismatch);
            console.line(&format!("\n{}", failure.report))?;
            Some(failure)
        }
        Err(Stop::Build(error)) => return Err(CallError::Build(error)),
        Err(Stop::Unencodable(error)) => return Err(CallError::Unencodable(error)),
    };
    Ok(RunResult {
        scenario: "wire",
        seed,
        profile: "64, 128, 256 and 512 bits",
        link: "ib, roce",
        golden_only: false,
        held: failure.is_none(),
        cycles: 0,
        decisions: cases,
        packets: Vec::new(),
        completions: Vec::new(),
        failure,
    })
}

/// Returns the blocks, built once for each design.
pub fn built(designs: Designs) -> Result<Vec<Blocks>, CallError> {
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(100));
    let blocks = Blocks::all(designs, |what| {
        spinner.set_message(format!("building {what}, once for each design"))
    });
    spinner.finish_and_clear();
    blocks.map_err(|error| match error {
        HardwareError::Export(error) => CallError::Export(error),
        HardwareError::Build(error) => CallError::Build(error),
    })
}

fn lines(summary: &Summary) -> Vec<String> {
    let dropped: u64 = summary.dropped.values().sum();
    let mut lines: Vec<String> = summary
        .dropped
        .iter()
        .map(|(reason, n)| format!("{n:>8}  {reason}"))
        .collect();
    lines.insert(0, format!("{:>8}  accepted", summary.accepted));
    lines.push(format!(
        "HELD: {} packets built and received at each width, {dropped} of them dropped as they came mutated; nothing differed",
        summary.cases
    ));
    lines
}

fn failure(seed: u64, mismatch: &Mismatch) -> FailureResult {
    // A case may differ only after the earlier cases of its batch.
    let cases = (mismatch.case / BATCH + 1) * BATCH;
    let replay = format!("scripts/cosim wire --seed {seed} --cases {cases}");
    FailureResult {
        field: mismatch.field(),
        device: None,
        cycle: 0,
        report: mismatch.render(seed, &replay),
        replay,
    }
}
