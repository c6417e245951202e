//! Captures made by other programs: pcap and pcapng, read record by record, whatever the file holds.
//!
//! This module reads the framing itself, each record by its own length, so that an error has a place and no length that
//! a file claims causes an allocation. The crate pcap-file decodes the inside of a record.
//!
//! The readers of pcap-file and pcap-parser could read the framing, too, but they need a buffer of the largest block
//! before they read, and their errors name neither the byte nor the claimed and present sizes.
mod classic;
pub(crate) mod erf;
pub mod fault;
mod infiniband;
pub mod layer;
mod link_type;
mod next_generation;
pub mod overlay;
pub mod packed;
pub mod parallel;
mod record;
mod source;
mod zstandard;

pub use record::{Content, Record};

use classic::Classic;
use fault::{Fault, Place, Trouble};
use next_generation::NextGeneration;
use record::RawRecord;
use source::Source;
use std::io::Read;
use std::time::Duration;

/// A capture that is being read. It ends after a [`Fault`].
pub struct Capture<R> {
    source: Source<R>,
    format: Format,
    records: u64,
    start: Option<Duration>,
    over: bool,
}

enum Format {
    Classic(Classic),
    NextGeneration(NextGeneration),
}

impl<R: Read> Capture<R> {
    /// Reads what comes before the first record.
    ///
    /// # Errors
    /// Returns a [`Fault`] if the file is not a capture, or has no known link type.
    pub fn new(reader: R) -> Result<Capture<R>, Fault> {
        let mut source = Source::new(reader);
        source.begin(Place::FileHeader);
        let format = Capture::format(&mut source).map_err(|trouble| source.fault(trouble))?;
        Ok(Capture {
            source,
            format,
            records: 0,
            start: None,
            over: false,
        })
    }

    /// Returns true if all bytes that were read are used up, so that the next record has to be waited for.
    pub fn is_drained(&self) -> bool {
        self.source.is_drained()
    }

    fn format(source: &mut Source<R>) -> Result<Format, Trouble> {
        match *source.take(4)? {
            [] => Err(Trouble::Empty),
            [0xA1, 0xB2, 0xC3, 0xD4]
            | [0xD4, 0xC3, 0xB2, 0xA1]
            | [0xA1, 0xB2, 0x3C, 0x4D]
            | [0x4D, 0x3C, 0xB2, 0xA1] => Ok(Format::Classic(Classic::new(source)?)),
            [0x0A, 0x0D, 0x0D, 0x0A] => Ok(Format::NextGeneration(NextGeneration::new(source)?)),
            ref magic => Err(Trouble::Magic(magic.to_vec())),
        }
    }
}

impl<R: Read> Iterator for Capture<R> {
    type Item = Result<Record, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let number = self.records + 1;
        let record = match &mut self.format {
            Format::Classic(classic) => classic.next(&mut self.source, number),
            Format::NextGeneration(pcapng) => pcapng.next(&mut self.source, number),
        }
        .and_then(|raw| {
            let record = |raw: RawRecord| {
                let start = *self.start.get_or_insert(raw.time);
                raw.packet(number, start)
            };
            raw.map(record).transpose()
        });
        self.records = number;
        self.over = !matches!(record, Ok(Some(_)));
        record.map_err(|trouble| self.source.fault(trouble)).transpose()
    }
}
