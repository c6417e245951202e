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

/// A capture's packets on standard output.
pub struct Listing {
    console: Console,
    json: bool,
    /// Packets shown.
    shown: u64,
    /// Time of the first record, shown or not.
    start: Option<Duration>,
}

impl Listing {
    /// Begins; `json` chooses the document.
    pub fn new(json: bool) -> Result<Listing, OutputError> {
        let mut console = Console::gathering();
        if json {
            console.line("{\"packets\": [")?;
        }
        Ok(Listing {
            console,
            json,
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
        if self.json {
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
        if self.json {
            let fault = text(&fault.map(Fault::to_string));
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
