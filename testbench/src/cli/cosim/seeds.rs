//! `hca cosim --seeds`: the scenarios of a call, for one seed after the other.
use super::run::{failure_result, Bench};
use super::{Arguments, Chosen};
use crate::cli::console::Console;
use crate::cli::error::CallError;
use crate::cli::Verdict;
use crate::fabric::{Stop, Unwatched};
use crate::trace::results::FailureResult;
use indicatif::{ProgressBar, ProgressStyle};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// Seeds one after the other; the last is one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(RangeInclusive<u64>);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let ends = text.split_once("..");
        let numbers = ends.and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        match numbers {
            None => Err("expected FIRST..LAST, two numbers such as 1..100".to_owned()),
            Some((first, last)) if first > last => Err(format!(
                "the first seed is above the last; {last}..{first} would do"
            )),
            Some((first, last)) => Ok(Seeds(first..=last)),
        }
    }
}

impl Seeds {
    /// How many there are.
    fn count(&self) -> u64 {
        (self.0.end() - self.0.start()).saturating_add(1)
    }
}

/// Runs each scenario for each seed: a line for each run that failed, and how many held.
pub(super) fn run(
    arguments: &Arguments,
    seeds: &Seeds,
    scenarios: &[Chosen],
    bench: &mut Bench<'_>,
) -> Result<Verdict, CallError> {
    let mut console = Console::new();
    // It draws nothing when standard error is no terminal.
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

/// What did not hold in a scenario's run, if anything.
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

/// A run that failed: where, what differed first, and how to see it again.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_seeds() {
        let seeds: Seeds = "3..5".parse().unwrap();
        assert_eq!(seeds.0.clone().collect::<Vec<u64>>(), [3, 4, 5]);
        assert_eq!(seeds.count(), 3);
        assert_eq!("7..7".parse::<Seeds>().unwrap().count(), 1);
        let all = format!("0..{}", u64::MAX);
        assert_eq!(all.parse::<Seeds>().unwrap().count(), u64::MAX);
    }

    #[test]
    fn what_is_no_range_of_seeds_is_refused() {
        for text in ["", "5", "1..", "..5", "1..=5", "a..b", "-1..5"] {
            assert!(
                text.parse::<Seeds>().unwrap_err().contains("FIRST..LAST"),
                "{text}"
            );
        }
        assert!("9..3".parse::<Seeds>().unwrap_err().contains("3..9"));
    }
}
