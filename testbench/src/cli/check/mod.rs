//! `hca check`: judges a capture of other people's traffic.
mod explain;
mod input;
mod look;
mod reading;
mod report;
mod whole;

use super::error::CallError;
use super::Verdict;
use crate::check::{Judge, Pairing};
use clap::Args;
use input::Input;
use reading::{Checked, Reading};
use std::path::PathBuf;

/// Options of `hca check`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Capture, pcap or pcapng: native InfiniBand (link types 197 and 247), or RoCE in Ethernet, VLANs, tunnels and
    /// mirrors (link types 1, 12, 14, 101, 113, 228, 229, 276); a file, a pipe, or `-` for standard input. It may begin in the middle of
    /// a connection
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    file: Option<PathBuf>,
    /// Also write the findings as JSON; `-` for standard output, and then nothing else is written there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Judge packets whose ICRC is 0 too: they were captured before it was made
    #[arg(long)]
    zero_icrc: bool,
    /// Print a rule that findings name, such as CF177, and judge nothing
    #[arg(long, value_name = "ROW", conflicts_with_all = ["file", "json", "zero_icrc"])]
    explain: Option<String>,
}

/// Runs the command. Exit status 1 if a rule is broken, 2 if the file is, 3 if nothing was there to be judged; what
/// came before the fault is judged.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    if let Some(row) = &arguments.explain {
        explain::explain(row)?;
        return Ok(Verdict::Held);
    }
    let Some(path) = &arguments.file else {
        unreachable!("clap asks for a file where no rule is to be explained");
    };
    // It is read twice.
    let input = Input::open(path)?;
    let mut reading = Reading::new(arguments.zero_icrc);
    let mut pairing = Pairing::default();
    let file = input.again(path)?;
    let fault = reading
        .each(file, |seen, look| reading::pair(&mut pairing, seen, &look))
        .err();
    let mut checked = Checked::new(Judge::new(pairing.pairs()));
    let mut reading = reading.again();
    // The same fault ends it.
    let _ = reading.each(input.again(path)?, |seen, look| checked.look(seen, look));
    report::report(arguments.json.as_deref(), &checked, &reading, fault.as_ref())?;
    match fault {
        Some(fault) => Err(CallError::Capture {
            path: path.clone(),
            fault,
        }),
        None if !checked.judge.findings().is_empty() => Ok(Verdict::Differed),
        None if !checked.is_judged() => Ok(Verdict::Unjudged),
        None => Ok(Verdict::Held),
    }
}
