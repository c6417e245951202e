//! pcapng: blocks of many kinds, some of which hold a packet.
use super::fault::{Place, Trouble, MAX_BLOCK_BYTES};
use super::link_type::LinkType;
use super::record::RawRecord;
use super::source::Source;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::SectionHeaderBlock;
use pcap_file::pcapng::blocks::{
    ENHANCED_PACKET_BLOCK, INTERFACE_DESCRIPTION_BLOCK, PACKET_BLOCK, SECTION_HEADER_BLOCK,
    SIMPLE_PACKET_BLOCK,
};
use pcap_file::pcapng::{Block, PcapNgParser};
use pcap_file::Endianness;
use std::io::Read;
use std::time::Duration;

/// Length of type and length in bytes. In a section header the byte order follows them.
const BLOCK_HEADER_BYTES: u64 = 8;
const SECTION_MAGIC_BYTES: u64 = 4;
const LITTLE_ENDIAN_MAGIC: [u8; 4] = [0x4D, 0x3C, 0x2B, 0x1A];
const BIG_ENDIAN_MAGIC: [u8; 4] = [0x1A, 0x2B, 0x3C, 0x4D];
/// Major version of a section.
const MAJOR: u16 = 1;
/// Place of the kept length in the blocks that have one, and number of bytes beside the packet in these blocks.
const KEPT: std::ops::Range<usize> = 20..24;
const PACKET_BLOCK_BYTES: u64 = 32;

pub struct NextGeneration {
    parser: PcapNgParser,
    blocks: u64,
}

impl NextGeneration {
    pub fn new<R: Read>(source: &mut Source<R>) -> Result<NextGeneration, Trouble> {
        let (kind, length) = header(source, Endianness::Big)?;
        let section = PcapNgParser::new(source.need(length)?);
        let (_, parser) = section.map_err(|_| refused(kind, length))?;
        check_version(parser.section())?;
        Ok(NextGeneration { parser, blocks: 1 })
    }

    /// Returns the next packet; `None` at the end of the file.
    pub fn next<R: Read>(
        &mut self,
        source: &mut Source<R>,
        number: u64,
    ) -> Result<Option<RawRecord>, Trouble> {
        loop {
            self.blocks += 1;
            source.begin(Place::Block {
                block: self.blocks,
                record: number,
            });
            if source.take(BLOCK_HEADER_BYTES)?.is_empty() {
                return Ok(None);
            }
            let (kind, length) = header(source, self.parser.section().endianness)?;
            let block = source.need(length)?;
            let read = [
                SECTION_HEADER_BLOCK,
                INTERFACE_DESCRIPTION_BLOCK,
                ENHANCED_PACKET_BLOCK,
                SIMPLE_PACKET_BLOCK,
                PACKET_BLOCK,
            ];
            if read.contains(&kind) {
                let block = self.parser.next_block(block);
                let (_, block) = block.map_err(|_| refused(kind, length))?;
                if let Block::SectionHeader(section) = &block {
                    check_version(section)?;
                }
                if let Some(packet) = self.packet(block)? {
                    return packet.record(self.parser.interfaces()).map(Some);
                }
            }
        }
    }

    /// Returns the packet of a block; `None` if the block holds none.
    fn packet<'a>(&self, block: Block<'a>) -> Result<Option<Packet<'a>>, Trouble> {
        Ok(match block {
            Block::EnhancedPacket(p) => Some(Packet {
                interface: p.interface_id,
                // pcap-file reads the units as nanoseconds.
                ticks: p.timestamp.as_nanos() as u64,
                wire_length: p.original_len,
                data: p.data,
            }),
            Block::Packet(p) => Some(Packet {
                interface: p.interface_id.into(),
                // The time is two words, the higher one first in either byte order.
                ticks: match self.parser.section().endianness {
                    Endianness::Big => p.timestamp,
                    Endianness::Little => p.timestamp.rotate_left(32),
                },
                wire_length: p.original_len,
                data: p.data,
            }),
            Block::SimplePacket(p) => {
                let interface = self.parser.interfaces().first().ok_or(Trouble::Interface(0))?;
                let most = match interface.snaplen {
                    0 => p.original_len,
                    limit => p.original_len.min(limit),
                };
                let mut data = p.data.into_owned();
                // The bytes behind are the block's pad bytes.
                data.truncate(most as usize);
                Some(Packet {
                    interface: 0,
                    ticks: 0,
                    wire_length: p.original_len,
                    data: data.into(),
                })
            }
            _ => None,
        })
    }
}

fn check_version(section: &SectionHeaderBlock<'_>) -> Result<(), Trouble> {
    match section.major_version {
        MAJOR => Ok(()),
        major => Err(Trouble::Version {
            format: "a section",
            major,
            known: MAJOR,
        }),
    }
}

