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
