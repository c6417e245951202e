//! PortCounters and PortCountersExtended, computed from the adapter's registers. Counters that the adapter does not
//! have read as 0.
use super::super::attribute::{PortCounters, PortCountersExtended};
use super::wide_counters::WIDE;
use super::{ManagedError, ManagedHca};
use crate::driver::PortCounter;

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

    /// Adds what the registers have counted since the last read.
    fn widen(&mut self) -> Result<(), ManagedError> {
        for (n, (_, counter)) in WIDE.into_iter().enumerate() {
            let register = self.port_counter(counter)?;
            let wide = &mut self.wide.0[n];
            wide.count = wide
                .count
                .saturating_add(u64::from(register.wrapping_sub(wide.register)));
            wide.register = register;
        }
        Ok(())
    }

    pub(super) fn read_counters(&mut self) -> Result<PortCounters, ManagedError> {
        self.widen()?;
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
        self.widen()?;
        for (bit, counter) in SELECTED {
            let is_selected = match counter {
                PortCounter::XmitWait => select2 & 1 != 0,
                _ => select & bit != 0,
            };
            if !is_selected {
                continue;
            }
            self.clear(counter)?;
            let wide = WIDE.iter().position(|(_, wide)| *wide == counter);
            if let Some(n) = wide {
                self.wide.0[n].register = 0;
            }
        }
        Ok(())
    }

    pub(super) fn read_extended_counters(&mut self) -> Result<PortCountersExtended, ManagedError> {
        self.widen()?;
        let [xmit_data, rcv_data, xmit_pkts, rcv_pkts] = self.wide.0.map(|wide| wide.count);
        Ok(PortCountersExtended {
            xmit_data,
            rcv_data,
            xmit_pkts,
            rcv_pkts,
            ..PortCountersExtended::default()
        })
    }

    pub(super) fn clear_extended_counters_of(&mut self, select: u16) -> Result<(), ManagedError> {
        self.widen()?;
        for ((bit, _), wide) in WIDE.into_iter().zip(&mut self.wide.0) {
            if select & bit != 0 {
                wide.count = 0;
            }
        }
        Ok(())
    }
}