/// Returns the error for a block that pcap-file rejects.
fn refused(kind: u32, bytes: u64) -> Trouble {
    let what = match kind {
        SECTION_HEADER_BLOCK => "a section header block",
        INTERFACE_DESCRIPTION_BLOCK => "an interface description block",
        ENHANCED_PACKET_BLOCK => "an enhanced packet block",
        SIMPLE_PACKET_BLOCK => "a simple packet block",
        _ => "a packet block",
    };
    Trouble::Content { what, bytes }
}

fn number(bytes: &[u8], order: Endianness) -> u32 {
    match order {
        Endianness::Big => bytes.iter().fold(0, |n, b| n << 8 | u32::from(*b)),
        Endianness::Little => bytes.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)),
    }
}

/// Returns type and length of the block that begins, after a check that its parts fit into it.
fn header<R: Read>(source: &mut Source<R>, section: Endianness) -> Result<(u32, u64), Trouble> {
    let kind = number(&source.need(BLOCK_HEADER_BYTES)?[..4], section);
    let order = match kind {
        // The type of a section header is the same in either byte order.
        SECTION_HEADER_BLOCK => match source.need(BLOCK_HEADER_BYTES + SECTION_MAGIC_BYTES)?[8..12] {
            ref magic if *magic == LITTLE_ENDIAN_MAGIC => Endianness::Little,
            ref magic if *magic == BIG_ENDIAN_MAGIC => Endianness::Big,
            ref magic => return Err(Trouble::ByteOrder([magic[0], magic[1], magic[2], magic[3]])),
        },
        _ => section,
    };
    let length = number(&source.need(BLOCK_HEADER_BYTES)?[4..8], order);
    match length {
        12..=MAX_BLOCK_BYTES if length.is_multiple_of(4) => {}
        _ => return Err(Trouble::Block(length)),
    }
    let bytes = u64::from(length);
    let block = source.need(bytes)?;
    let last = number(&block[block.len() - 4..], order);
    if last != length {
        return Err(Trouble::Trailer { first: length, last });
    }
    if matches!(kind, ENHANCED_PACKET_BLOCK | PACKET_BLOCK) && bytes >= PACKET_BLOCK_BYTES {
        let packet = number(&block[KEPT], order);
        if u64::from(packet) + PACKET_BLOCK_BYTES > bytes {
            return Err(Trouble::Overfull { packet, block: bytes });
        }
    }
    Ok((kind, bytes))
}

/// A packet of a block of any kind.
struct Packet<'a> {
    interface: u32,
    /// Time in the units of the interface.
    ticks: u64,
    wire_length: u32,
    data: std::borrow::Cow<'a, [u8]>,
}

impl Packet<'_> {
    fn record(self, interfaces: &[InterfaceDescriptionBlock<'static>]) -> Result<RawRecord, Trouble> {
        let interface = interfaces
            .get(self.interface as usize)
            .ok_or(Trouble::Interface(self.interface))?;
        Ok(RawRecord {
            time: time(self.ticks, interface),
            link: LinkType::of(interface.linktype.into()),
            interface: self.interface,
            bytes: self.data.into_owned(),
            wire_length: self.wire_length as usize,
            fcs: fcs_bytes(interface),
        })
    }
}

/// Returns the number of bytes of the frame check sequence at the end of each packet.
fn fcs_bytes(interface: &InterfaceDescriptionBlock<'_>) -> usize {
    let bits = interface.options.iter().find_map(|o| match o {
        InterfaceDescriptionOption::IfFcsLen(bits) => Some(usize::from(*bits)),
        _ => None,
    });
    bits.unwrap_or(0) / 8
}

/// Returns the time since 1970 of `ticks` units of an interface. The unit is a microsecond if the interface names none.
fn time(ticks: u64, interface: &InterfaceDescriptionBlock<'_>) -> Duration {
    let (mut resolution, mut offset) = (6, 0);
    for option in &interface.options {
        match option {
            InterfaceDescriptionOption::IfTsResol(r) => resolution = *r,
            InterfaceDescriptionOption::IfTsOffset(seconds) => offset = *seconds,
            _ => {}
        }
    }
    let (base, exponent) = match resolution & 0x80 {
        0 => (10u128, u32::from(resolution)),
        _ => (2, u32::from(resolution & 0x7F)),
    };
    // With units too small for 128 bits, a 64-bit number of them is no time at all.
    let Some(per_second) = base.checked_pow(exponent) else {
        return Duration::ZERO;
    };
    let ticks = u128::from(ticks);
    let (seconds, rest) = (ticks / per_second, ticks % per_second);
    let nanoseconds = rest.checked_mul(1_000_000_000).map_or(0, |n| n / per_second);
    Duration::new(seconds as u64, nanoseconds as u32)
        .checked_add(Duration::from_secs(offset))
        .unwrap_or_default()
}
