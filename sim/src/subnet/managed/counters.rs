//! PortCounters and PortCountersExtended, computed from the adapter's registers. Counters that the adapter does not
//! have read as 0. No request clears the adapter's 64-bit counters: the agent remembers what they were.
use super::super::attribute::{PortCounters, PortCountersExtended};
use super::{ManagedError, ManagedHca};
use crate::driver::{ExtendedCounters, ExtendedCountersQuery, PortCounter};

/// Counters of the adapter, with the select bits of PortCounters (`protocol/port_counters.csv`).
const SELECTED: [(u16, PortCounter); 12] = [
    (0x0002, PortCounter::LinkErrorRecovery),
    (0x0004, PortCounter::LinkDowned),
    (0x0008, PortCounter::RcvErrors),
    (0x0010, PortCounter::RcvRemotePhysicalErrors),
    (0x0040, PortCounter::XmitDiscards),
    (0x0400, PortCounter::ExcessiveBufferOverrun),
    (0x0800, PortCounter::Vl15Dropped),
    (0x1000, PortCounter::XmitData),
    (0x2000, PortCounter::RcvData),
    (0x4000, PortCounter::XmitPackets),
    (0x8000, PortCounter::RcvPackets),
    (0, PortCounter::XmitWait),
];

impl ManagedHca {
    fn port_counter(&mut self, counter: PortCounter) -> Result<u32, ManagedError> {
        let ticket = self.hca.driver().port_counter(counter);
        self.call(ticket)
    }

    fn clear(&mut self, counter: PortCounter) -> Result<(), ManagedError> {
        let ticket = self.hca.driver().set_port_counter(counter, 0);
        self.call(ticket).map(drop)
    }

    pub(super) fn read_counters(&mut self) -> Result<PortCounters, ManagedError> {
        Ok(PortCounters {
            link_error_recovery: self.port_counter(PortCounter::LinkErrorRecovery)? as u8,
            link_downed: self.port_counter(PortCounter::LinkDowned)? as u8,
            rcv_errors: self.port_counter(PortCounter::RcvErrors)? as u16,
            rcv_remote_physical_errors: self.port_counter(PortCounter::RcvRemotePhysicalErrors)? as u16,
            xmit_discards: self.port_counter(PortCounter::XmitDiscards)? as u16,
            excessive_buffer_overrun_errors: self.port_counter(PortCounter::ExcessiveBufferOverrun)? as u8,
            vl15_dropped: self.port_counter(PortCounter::Vl15Dropped)? as u16,
            xmit_data: self.port_counter(PortCounter::XmitData)?,
            rcv_data: self.port_counter(PortCounter::RcvData)?,
            xmit_pkts: self.port_counter(PortCounter::XmitPackets)?,
            rcv_pkts: self.port_counter(PortCounter::RcvPackets)?,
            xmit_wait: self.port_counter(PortCounter::XmitWait)?,
            ..PortCounters::default()
        })
    }

    pub(super) fn clear_counters_of(&mut self, select: u16, select2: u8) -> Result<(), ManagedError> {
        for (bit, counter) in SELECTED {
            let is_selected = match counter {
                PortCounter::XmitWait => select2 & 1 != 0,
                _ => select & bit != 0,
            };
            if is_selected {
                self.clear(counter)?;
            }
        }
        Ok(())
    }

    /// Returns what the adapter has counted since its reset.
    fn extended_since_reset(&mut self) -> Result<PortCountersExtended, ManagedError> {
        let query = self.hca.driver().extended_counters();
        let mut values = [0; ExtendedCountersQuery::REGISTERS];
        for (value, ticket) in values.iter_mut().zip(query.0) {
            *value = self.call(ticket)?;
        }
        let counted = ExtendedCounters::of(values);
        Ok(PortCountersExtended {
            xmit_data: counted.xmit_data,
            rcv_data: counted.rcv_data,
            xmit_pkts: counted.xmit_packets,
            rcv_pkts: counted.rcv_packets,
            unicast_xmit_pkts: counted.unicast_xmit_packets(),
            unicast_rcv_pkts: counted.unicast_rcv_packets(),
            multicast_xmit_pkts: counted.multicast_xmit_packets,
            multicast_rcv_pkts: counted.multicast_rcv_packets,
            ..PortCountersExtended::default()
        })
    }

    pub(super) fn read_extended_counters(&mut self) -> Result<PortCountersExtended, ManagedError> {
        let mut counters = self.extended_since_reset()?;
        for (count, cleared) in counters.counts().into_iter().zip(self.cleared.counts()) {
            *count -= *cleared;
        }
        Ok(counters)
    }

    pub(super) fn clear_extended_counters_of(&mut self, select: u16) -> Result<(), ManagedError> {
        let mut counters = self.extended_since_reset()?;
        let counts = counters.counts().into_iter().zip(self.cleared.counts());
        for (bit, (count, cleared)) in counts.enumerate() {
            if select >> bit & 1 != 0 {
                *cleared = *count;
            }
        }
        Ok(())
    }
}
