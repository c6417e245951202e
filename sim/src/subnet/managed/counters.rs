//! PortCounters and PortCountersExtended, computed from the adapter's registers. Counters that the adapter does not have
//! are 0.
use super::super::attribute::{PortCounters, PortCountersExtended};
use super::{ManagedError, ManagedHca};
use crate::driver::PortCounter;
use hca_host::register;
use hca_host::retire::drop;

/// Reasons for which a packet is dropped before it counts as received: an error at the link, or another port's LID.
const AT_THE_LINK: [u8; 7] = [
    drop::VCRC,
    drop::LINK_VERSION,
    drop::LENGTH,
    drop::DLID,
    drop::VL,
    drop::VL15,
    drop::PORT_STATE,
];

/// Packets, each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    sent: u64,
    received: u64,
}

/// The counts of packets. The registers wrap around and nobody can clear them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packets {
    /// Since reset.
    total: Counted,
    /// Of them, those before a manager cleared PortCounters, and PortCountersExtended.
    before: Counted,
    before_extended: Counted,
}

/// What a register has counted, which was `former` when it was last read.
fn advance(former: u64, register: u32) -> u64 {
    former + u64::from(register.wrapping_sub(former as u32))
}

impl ManagedHca {
    fn register(&mut self, address: u32) -> Result<u32, ManagedError> {
        let ticket = self.hca.driver().read_register(address);
        self.call(ticket)
    }

    fn port_counter(&mut self, counter: PortCounter) -> Result<u16, ManagedError> {
        let ticket = self.hca.driver().port_counter(counter);
        Ok(self.call(ticket)? as u16)
    }

    fn clear(&mut self, counter: PortCounter) -> Result<(), ManagedError> {
        let ticket = self.hca.driver().set_port_counter(counter, 0);
        self.call(ticket).map(drop)
    }

    fn count_packets(&mut self) -> Result<(), ManagedError> {
        let sent = self.register(register::PACKETS_SENT)?;
        let mut received = self.register(register::PACKETS_RECEIVED)?;
        for reason in AT_THE_LINK {
            let dropped = self.register(register::DROPPED + 4 * u32::from(reason))?;
            received = received.wrapping_sub(dropped);
        }
        let total = &mut self.packets.total;
        total.sent = advance(total.sent, sent);
        total.received = advance(total.received, received);
        Ok(())
    }

    pub(super) fn read_counters(&mut self) -> Result<PortCounters, ManagedError> {
        self.count_packets()?;
        let Packets { total, before, .. } = self.packets;
        let kept = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(PortCounters {
            link_error_recovery: self.port_counter(PortCounter::LinkErrorRecovery)? as u8,
            link_downed: self.port_counter(PortCounter::LinkDowned)? as u8,
            xmit_discards: self.port_counter(PortCounter::XmitDiscards)?,
            vl15_dropped: self.port_counter(PortCounter::Vl15Dropped)?,
            xmit_pkts: kept(total.sent - before.sent),
            rcv_pkts: kept(total.received - before.received),
            ..PortCounters::default()
        })
    }

    pub(super) fn clear_counters_of(&mut self, select: u16) -> Result<(), ManagedError> {
        self.count_packets()?;
        let counters = [
            (0x0002, PortCounter::LinkErrorRecovery),
            (0x0004, PortCounter::LinkDowned),
            (0x0040, PortCounter::XmitDiscards),
            (0x0800, PortCounter::Vl15Dropped),
        ];
        for (_, counter) in counters.into_iter().filter(|(bit, _)| select & bit != 0) {
            self.clear(counter)?;
        }
        let Packets { total, before, .. } = &mut self.packets;
        if select & 0x4000 != 0 {
            before.sent = total.sent;
        }
        if select & 0x8000 != 0 {
            before.received = total.received;
        }
        Ok(())
    }

    pub(super) fn read_extended_counters(&mut self) -> Result<PortCountersExtended, ManagedError> {
        self.count_packets()?;
        let Packets {
            total,
            before_extended: before,
            ..
        } = self.packets;
        Ok(PortCountersExtended {
            xmit_pkts: total.sent - before.sent,
            rcv_pkts: total.received - before.received,
            ..PortCountersExtended::default()
        })
    }

    pub(super) fn clear_extended_counters_of(&mut self, select: u16) -> Result<(), ManagedError> {
        self.count_packets()?;
        let Packets {
            total,
            before_extended: before,
            ..
        } = &mut self.packets;
        if select & 0x0004 != 0 {
            before.sent = total.sent;
        }
        if select & 0x0008 != 0 {
            before.received = total.received;
        }
        Ok(())
    }
}
