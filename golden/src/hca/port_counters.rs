//! Counters of the port.
use super::arrival::{Arrival, Sound};
use super::Hca;
use crate::decision::partition::QP0;
use crate::event::DropReason;
use crate::verbs::PortCounter;

/// What the port has counted since software last set it; each count stays at its largest value (CF337,
/// `port_counters.csv`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PortCounters {
    p_key_violations: u16,
    q_key_violations: u16,
    vl15_dropped: u16,
    xmit_discards: u16,
    link_error_recovery: u16,
    link_downed: u16,
}

/// The largest value of a counter.
fn full(counter: PortCounter) -> u16 {
    match counter {
        PortCounter::LinkErrorRecovery | PortCounter::LinkDowned => 0xFF,
        _ => 0xFFFF,
    }
}

impl PortCounters {
    fn of(&mut self, counter: PortCounter) -> &mut u16 {
        match counter {
            PortCounter::PKeyViolations => &mut self.p_key_violations,
            PortCounter::QKeyViolations => &mut self.q_key_violations,
            PortCounter::Vl15Dropped => &mut self.vl15_dropped,
            PortCounter::XmitDiscards => &mut self.xmit_discards,
            PortCounter::LinkErrorRecovery => &mut self.link_error_recovery,
            PortCounter::LinkDowned => &mut self.link_downed,
        }
    }

    /// Counts one more.
    pub(super) fn count(&mut self, counter: PortCounter) {
        let count = self.of(counter);
        *count = count.saturating_add(1).min(full(counter));
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
        self.count(counter);
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
        *self.counters.of(counter) = count & full(counter);
    }
}
