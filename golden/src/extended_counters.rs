//! The 64-bit counters of a native port.

/// What a native port has counted since its reset (`port_counters.csv`, rows "ext").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtendedCounters {
    /// Words from LRH to ICRC of the packets that left.
    pub xmit_data: u64,
    /// Words from LRH to ICRC of the packets that passed the checks of the link.
    pub rcv_data: u64,
    /// Packets that left.
    pub xmit_packets: u64,
    /// Packets that passed the checks of the link.
    pub rcv_packets: u64,
    /// Of those, packets whose DLID is unicast or permissive.
    pub unicast_xmit_packets: u64,
    pub unicast_rcv_packets: u64,
    /// Of those, packets whose DLID is that of a multicast group.
    pub multicast_xmit_packets: u64,
    pub multicast_rcv_packets: u64,
}

impl ExtendedCounters {
    /// Counts a packet of so many words that leaves.
    pub(crate) fn send(&mut self, words: u32, is_multicast: bool) {
        self.xmit_packets += 1;
        self.xmit_data += u64::from(words);
        match is_multicast {
            true => self.multicast_xmit_packets += 1,
            false => self.unicast_xmit_packets += 1,
        }
    }

    /// Counts a packet of so many words that passed the checks of the link.
    pub(crate) fn receive(&mut self, words: u32, is_multicast: bool) {
        self.rcv_packets += 1;
        self.rcv_data += u64::from(words);
        match is_multicast {
            true => self.multicast_rcv_packets += 1,
            false => self.unicast_rcv_packets += 1,
        }
    }

    /// Returns these counts and those of `more` together.
    pub(crate) fn with(self, more: ExtendedCounters) -> ExtendedCounters {
        ExtendedCounters {
            xmit_data: self.xmit_data + more.xmit_data,
            rcv_data: self.rcv_data + more.rcv_data,
            xmit_packets: self.xmit_packets + more.xmit_packets,
            rcv_packets: self.rcv_packets + more.rcv_packets,
            unicast_xmit_packets: self.unicast_xmit_packets + more.unicast_xmit_packets,
            unicast_rcv_packets: self.unicast_rcv_packets + more.unicast_rcv_packets,
            multicast_xmit_packets: self.multicast_xmit_packets + more.multicast_xmit_packets,
            multicast_rcv_packets: self.multicast_rcv_packets + more.multicast_rcv_packets,
        }
    }
}
