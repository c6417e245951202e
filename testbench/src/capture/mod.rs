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
mod next_generation;
mod source;

use classic::Classic;
use erf::Erf;
use fault::{Fault, Place, Trouble};
use next_generation::NextGeneration;
use source::Source;
use std::io::Read;
use std::time::Duration;

/// How the bytes of a file's records begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkType {
    /// A MAC address (link type 1).
    Ethernet,
    /// An ERF header (link type 197).
    Erf,
}

impl LinkType {
    /// Of a pcap's or an interface's number.
    fn of(number: u32) -> Result<LinkType, Trouble> {
        match number {
            1 => Ok(LinkType::Ethernet),
            197 => Ok(LinkType::Erf),
            _ => Err(Trouble::LinkType(number)),
        }
    }
}

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A native InfiniBand packet, LRH to VCRC.
    InfiniBand,
    /// An Ethernet frame without FCS.
    Ethernet,
    /// An ERF record of another type.
    Other,
}

/// A captured packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Counts packets from 1, as Wireshark does.
    pub number: u64,
    /// Since 1970; zero if the file does not say.
    pub time: Duration,
    pub content: Content,
    /// As much of the packet as was kept.
    pub bytes: Vec<u8>,
    /// Bytes that were on the wire.
    pub wire_length: usize,
}

/// A record as the file has it.
struct RawRecord {
    time: Duration,
    link: LinkType,
    bytes: Vec<u8>,
    wire_length: usize,
    /// Bytes of the Ethernet frame check sequence at the end.
    fcs: usize,
}

impl RawRecord {
    fn packet(mut self, number: u64) -> Result<Record, Trouble> {
        match self.bytes.len() as u32 {
            0 => return Err(Trouble::NoByte),
            1..=MAX_RECORD_BYTES => {}
            kept => return Err(Trouble::TooLong(kept)),
        }
        let (content, wire_length) = match self.link {
            LinkType::Ethernet => {
                // Fewer bytes on the wire than were kept are no reason to refuse a file: some writers put 0 there, and
                // the bytes are what counts.
                let wire_length = self.wire_length.max(self.bytes.len()).saturating_sub(self.fcs);
                self.bytes.truncate(wire_length);
                (Content::Ethernet, wire_length)
            }
            LinkType::Erf => {
                let erf = Erf::parse(&self.bytes)?;
                let content = match erf.kind {
                    erf::TYPE_INFINIBAND => Content::InfiniBand,
                    _ => Content::Other,
                };
                let wire_length = erf.wire_length;
                self.bytes = erf.packet.to_vec();
                (content, wire_length)
            }
        };
        Ok(Record {
            number,
            time: self.time,
            content,
            bytes: self.bytes,
            wire_length,
        })
    }
}

/// Largest packet that is believed, Wireshark's own limit.
pub const MAX_RECORD_BYTES: u32 = 262_144;
/// Largest block of a pcapng file that is believed, Wireshark's own limit.
pub const MAX_BLOCK_BYTES: u32 = 16 << 20;

/// A capture being read. After a [`Fault`] it ends.
pub struct Capture<R> {
    source: Source<R>,
    format: Format,
    records: u64,
    over: bool,
}

enum Format {
    Classic(Classic),
    NextGeneration(NextGeneration),
}

/// First bytes of a compressed file, which people take for a capture.
const GZIP: [u8; 2] = [0x1F, 0x8B];

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
            over: false,
        })
    }

    fn format(source: &mut Source<R>) -> Result<Format, Trouble> {
        match *source.take(4)? {
            [] => Err(Trouble::Empty),
            [0xA1, 0xB2, 0xC3, 0xD4]
            | [0xD4, 0xC3, 0xB2, 0xA1]
            | [0xA1, 0xB2, 0x3C, 0x4D]
            | [0x4D, 0x3C, 0xB2, 0xA1] => Ok(Format::Classic(Classic::new(source)?)),
            [0x0A, 0x0D, 0x0D, 0x0A] => Ok(Format::NextGeneration(NextGeneration::new(source)?)),
            [a, b, ..] if [a, b] == GZIP => Err(Trouble::Compressed),
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
        .and_then(|raw| raw.map(|raw| raw.packet(number)).transpose());
        self.records = number;
        self.over = !matches!(record, Ok(Some(_)));
        record.map_err(|trouble| self.source.fault(trouble)).transpose()
    }
}
