//! Counters of the port.
use super::arrival::{Arrival, Sound};
use super::Hca;
use crate::decision::partition::QP0;
use crate::event::DropReason;
use crate::verbs::PortCounter;

/// What the port has counted since software last set it; each count stays at FFFFh (CF337, `port_counters.csv`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PortCounters {
    p_key_violations: u16,
    q_key_violations: u16,
    vl15_dropped: u16,
    xmit_discards: u16,
}

impl PortCounters {
    fn of(&mut self, counter: PortCounter) -> &mut u16 {
        match counter {
            PortCounter::PKeyViolations => &mut self.p_key_violations,
            PortCounter::QKeyViolations => &mut self.q_key_violations,
            PortCounter::Vl15Dropped => &mut self.vl15_dropped,
            PortCounter::XmitDiscards => &mut self.xmit_discards,
        }
    }

    /// A packet that the port may not send is discarded (CF429, `link.md` section 1).
    pub(super) fn discard(&mut self) {
        self.xmit_discards = self.xmit_discards.saturating_add(1);
    }

    /// A packet, or a member's copy of it, is dropped.
    pub(super) fn drop(&mut self, reason: DropReason, arrival: Option<&Arrival>) {
        let is_smp =
            matches!(arrival, Some(Arrival::Sound(Sound { packet, .. })) if packet.bth.dest_qp == QP0);
        let counter = match reason {
            DropReason::PKey => PortCounter::PKeyViolations,
            DropReason::QKey => PortCounter::QKeyViolations,
            // `special_qps.md` section 3 steps 8, 12 and 13 (CF423).
            DropReason::QpState | DropReason::NoReceiveWqe | DropReason::BufferTooSmall if is_smp => {
                PortCounter::Vl15Dropped
            }
            _ => return,
        };
        let count = self.of(counter);
        *count = count.saturating_add(1);
    }
}

impl Hca {
    /// What this counter has reached.
    pub fn query_port_counter(&self, counter: PortCounter) -> u16 {
        let mut counters = self.counters;
        *counters.of(counter)
    }

    /// Sets that number.
    pub fn set_port_counter(&mut self, counter: PortCounter, count: u16) {
        *self.counters.of(counter) = count;
    }
}
