//! Where the packets go: lines, or one JSON document, written as they come.
use super::json;
use super::line;
use super::packet::{Captured, Rdma};
use super::totals::Totals;
use crate::capture::fault::Fault;
use crate::cli::console::Console;
use crate::trace::output::OutputError;
use serde::Serialize;
use std::time::Duration;

/// How packets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Lines,
    /// One JSON document.
    Document,
    /// A JSON document a line.
    Stream,
}

/// A capture's packets on standard output.
pub struct Listing {
    console: Console,
    format: Format,
    /// Packets shown.
    shown: u64,
    /// Time of the first record, shown or not.
    start: Option<Duration>,
}

impl Listing {
    /// Begins.
    pub fn new(format: Format) -> Result<Listing, OutputError> {
        let mut console = Console::gathering();
        if format == Format::Document {
            console.line("{\"packets\": [")?;
        }
        Ok(Listing {
            console,
            format,
            shown: 0,
            start: None,
        })
    }

    /// Shows a record if it is RDMA.
    pub fn record(&mut self, time: Duration, captured: &Captured) -> Result<(), OutputError> {
        let start = *self.start.get_or_insert(time);
        match captured {
            Captured::Rdma(packet) => self.packet(packet, start),
            Captured::Other | Captured::OtherLink(_) => Ok(()),
        }
    }

    fn packet(&mut self, packet: &Rdma, start: Duration) -> Result<(), OutputError> {
        let first = self.shown == 0;
        self.shown += 1;
        if self.format == Format::Stream {
            return self.console.line(&text(&json::Packet::of(packet)));
        }
        if self.format == Format::Document {
            let comma = if first { " " } else { "," };
            return self
                .console
                .line(&format!("{comma}{}", text(&json::Packet::of(packet))));
        }
        if first {
            self.console.line(line::HEADING)?;
        }
        self.console.line(&line::line(packet, start))
    }

    /// Ends with the totals; a fault is part of the document, people read of it on standard error.
    pub fn finish(&mut self, totals: &Totals, fault: Option<&Fault>) -> Result<(), OutputError> {
        if self.format != Format::Lines {
            let fault = text(&fault.map(Fault::to_string));
            if self.format == Format::Stream {
                let end = format!("{{\"totals\": {}, \"fault\": {fault}}}", text(totals));
                self.console.line(&end)?;
                return self.console.flush();
            }
            self.console.line(&format!("],\n\"totals\": {},", text(totals)))?;
            self.console.line(&format!("\"fault\": {fault}}}"))?;
            return self.console.flush();
        }
        if totals.packets > 0 || fault.is_none() {
            if self.shown > 0 {
                self.console.line("")?;
            }
            for line in totals.lines() {
                self.console.line(&line)?;
            }
        }
        self.console.flush()
    }
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("names are text and numbers are finite")
}
