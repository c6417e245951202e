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
mod next_generation;
pub mod overlay;
pub mod packed;
pub mod parallel;
mod source;
mod zstandard;

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
    /// An LRH (link type 247).
    InfiniBand,
    /// Linux's header of 16 bytes in place of Ethernet's (link type 113), or of 20 (276): bytes, and where its
    /// EtherType is.
    Cooked(usize, usize),
    /// An IP header (link types 12, 14, 101, 228 and 229).
    Ip,
    Unknown(u32),
}

impl LinkType {
    /// Of a pcap's or an interface's number.
    fn of(number: u32) -> LinkType {
        match number {
            1 => LinkType::Ethernet,
            12 | 14 | 101 | 228 | 229 => LinkType::Ip,
            113 => LinkType::Cooked(16, 14),
            197 => LinkType::Erf,
            247 => LinkType::InfiniBand,
            276 => LinkType::Cooked(20, 0),
            _ => LinkType::Unknown(number),
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
    /// A packet of an interface whose link type is not read.
    OtherLink(u32),
}

/// A captured packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Counts packets from 1, as Wireshark does.
    pub number: u64,
    /// Since 1970; zero if the file does not say.
    pub time: Duration,
    /// The time of the file's first packet.
    pub start: Duration,
    pub content: Content,
    /// As much of the packet as was kept.
    pub bytes: Vec<u8>,
    /// Bytes that were on the wire.
    pub wire_length: usize,
    /// Bytes of CRCs at the end that the file does not hold and that were put there.
    pub crcs_made: usize,
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
    fn packet(mut self, number: u64, start: Duration) -> Result<Record, Trouble> {
        match self.bytes.len() as u32 {
            0 => return Err(Trouble::NoByte),
            1..=MAX_RECORD_BYTES => {}
            kept => return Err(Trouble::TooLong(kept)),
        }
        // Fewer bytes on the wire than were kept are no reason to refuse a file: some writers put 0 there, and the
        // bytes are what counts.
        let mut wire_length = self.wire_length.max(self.bytes.len()).saturating_sub(self.fcs);
        let mut crcs_made = 0;
        let content = match self.link {
            LinkType::Ethernet => {
                self.bytes.truncate(wire_length);
                Content::Ethernet
            }
            LinkType::Erf => {
                let erf = Erf::parse(&self.bytes)?;
                wire_length = erf.wire_length;
                let (content, packet) = match erf.kind {
                    erf::TYPE_INFINIBAND => (Content::InfiniBand, erf.packet),
                    kind if erf::TYPES_ETHERNET.contains(&kind) => (Content::Ethernet, erf.frame()),
                    _ => (Content::Other, erf.packet),
                };
                self.bytes = packet.to_vec();
                content
            }
            LinkType::InfiniBand => {
                crcs_made = infiniband::complete(&mut self.bytes, wire_length);
                wire_length += crcs_made;
                Content::InfiniBand
            }
            LinkType::Cooked(bytes, ether_type) => {
                let header = self.bytes.get(..bytes);
                let ether_type = header.and_then(|header| header[ether_type..].first_chunk().copied());
                let behind = self.bytes.get(bytes..).unwrap_or(&[]);
                self.bytes = framed(ether_type.unwrap_or_default(), behind);
                wire_length = (wire_length + ETHERNET_BYTES).saturating_sub(bytes);
                Content::Ethernet
            }
            LinkType::Ip => {
                let ether_type = match self.bytes[0] >> 4 {
                    6 => [0x86, 0xDD],
                    _ => [0x08, 0x00],
                };
                self.bytes = framed(ether_type, &self.bytes);
                wire_length += ETHERNET_BYTES;
                Content::Ethernet
            }
            LinkType::Unknown(number) => Content::OtherLink(number),
        };
        Ok(Record {
            number,
            time: self.time,
            start,
            content,
            wire_length: wire_length.max(self.bytes.len()),
            bytes: self.bytes,
            crcs_made,
        })
    }
}

const ETHERNET_BYTES: usize = 14;

/// A frame without addresses.
fn framed(ether_type: [u8; 2], packet: &[u8]) -> Vec<u8> {
    [&[0; 12], &ether_type[..], packet].concat()
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
