//! PortCountersExtended.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// The 64-bit counters of a port. Each stays at all ones (`port_counters.csv`, rows "ext").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct PortCountersExtended {
    #[deku(pad_bytes_before = "1")]
    pub port_select: u8,
    /// Counters that a Set clears, by the select bits of the table.
    #[deku(pad_bytes_after = "4")]
    pub counter_select: u16,
    /// Words of four bytes sent, from LRH to ICRC.
    pub xmit_data: u64,
    /// Words of four bytes received, from LRH to ICRC.
    pub rcv_data: u64,
    pub xmit_pkts: u64,
    pub rcv_pkts: u64,
    pub unicast_xmit_pkts: u64,
    pub unicast_rcv_pkts: u64,
    pub multicast_xmit_pkts: u64,
    pub multicast_rcv_pkts: u64,
}

impl Record for PortCountersExtended {
    const BYTES: usize = 72;
}

impl PortCountersExtended {
    /// Returns the counters, in the order of their select bits from bit 0 on.
    pub fn counts(&mut self) -> [&mut u64; 8] {
        [
            &mut self.xmit_data,
            &mut self.rcv_data,
            &mut self.xmit_pkts,
            &mut self.rcv_pkts,
            &mut self.unicast_xmit_pkts,
            &mut self.unicast_rcv_pkts,
            &mut self.multicast_xmit_pkts,
            &mut self.multicast_rcv_pkts,
        ]
    }

    /// Clears each counter whose select bit is 1.
    pub fn clear(&mut self, select: u16) {
        for (bit, counter) in self.counts().into_iter().enumerate() {
            if select >> bit & 1 != 0 {
                *counter = 0;
            }
        }
    }
}
