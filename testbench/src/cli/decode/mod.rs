//! `hca decode`: what a capture holds, packet by packet.
pub(super) mod datagram;
mod json;
mod line;
mod listing;
pub(super) mod packet;
mod totals;

use super::error::CallError;
use super::Verdict;
use crate::capture::fault::Fault;
use crate::capture::packed;
use crate::capture::Capture;
use crate::trace::output::OutputError;
use clap::Args;
use listing::{Format, Listing};
use packet::Captured;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use totals::Totals;

/// Options of `hca decode`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Capture, pcap or pcapng: native InfiniBand (link types 197 and 247), or RoCE in Ethernet, VLANs, tunnels and
    /// mirrors (link types 1, 12, 14, 101, 113, 228, 229, 276); `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// One JSON document instead of lines
    #[arg(long, conflicts_with = "ndjson")]
    json: bool,
    /// A JSON document a line: one for each packet, and one of the totals
    #[arg(long)]
    ndjson: bool,
}

impl Arguments {
    fn format(&self) -> Format {
        match (self.json, self.ndjson) {
            (true, _) => Format::Document,
            (_, true) => Format::Stream,
            _ => Format::Lines,
        }
    }
}

/// Runs the command. Exit status 1 if a packet is malformed, 2 if the file is; what came before the fault is shown.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let file = &arguments.file;
    let unreadable = |source| CallError::OpenCapture {
        path: file.clone(),
        source,
    };
    let reader: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(file).map_err(unreadable)?),
    };
    let reader = packed::unpacked(BufReader::with_capacity(1 << 16, reader)).map_err(unreadable)?;
    let mut listing = Listing::new(arguments.format())?;
    let mut totals = Totals::default();
    let read = || {
        for record in Capture::new(reader)? {
            let record = record?;
            let captured = Captured::of(&record);
            totals.count(&captured);
            listing.record(record.time, &captured)?;
        }
        Ok(())
    };
    let fault = match read() {
        Ok(()) => None,
        Err(Stop::Fault(fault)) => Some(fault),
        Err(Stop::Output(error)) => return Err(error.into()),
    };
    listing.finish(&totals, fault.as_ref())?;
    match fault {
        Some(fault) => Err(CallError::Capture {
            path: file.clone(),
            fault,
        }),
        None if totals.are_clean() => Ok(Verdict::Held),
        None => Ok(Verdict::Differed),
    }
}

/// Why reading ends before the file does.
enum Stop {
    Fault(Fault),
    Output(OutputError),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<OutputError> for Stop {
    fn from(error: OutputError) -> Stop {
        Stop::Output(error)
    }
}
