//! The 64-bit counters of a native port.
use super::{Driver, Ticket};
use hca_host::register;

/// Number of the adapter's counters of 64 bits.
const COUNTERS: usize = register::PORT_WIDE_COUNT as usize / 2;
/// Reads for each of them: high word, low word, high word again.
const READS: usize = 3;
/// The adapter's counters in the order in which they are read. Multicast packets come before all packets, so that they
/// are never more.
const ORDER: [u32; COUNTERS] = [4, 5, 2, 3, 0, 1];

/// Counts of a port since the adapter's reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtendedCounters {
    /// Words of 32 bits, from the LRH to the ICRC, of the packets that have left.
    pub xmit_data: u64,
    /// Words of 32 bits of the packets that arrived without an error of the link.
    pub rcv_data: u64,
    /// Packets that have left, without link packets.
    pub xmit_packets: u64,
    /// Packets that arrived without an error of the link.
    pub rcv_packets: u64,
    /// Multicast packets among those that have left.
    pub multicast_xmit_packets: u64,
    /// Multicast packets among those that arrived.
    pub multicast_rcv_packets: u64,
}

/// A read of the counters that is under way: one call for each register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtendedCountersQuery(pub [Ticket; ExtendedCountersQuery::REGISTERS]);

impl ExtendedCountersQuery {
    /// Number of registers that are read.
    pub const REGISTERS: usize = READS * COUNTERS;

    /// Returns the call that is carried out last.
    pub fn last(self) -> Ticket {
        self.0[Self::REGISTERS - 1]
    }
}

impl ExtendedCounters {
    /// Returns the counts by the values of their registers, in the order of the calls of [`ExtendedCountersQuery`].
    pub fn of(values: [u32; ExtendedCountersQuery::REGISTERS]) -> ExtendedCounters {
        let mut counts = [0; COUNTERS];
        for (counter, reads) in ORDER.into_iter().zip(values.chunks(READS)) {
            // If the low word has wrapped meanwhile, the count passed this one.
            let low = if reads[0] == reads[2] { reads[1] } else { 0 };
            counts[counter as usize] = u64::from(reads[2]) << 32 | u64::from(low);
        }
        let [xmit_data, rcv_data, xmit_packets, rcv_packets, multicast_xmit_packets, multicast_rcv_packets] =
            counts;
        ExtendedCounters {
            xmit_data,
            rcv_data,
            xmit_packets,
            rcv_packets,
            multicast_xmit_packets,
            multicast_rcv_packets,
        }
    }

    /// Returns the number of packets that have left and are no multicast packets.
    pub fn unicast_xmit_packets(&self) -> u64 {
        self.xmit_packets - self.multicast_xmit_packets
    }

    /// Returns the number of packets that arrived without an error of the link and are no multicast packets.
    pub fn unicast_rcv_packets(&self) -> u64 {
        self.rcv_packets - self.multicast_rcv_packets
    }
}

impl Driver {
    /// Reads the 64-bit counters of a native port.
    pub fn extended_counters(&mut self) -> ExtendedCountersQuery {
        let words = ORDER
            .into_iter()
            .flat_map(|counter| [2 * counter + 1, 2 * counter, 2 * counter + 1]);
        let tickets: Vec<_> = words
            .map(|word| self.read_of_port(register::PORT_WIDE + 4 * word))
            .collect();
        ExtendedCountersQuery(tickets.try_into().expect("each register has a call"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multicast, packets, words; of each what was sent, then what was received.
    #[test]
    fn counts_are_put_together() {
        let values = [
            0, 4, 0, 0, 5, 0, 1, 7, 1, 0, 9, 0, 2, 0xFFFF_FFFF, 2, 3, 0xFFFF_FFFF, 3,
        ];
        let counters = ExtendedCounters {
            xmit_data: 0x2_FFFF_FFFF,
            rcv_data: 0x3_FFFF_FFFF,
            xmit_packets: 0x1_0000_0007,
            rcv_packets: 9,
            multicast_xmit_packets: 4,
            multicast_rcv_packets: 5,
        };
        assert_eq!(ExtendedCounters::of(values), counters);
        assert_eq!(counters.unicast_xmit_packets(), 0x1_0000_0003);
        assert_eq!(counters.unicast_rcv_packets(), 4);
    }

    /// The low word wraps before it is read, or behind that.
    #[test]
    fn a_count_that_passes_32_bits_meanwhile_is_not_torn() {
        for low in [3, 0xFFFF_FFFE] {
            let mut values = [0; ExtendedCountersQuery::REGISTERS];
            values[12..15].copy_from_slice(&[1, low, 2]);
            assert_eq!(ExtendedCounters::of(values).xmit_data, 0x2_0000_0000);
        }
    }
}
