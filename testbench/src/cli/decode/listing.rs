//! The output of packets: lines, or one JSON document, written as packets come.
use super::json;
use super::line;
use super::link_packet::LinkPacket;
use super::packet::Rdma;
use super::totals::Totals;
use crate::capture::fault::Fault;
use crate::cli::console::Console;
use crate::trace::output::OutputError;
use serde::Serialize;

/// How packets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for people.
    Lines,
    /// One JSON document.
    Document,
    /// A JSON document a line.
    Stream,
}

impl Format {
    /// Returns the text of a packet.
    pub fn packet(self, packet: &Rdma) -> String {
        match self {
            Format::Lines => line::line(packet),
            Format::Document | Format::Stream => text(&json::Packet::of(packet)),
        }
    }

    /// Returns the text of a link packet.
    pub fn link_packet(self, packet: &LinkPacket) -> String {
        match self {
            Format::Lines => line::link_line(packet),
            Format::Document | Format::Stream => text(&json::LinkPacket::of(packet)),
        }
    }
}

/// A capture's packets on standard output.
pub struct Listing {
    console: Console,
    format: Format,
    /// Number of packets shown.
    shown: u64,
}

impl Listing {
    /// Begins the listing.
    pub fn new(format: Format) -> Result<Listing, OutputError> {
        let mut console = Console::gathering();
        if format == Format::Document {
            console.line("{\"packets\": [")?;
        }
        Ok(Listing {
            console,
            format,
            shown: 0,
        })
    }

    /// Writes a packet, as [`Format::packet`] or [`Format::link_packet`] returned it.
    pub fn packet(&mut self, text: &str) -> Result<(), OutputError> {
        let first = self.shown == 0;
        self.shown += 1;
        match self.format {
            Format::Stream => {}
            Format::Document => {
                let comma = if first { " " } else { "," };
                return self.console.line(&format!("{comma}{text}"));
            }
            Format::Lines if first => self.console.line(line::HEADING)?,
            Format::Lines => {}
        }
        self.console.line(text)
    }

    /// Writes everything that is buffered.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.console.flush()
    }

    /// Ends the listing with the totals. An error of the file is part of a JSON document; for people it is printed on
    /// standard error.
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
