//! Captures that others made: pcap and pcapng, record by record, whatever the file holds.
//!
//! The framing is read here, each record by its own length, so that a fault has a place and nothing is allocated
//! because a length claims it; what is inside a record, pcap-file knows.
//!
//! The readers of pcap-file and pcap-parser would do this too, but they want a buffer of the largest block before they
//! read, and their errors name neither the byte nor the sizes that are claimed and present.
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

/// A capture being read. After a [`Fault`] it ends.
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
    /// Reads what stands before the first record.
    ///
    /// # Errors
    /// [`Fault`] if it is no capture, or none of a link type that is known.
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

    /// What was read is used up: the next record has to be waited for.
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
