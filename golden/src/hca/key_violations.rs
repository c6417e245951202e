//! Counters of packets with a wrong key.
use super::Hca;
use crate::event::DropReason;
use crate::verbs::CountedKey;

/// How many packets were dropped for a P_Key or Q_Key that does not match; both counts stay at FFFFh (CF337).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyViolations {
    p_key: u16,
    q_key: u16,
}

impl KeyViolations {
    /// A packet, or a member's copy of it, is dropped.
    pub(super) fn count(&mut self, reason: DropReason) {
        let count = match reason {
            DropReason::PKey => &mut self.p_key,
            DropReason::QKey => &mut self.q_key,
            _ => return,
        };
        *count = count.saturating_add(1);
    }
}

impl Hca {
    /// Number of packets dropped for this key since software last set it.
    pub fn query_violations(&self, key: CountedKey) -> u16 {
        match key {
            CountedKey::PKey => self.violations.p_key,
            CountedKey::QKey => self.violations.q_key,
        }
    }

    /// Sets that number.
    pub fn set_violations(&mut self, key: CountedKey, count: u16) {
        match key {
            CountedKey::PKey => self.violations.p_key = count,
            CountedKey::QKey => self.violations.q_key = count,
        }
    }
}
