//! `hca decode`: prints the contents of a capture, packet by packet.
pub(super) mod crc;
pub(super) mod datagram;
mod json;
mod line;
pub(super) mod link_packet;
mod listing;
pub(super) mod packet;
mod totals;

use super::error::CallError;
use super::intake::{Intake, Written};
use super::Verdict;
use crate::capture::parallel::Step;
use crate::capture::Record;
use clap::Args;
use listing::{Format, Listing};
use packet::{Captured, Rdma};
use totals::{Tally, Totals};

/// Options of `hca decode`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    intake: Intake,
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

    fn is_asked_for(&self, packet: &Rdma) -> bool {
        let selection = &self.intake.selection;
        let is_of = selection.qp.is_empty() || packet.is_of(&selection.qp);
        is_of && selection.holds(packet.addresses())
    }

    /// Returns the text that is shown for a record, and what is counted.
    fn look(&self, record: &Record) -> (Option<String>, Tally) {
        let captured = Captured::of(record);
        let shown = match &captured {
            Captured::Rdma(packet) if !self.is_asked_for(packet) => return (None, Tally::LeftOut),
            Captured::Rdma(packet) => Some(self.format().packet(packet)),
            Captured::Link(_) if self.intake.selection.is_of_ends() => return (None, Tally::LeftOut),
            Captured::Link(packet) => Some(self.format().link_packet(packet)),
            Captured::Other | Captured::OtherLink(_) => None,
        };
        (shown, Tally::of(&captured))
    }
}

/// Runs the command. The exit status is 1 if a packet is malformed, 2 if the file is damaged, and 3 if it holds neither
/// a packet of RDMA nor a link packet. What came before the damage is shown.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let intake = &arguments.intake;
    let path = intake.file.clone().ok_or(CallError::NoCapture)?;
    let mut listing = Listing::new(arguments.format())?;
    let mut totals = Totals::default();
    let fault = intake.each(
        |record| arguments.look(record),
        |step| {
            match step {
                Step::Record((shown, tally)) => {
                    totals.count(tally);
                    let Some(text) = shown else {
                        return Ok(Written::Nothing);
                    };
                    listing.packet(&text)?;
                    return Ok(Written::Lines);
                }
                Step::Idle => listing.flush()?,
            }
            Ok(Written::Nothing)
        },
    )?;
    totals.end();
    listing.finish(&totals, fault.as_ref())?;
    match fault {
        Some(fault) => Err(CallError::Capture { path, fault }),
        None if !totals.are_clean() => Ok(Verdict::Differed),
        None if totals.rdma + totals.link_packets == 0 => Ok(Verdict::Unjudged),
        None => Ok(Verdict::Held),
    }
}
