//! pcap: a file header, followed by records of a header and a packet each.
use super::fault::{Place, Trouble, MAX_RECORD_BYTES};
use super::link_type::LinkType;
use super::record::RawRecord;
use super::source::Source;
use pcap_file::pcap::PcapParser;
use pcap_file::{Endianness, TsResolution};
use std::io::Read;
use std::time::Duration;

const FILE_HEADER_BYTES: u64 = 24;
const RECORD_HEADER_BYTES: u64 = 16;
/// Major version. Version 2.4 has been in use since 1996.
const MAJOR: u16 = 2;
/// Place, in a record's header, of the number of bytes that were kept.
const KEPT: std::ops::Range<usize> = 8..12;

/// Bits of the header's field that hold the link type. The other bits describe the frame check sequence.
const LINK_TYPE: u32 = 0x0FFF_FFFF;
const FCS_IS_KNOWN: u32 = 1 << 26;

pub struct Classic {
    parser: PcapParser,
    link: LinkType,
    /// Number of bytes of the Ethernet frame check sequence at the end of a record.
    fcs: usize,
}

impl Classic {
    pub fn new<R: Read>(source: &mut Source<R>) -> Result<Classic, Trouble> {
        let bytes = FILE_HEADER_BYTES;
        let (_, parser) = PcapParser::new(source.need(bytes)?).map_err(|_| Trouble::Content {
            what: "a file header",
            bytes,
        })?;
        if parser.header().version_major != MAJOR {
            return Err(Trouble::Version {
                format: "a pcap",
                major: parser.header().version_major,
                known: MAJOR,
            });
        }
        let field = u32::from(parser.header().datalink);
        let (number, fcs) = match field & FCS_IS_KNOWN {
            0 => (field, 0),
            _ => (field & LINK_TYPE & !FCS_IS_KNOWN, (field >> 28) as usize * 2),
        };
        match LinkType::of(number) {
            LinkType::Unknown(number) => Err(Trouble::LinkType(number)),
            link => Ok(Classic { parser, link, fcs }),
        }
    }

    /// Returns the next record; `None` at the end of the file.
    pub fn next<R: Read>(&self, source: &mut Source<R>, number: u64) -> Result<Option<RawRecord>, Trouble> {
        source.begin(Place::Record(number));
        if source.take(RECORD_HEADER_BYTES)?.is_empty() {
            return Ok(None);
        }
        let header = source.need(RECORD_HEADER_BYTES)?;
        let kept = header[KEPT].iter();
        let kept = match self.parser.header().endianness {
            Endianness::Big => kept.fold(0, |n, b| n << 8 | u32::from(*b)),
            Endianness::Little => kept.rev().fold(0, |n, b| n << 8 | u32::from(*b)),
        };
        if kept > MAX_RECORD_BYTES {
            return Err(Trouble::TooLong(kept));
        }
        let bytes = RECORD_HEADER_BYTES + u64::from(kept);
        let packet = self.parser.next_raw_packet(source.need(bytes)?);
        let (_, packet) = packet.map_err(|_| Trouble::Content {
            what: "a record",
            bytes,
        })?;
        let nanoseconds = match self.parser.header().ts_resolution {
            TsResolution::MicroSecond => u64::from(packet.ts_frac) * 1000,
            TsResolution::NanoSecond => u64::from(packet.ts_frac),
        };
        Ok(Some(RawRecord {
            time: Duration::from_secs(packet.ts_sec.into()) + Duration::from_nanos(nanoseconds),
            link: self.link,
            interface: 0,
            wire_length: packet.orig_len as usize,
            bytes: packet.data.into_owned(),
            fcs: self.fcs,
        }))
    }
}
