//! `hca bench decisions`: measures how many cases a minute the comparison of the decision blocks takes.
use super::console::Console;
use super::error::CallError;
use super::{decisions, Verdict};
use crate::decision::{Stop, ALL};
use clap::Args;
use hca_host::designs::Designs;
use std::time::Instant;

/// Number of cases a minute that each decision has to reach.
const LEAST: f64 = 1e6;

/// Options of `hca bench decisions`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Cases of each decision
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Seed of the cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the command. Exit status 1 if something differs, an outcome is not met, or the rate is missed.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let mut console = Console::new();
    let mut verdict = Verdict::Held;
    console.line("decision        cases  cases/minute  outcomes met")?;
    for (kind, mut hardware) in ALL.iter().zip(decisions::built(designs)?) {
        let start = Instant::now();
        let summary = match hardware.run(arguments.seed, 0..arguments.cases) {
            Ok(summary) => summary,
            Err(Stop::Mismatch(mismatch)) => {
                let replay = format!("scripts/cosim decisions --seed {}", arguments.seed);
                console.line(&mismatch.render(arguments.seed, &replay))?;
                return Ok(Verdict::Differed);
            }
            Err(Stop::Build(error)) => return Err(CallError::Build(error)),
        };
        let rate = summary.cases as f64 / start.elapsed().as_secs_f64().max(1e-9) * 60.0;
        let missing: Vec<&str> = summary.missing(kind).collect();
        let of = kind.outcomes.len();
        let met = format!("{} of {of}", of - missing.len());
        console.line(&format!(
            "{:<10} {:>10} {rate:>13.0}  {met}{}{}",
            kind.name,
            summary.cases,
            if missing.is_empty() { "" } else { ", not: " },
            missing.join(", "),
        ))?;
        if !missing.is_empty() || rate < LEAST {
            verdict = Verdict::Differed;
        }
    }
    Ok(verdict)
}
