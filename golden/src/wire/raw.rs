//! Raw packets: an LRH, a header that is not of the IBA transport, a payload and a VCRC (CF036, CF230).
use super::crc::{vcrc, VCRC_BYTES};
use super::header::{HeaderFormat, Unencodable};
use super::length;
use super::lrh::{Lrh, LNH_RAW, LNH_RAW_IPV6};
use super::rwh::Rwh;
use etherparse::Ipv6Header;

/// A raw packet. Its VCRC is not stored; it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    pub lrh: Lrh,
    pub header: RawHeader,
    /// Payload, a whole number of words.
    pub payload: Vec<u8>,
}

/// The header after the LRH (`lnh.csv`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawHeader {
    /// A raw header, behind LNH 00.
    EtherType(Rwh),
    /// An IPv6 header, behind LNH 01. Its payload length is that of the datagram; the packet may be longer by the
    /// padding of the last word.
    Ipv6(Ipv6Header),
}

impl RawHeader {
    fn lnh(&self) -> u8 {
        match self {
            RawHeader::EtherType(_) => LNH_RAW,
            RawHeader::Ipv6(_) => LNH_RAW_IPV6,
        }
    }

    /// Decodes the header that this LNH announces, and returns it with the remaining bytes; `None` if the bytes are too
    /// short, if they are not IPv6, or if the LNH announces no such header.
    pub(super) fn split(lnh: u8, bytes: &[u8]) -> Option<(RawHeader, &[u8])> {
        match lnh {
            LNH_RAW => {
                let (header, rest) = bytes.split_at_checked(Rwh::BYTES)?;
                Some((RawHeader::EtherType(Rwh::parse(header)?), rest))
            }
            LNH_RAW_IPV6 => {
                let (header, rest) = Ipv6Header::from_slice(bytes).ok()?;
                Some((RawHeader::Ipv6(header), rest))
            }
            _ => None,
        }
    }
}

impl Raw {
    /// Returns the packet with the fields set that follow from its content: LNH and PktLen.
    pub fn completed(&self) -> Result<Raw, Unencodable> {
        let header = match self.header {
            RawHeader::EtherType(_) => Rwh::BYTES,
            RawHeader::Ipv6(_) => Ipv6Header::LEN,
        };
        if !self.payload.len().is_multiple_of(4) {
            return Err(Unencodable::RawPayload(self.payload.len()));
        }
        let bytes = Lrh::BYTES + header + self.payload.len() + VCRC_BYTES;
        Ok(Raw {
            lrh: Lrh {
                lnh: self.header.lnh(),
                pkt_len: length::pkt_len_field(bytes)?,
                ..self.lrh
            },
            ..self.clone()
        })
    }

    /// Returns the packet's bytes, VCRC included. LNH and PktLen are set from the packet's content.
    pub fn encode(&self) -> Result<Vec<u8>, Unencodable> {
        let Raw { lrh, header, payload } = self.completed()?;
        let mut bytes = Vec::new();
        lrh.emit(&mut bytes)?;
        match header {
            RawHeader::EtherType(header) => header.emit(&mut bytes)?,
            RawHeader::Ipv6(header) => bytes.extend(header.to_bytes()),
        }
        bytes.extend(payload);
        bytes.extend(vcrc(&bytes));
        Ok(bytes)
    }
}
