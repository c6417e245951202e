//! The counters that have a threshold (`protocol/mad.md` section 6.2).
use super::super::attribute::{PortCounters, Trap};
use super::super::port::Settings;
use super::super::traps;
use std::time::Duration;

/// What the agent knows of the counters of a port from its last look at them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thresholds {
    /// When the agent looked at them last.
    looked: Option<Duration>,
    /// LocalLinkIntegrityErrors had reached its threshold.
    integrity_reached: bool,
    /// ExcessiveBufferOverrunErrors had reached its threshold.
    overrun_reached: bool,
}

impl Thresholds {
    /// Returns true if the last look is as long ago as two traps are apart.
    pub fn are_due(&self, subnet_timeout: u8, now: Duration) -> bool {
        self.looked
            .is_none_or(|looked| looked + traps::gap(subnet_timeout) <= now)
    }

    /// Looks at the counters. Returns the trap of a counter that has reached its threshold since the last look; of both
    /// that of the overruns, because lost packets say more.
    pub fn look(&mut self, settings: &Settings, counters: &PortCounters, now: Duration) -> Option<Trap> {
        let integrity = reached(counters.local_link_integrity_errors, settings.local_phy_errors);
        let overrun = reached(counters.excessive_buffer_overrun_errors, settings.overrun_errors);
        let trap = match () {
            () if overrun && !self.overrun_reached => Some(Trap::ExcessiveBufferOverrun),
            () if integrity && !self.integrity_reached => Some(Trap::LocalLinkIntegrity),
            () => None,
        };
        self.looked = Some(now);
        (self.integrity_reached, self.overrun_reached) = (integrity, overrun);
        trap
    }
}

/// Returns true if the count has reached the threshold. A threshold of 0 is never reached.
fn reached(count: u8, threshold: u8) -> bool {
    threshold != 0 && count >= threshold
}
