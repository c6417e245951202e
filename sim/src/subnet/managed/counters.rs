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
    pub(super) fn port_counter(&mut self, port: u8, counter: PortCounter) -> Result<u32, ManagedError> {
        let ticket = self.hca.driver().port(port).port_counter(counter);
        self.call(ticket)
    }

    pub(super) fn clear(&mut self, port: u8, counter: PortCounter) -> Result<(), ManagedError> {
        let ticket = self.hca.driver().port(port).set_port_counter(counter, 0);
        self.call(ticket).map(drop)
    }

    pub(super) fn read_counters(&mut self, port: u8) -> Result<PortCounters, ManagedError> {
        let mut count = |counter| self.port_counter(port, counter);
        Ok(PortCounters {
            link_error_recovery: count(PortCounter::LinkErrorRecovery)? as u8,
            link_downed: count(PortCounter::LinkDowned)? as u8,
            rcv_errors: count(PortCounter::RcvErrors)? as u16,
            rcv_remote_physical_errors: count(PortCounter::RcvRemotePhysicalErrors)? as u16,
            xmit_discards: count(PortCounter::XmitDiscards)? as u16,
            excessive_buffer_overrun_errors: count(PortCounter::ExcessiveBufferOverrun)? as u8,
            vl15_dropped: count(PortCounter::Vl15Dropped)? as u16,
            xmit_data: count(PortCounter::XmitData)?,
            rcv_data: count(PortCounter::RcvData)?,
            xmit_pkts: count(PortCounter::XmitPackets)?,
            rcv_pkts: count(PortCounter::RcvPackets)?,
            xmit_wait: count(PortCounter::XmitWait)?,
            ..PortCounters::default()
        })
    }

    pub(super) fn clear_counters_of(
        &mut self,
        port: u8,
        select: u16,
        select2: u8,
    ) -> Result<(), ManagedError> {
        for (bit, counter) in SELECTED {
            let is_selected = match counter {
                PortCounter::XmitWait => select2 & 1 != 0,
                _ => select & bit != 0,
            };
            if is_selected {
                self.clear(port, counter)?;
            }
        }
        Ok(())
    }

    /// Returns what the adapter has counted since its reset.
    fn extended_since_reset(&mut self, port: u8) -> Result<PortCountersExtended, ManagedError> {
        let query = self.hca.driver().port(port).extended_counters();
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

    pub(super) fn read_extended_counters(&mut self, port: u8) -> Result<PortCountersExtended, ManagedError> {
        let mut counters = self.extended_since_reset(port)?;
        let cleared = &mut self.seat(port).cleared;
        for (count, cleared) in counters.counts().into_iter().zip(cleared.counts()) {
            *count -= *cleared;
        }
        Ok(counters)
    }

    pub(super) fn clear_extended_counters_of(&mut self, port: u8, select: u16) -> Result<(), ManagedError> {
        let mut counters = self.extended_since_reset(port)?;
        let cleared = &mut self.seat(port).cleared;
        let counts = counters.counts().into_iter().zip(cleared.counts());
        for (bit, (count, cleared)) in counts.enumerate() {
            if select >> bit & 1 != 0 {
                *cleared = *count;
            }
        }
        Ok(())
    }
}
