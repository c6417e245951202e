//! `hca cosim --seeds`: runs the scenarios of a call for one seed after another.
use super::arguments::Arguments;
use super::chosen::Chosen;
use super::run::{failure_result, Bench};
use super::seeds::Seeds;
use crate::cli::console::Console;
use crate::cli::error::CallError;
use crate::cli::Verdict;
use crate::fabric::{Stop, Unwatched};
use crate::trace::results::FailureResult;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Runs each scenario for each seed. Prints a line for each run that failed, and how many held.
pub(super) fn run(
    arguments: &Arguments,
    seeds: &Seeds,
    scenarios: &[Chosen],
    bench: &mut Bench<'_>,
) -> Result<Verdict, CallError> {
    let mut console = Console::new();
    // The bar draws nothing if standard error is not a terminal.
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs, {eta} left{msg}");
    let bar = ProgressBar::new(seeds.count().saturating_mul(scenarios.len() as u64))
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    let (mut held, mut failed) = (0u64, 0u64);
    for seed in seeds.0.clone() {
        for scenario in scenarios {
            match failure_of(arguments, scenario, seed, bench)? {
                None => held += 1,
                Some(failure) => {
                    failed += 1;
                    bar.set_message(format!(", {failed} failed"));
                    let line = line(arguments, scenario, seed, &failure);
                    bar.suspend(|| console.line(&line))?;
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let (first, last) = (seeds.0.start(), seeds.0.end());
    console.line(&format!(
        "seeds {first} to {last}: {held} runs held, {failed} failed"
    ))?;
    Ok(if failed == 0 {
        Verdict::Held
    } else {
        Verdict::Differed
    })
}

/// Returns what did not hold in a scenario's run, if anything.
fn failure_of(
    arguments: &Arguments,
    scenario: &Chosen,
    seed: u64,
    bench: &mut Bench<'_>,
) -> Result<Option<FailureResult>, CallError> {
    let Chosen::Fabric(scenario) = scenario else {
        let result = bench.run_blocks(arguments, scenario, seed, &mut Console::silent())?;
        return Ok(result.failure);
    };
    let ran = bench.run(arguments, scenario, seed, &mut Unwatched)?;
    ran.closed.map_err(CallError::Waves)?;
    match ran.stop {
        None => Ok(None),
        Some(Stop::Failed(failure)) => Ok(Some(failure_result(arguments, scenario, seed, &failure))),
        Some(Stop::Output(error)) => Err(error.into()),
    }
}

/// Returns a line about a run that failed: where it failed, what differed first, and how to repeat it.
fn line(arguments: &Arguments, scenario: &Chosen, seed: u64, failure: &FailureResult) -> String {
    let place = match scenario {
        Chosen::Fabric(_) => {
            format!(
                ", profile {}, link {}",
                arguments.profile(),
                arguments.link().name()
            )
        }
        Chosen::Wire | Chosen::Decisions => String::new(),
    };
    let side = failure
        .device
        .map_or(String::new(), |side| format!(" at device {side}"));
    format!(
        "FAILED: {}, seed {seed}{place}: {}{side}; again: {}",
        scenario.name(),
        failure.field,
        failure.replay
    )
}
