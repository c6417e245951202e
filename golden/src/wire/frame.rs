//! What a link carries: bytes to a packet, or to the reason why they are none.
use super::check;
use super::header::Unencodable;
use super::malformed::Malformed;
use super::packet::Packet;
use super::raw::Raw;

/// How packets are framed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// Native: LRH to VCRC.
    #[default]
    InfiniBand,
    /// RoCEv2: Ethernet without FCS.
    Roce,
}

/// A whole frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Of the IBA transport.
    Iba(Packet),
    /// Of another one; native links alone carry such.
    Raw(Raw),
}

impl Frame {
    /// Reads a frame, whichever port it is for. An Ethernet frame of 60 bytes may be longer than its IP datagram.
    pub fn decode(link: Link, bytes: &[u8]) -> Result<Frame, Malformed> {
        match link {
            Link::InfiniBand => check::native::decode(bytes),
            Link::Roce => check::roce::judge(bytes, None).map(Frame::Iba),
        }
    }

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
