//! What a link carries.
use super::header::Unencodable;
use super::packet::Packet;
use super::raw::Raw;

/// A whole frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Of the IBA transport.
    Iba(Packet),
    /// Of another one; native links alone carry such.
    Raw(Raw),
}

impl Frame {
    /// The frame's bytes. Of a frame that was decoded they are those that it came from, but for what the protocol
    /// makes a receiver ignore: pad bytes that are not 0, Ethernet padding, the reserved flag of IPv4, and an IPv4
    /// header checksum of FFFFh where 0 says the same.
    pub fn encode(&self) -> Result<Vec<u8>, Unencodable> {
        match self {
            Frame::Iba(packet) => packet.encode(),
            Frame::Raw(raw) => raw.encode(),
        }
    }

    /// The packet, if it is one of the IBA transport.
    pub fn packet(self) -> Option<Packet> {
        match self {
            Frame::Iba(packet) => Some(packet),
            Frame::Raw(_) => None,
        }
    }
}
