//! Data messages: MADs to and from clients. All numbers are big-endian.
use super::super::MadPacket;
use hca_sim::subnet::mad::{MadBytes, MAD_BYTES};

/// Length of a data message in bytes.
pub const DATA_MESSAGE_BYTES: usize = 32 + MAD_BYTES;
/// Status of a request that is returned because nobody has answered it: ETIMEDOUT of Linux.
pub const TIMED_OUT: u32 = 110;

/// A data message from or to a client: a MAD and its addresses. In a message of a client, SLID 0 means the LID of its
/// own port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    pub dlid: u16,
    pub slid: u16,
    pub destination_qpn: u32,
    pub source_qpn: u32,
    pub status: u32,
    pub mad: MadBytes,
}

impl Data {
    /// Makes the message of a packet for a client.
    pub fn of(packet: &MadPacket, status: u32) -> Data {
        Data {
            dlid: packet.dlid,
            slid: packet.slid,
            destination_qpn: packet.destination_qpn,
            source_qpn: packet.source_qpn,
            status,
            mad: packet.mad,
        }
    }

    /// Decodes a datagram; `None` if it is not a data message. Each has a whole MAD, whatever length it names: that of
    /// the records in a response of subnet administration may be less or more.
    pub fn parse(bytes: &[u8]) -> Option<Data> {
        let (head, mad) = bytes.split_first_chunk::<32>()?;
        let mad = mad.try_into().ok()?;
        let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let lid = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        Some(Data {
            dlid: lid(0),
            slid: lid(4),
            destination_qpn: word(8),
            source_qpn: word(12),
            status: word(16),
            mad,
        })
    }

    /// Returns the message as a datagram.
    pub fn bytes(&self) -> [u8; DATA_MESSAGE_BYTES] {
        let mut bytes = [0; DATA_MESSAGE_BYTES];
        bytes[..2].copy_from_slice(&self.dlid.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.slid.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.destination_qpn.to_be_bytes());
        bytes[12..16].copy_from_slice(&self.source_qpn.to_be_bytes());
        bytes[16..20].copy_from_slice(&self.status.to_be_bytes());
        bytes[24..32].copy_from_slice(&(MAD_BYTES as u64).to_be_bytes());
        bytes[32..].copy_from_slice(&self.mad);
        bytes
    }
}
