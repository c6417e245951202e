//! Result files of a run: packet log, pcap, JSON, JUnit.
pub mod communication;
pub mod dissection;
pub mod drop_reason;
pub mod field;
pub mod junit;
pub mod lines;
pub mod link;
mod link_record;
pub mod log;
pub mod mad;
pub mod name;
pub mod network;
pub mod output;
pub mod pcap;
pub mod results;
mod subnet;

pub use link_record::LinkRecord;

use crate::Side;
use dissection::Dissection;
use hca_golden::port::Link;

/// A packet on the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// Clock cycle in which its last beat left the sender.
    pub cycle: u64,
    pub from: Side,
    /// Number of the port by which it left, from 1.
    pub port: u8,
    pub link: Link,
    /// First LRH byte to last VCRC byte, or a RoCE frame without FCS.
    pub bytes: Vec<u8>,
}

impl PacketRecord {
    /// Returns the dissected packet.
    pub fn dissection(&self) -> Dissection {
        Dissection::on(self.link, &self.bytes)
    }
}
