//! `hca check`: judges a capture of other people's traffic.
mod copies;
mod explain;
mod look;
mod report;
mod running;
mod summary;

use super::error::CallError;
use super::intake::Intake;
use super::Verdict;
use crate::capture::parallel::Step;
use clap::Args;
use look::Look;
use report::{Format, Report};
use running::Running;
use std::path::PathBuf;

/// Options of `hca check`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    intake: Intake,
    /// Also write the findings as JSON; `-` for standard output, and then nothing else is written there
    #[arg(long, value_name = "FILE", conflicts_with = "ndjson")]
    json: Option<PathBuf>,
    /// A JSON document a line in place of lines for people: one for each finding as soon as it stands, and one of the
    /// totals
    #[arg(long)]
    ndjson: bool,
    /// Judge packets whose ICRC is 0 too: they were captured before it was made
    #[arg(long)]
    zero_icrc: bool,
    /// Print a rule that findings name, such as CF177, and judge nothing
    #[arg(long, value_name = "ROW", exclusive = true)]
    explain: Option<String>,
}

/// Runs the command. The exit status is 1 if a rule is broken, 2 if the file is damaged, and 3 if there was nothing to
/// judge. What came before the damage is judged.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    if let Some(row) = &arguments.explain {
        explain::explain(row)?;
        return Ok(Verdict::Held);
    }
    let intake = &arguments.intake;
    let path = intake.file.clone().ok_or(CallError::NoCapture)?;
    let format = match arguments.ndjson {
        true => Format::Stream,
        false => Format::Lines,
    };
    let mut report = Report::new(format, arguments.json.as_deref(), intake.follow)?;
    let mut running = Running::new(&intake.selection, intake.follow);
    let look = |record: &_| Look::of(record, arguments.zero_icrc);
    let fault = intake.each(look, |step| {
        match step {
            Step::Record(look) => running.look(look),
            Step::Idle => running.idle(),
        }
        Ok(report.progress(&mut running)?)
    })?;
    running.end();
    report.end(&mut running, fault.as_ref())?;
    match fault {
        Some(fault) => Err(CallError::Capture { path, fault }),
        None if running.findings() > 0 => Ok(Verdict::Differed),
        None if !running.is_judged() => Ok(Verdict::Unjudged),
        None => Ok(Verdict::Held),
    }
}
