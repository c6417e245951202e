//! A record of a capture.
use super::erf::Erf;
use super::fault::Trouble;
use super::fault::MAX_RECORD_BYTES;
use super::layer::Layer;
use super::link_type::LinkType;
use super::{erf, infiniband};
use std::time::Duration;

/// The contents of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A native InfiniBand packet, LRH to VCRC.
    InfiniBand,
    /// A link packet of native InfiniBand.
    Link,
    /// An Ethernet frame without FCS.
    Ethernet,
    /// An ERF record of another type.
    Other,
    /// A packet of an interface with an unsupported link type.
    OtherLink(u32),
}

/// A captured packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the packet, counted from 1 as in Wireshark.
    pub number: u64,
    /// Time since 1970; zero if the file has no times.
    pub time: Duration,
    /// Time of the file's first packet.
    pub start: Duration,
    pub content: Content,
    /// Where a packet of native InfiniBand was captured, if not at the first port or interface: [`Layer::Port`] by the
    /// interface of ERF, whatever interface of pcapng has the record, or [`Layer::Interface`] of pcapng. An Ethernet
    /// frame may cross any of several, so it has none.
    pub port: Option<Layer>,
    /// The kept part of the packet.
    pub bytes: Vec<u8>,
    /// Length on the wire in bytes.
    pub wire_length: usize,
    /// Number of bytes of CRCs at the end that the file does not hold and that the reader has added.
    pub crcs_made: usize,
}

/// A record as it is in the file.
pub(super) struct RawRecord {
    pub(super) time: Duration,
    pub(super) link: LinkType,
    /// Number of the interface in its section of a pcapng; 0 in a pcap.
    pub(super) interface: u32,
    pub(super) bytes: Vec<u8>,
    pub(super) wire_length: usize,
    /// Number of bytes of the Ethernet frame check sequence at the end.
    pub(super) fcs: usize,
}

impl RawRecord {
    pub(super) fn packet(mut self, number: u64, start: Duration) -> Result<Record, Trouble> {
        match self.bytes.len() as u32 {
            0 => return Err(Trouble::NoByte),
            1..=MAX_RECORD_BYTES => {}
            kept => return Err(Trouble::TooLong(kept)),
        }
        // A wire length below the kept length is no reason to refuse a file: some writers put 0 there. The kept bytes
        // decide.
        let mut wire_length = self.wire_length.max(self.bytes.len()).saturating_sub(self.fcs);
        let mut crcs_made = 0;
        let mut port = None;
        let content = match self.link {
            LinkType::Ethernet => {
                self.bytes.truncate(wire_length);
                Content::Ethernet
            }
            LinkType::Erf => {
                let erf = Erf::parse(&self.bytes)?;
                wire_length = erf.wire_length;
                port = Some(Layer::Port(erf.port()));
                let (content, packet) = match erf.kind {
                    erf::TYPE_INFINIBAND => (Content::InfiniBand, erf.packet),
                    erf::TYPE_INFINIBAND_LINK => {
                        let (packet, length) = erf.link_packet();
                        wire_length = length;
                        (Content::Link, packet)
                    }
                    kind if erf::TYPES_ETHERNET.contains(&kind) => (Content::Ethernet, erf.frame()),
                    _ => (Content::Other, erf.packet),
                };
                self.bytes = packet.to_vec();
                content
            }
            LinkType::InfiniBand => {
                port = Some(Layer::Interface(self.interface));
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
            port: port.filter(|port| {
                port.parts_tenants() && matches!(content, Content::InfiniBand | Content::Link)
            }),
            wire_length: wire_length.max(self.bytes.len()),
            bytes: self.bytes,
            crcs_made,
        })
    }
}

const ETHERNET_BYTES: usize = 14;

/// Returns a frame without addresses.
fn framed(ether_type: [u8; 2], packet: &[u8]) -> Vec<u8> {
    [&[0; 12], &ether_type[..], packet].concat()
}
