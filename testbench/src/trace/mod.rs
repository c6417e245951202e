//! What a run leaves behind: packet log, pcap, JSON, JUnit.
pub mod dissection;
pub mod drop_reason;
pub mod field;
pub mod junit;
pub mod log;
pub mod network;
pub mod output;
pub mod pcap;
pub mod results;

use crate::Side;

/// A packet on the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// Clock cycle in which its last beat left the sender.
    pub cycle: u64,
    pub from: Side,
    /// First LRH byte to last VCRC byte.
    pub bytes: Vec<u8>,
}
