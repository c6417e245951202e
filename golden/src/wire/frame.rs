//! Frames on a link.
use super::header::Unencodable;
use super::packet::Packet;
use super::raw::Raw;

/// A whole frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A packet of the IBA transport.
    Iba(Packet),
    /// A packet of another transport; only native links carry one.
    Raw(Raw),
}

impl Frame {
    /// Returns the frame's bytes. For a decoded frame they are the bytes that it came from, except those that a
    /// receiver must ignore: pad bytes that are not 0, Ethernet padding, the reserved flag of IPv4, and an IPv4 header
    /// checksum of FFFFh in place of 0.
    pub fn encode(&self) -> Result<Vec<u8>, Unencodable> {
        match self {
            Frame::Iba(packet) => packet.encode(),
            Frame::Raw(raw) => raw.encode(),
        }
    }

    /// Returns the packet, if it is one of the IBA transport.
    pub fn packet(self) -> Option<Packet> {
        match self {
            Frame::Iba(packet) => Some(packet),
            Frame::Raw(_) => None,
        }
    }
}
