//! The verbs of a port's violation latch, and what the latch takes (`mad.md` section 6.1).
use super::arrival::{Arrival, Sound};
use super::violation_latch::violation;
use super::{Hca, Port};
use crate::event::DropReason;
use crate::port::Link;
use crate::verbs::KeyViolation;

impl Port {
    /// Notes a packet with this number, or the copy of it for this member of its group, that is dropped.
    pub(super) fn drop_for_key(
        &mut self,
        number: u32,
        reason: DropReason,
        arrival: &Arrival,
        member: Option<u32>,
    ) {
        let Arrival::Sound(Sound { packet, .. }) = arrival else {
            return;
        };
        if self.config.link == Link::InfiniBand {
            if let Some(violation) = violation(packet, reason, member) {
                self.latch.count(number, violation);
            }
        }
    }

    /// Returns what the violation latch holds; `None` if it is free.
    pub fn query_violation(&self) -> Option<KeyViolation> {
        self.latch.query()
    }

    /// Returns the violations that the violation latch may hold, and `None` if it may be free.
    pub fn possible_violations(&self) -> Vec<Option<KeyViolation>> {
        self.latch.possible()
    }

    /// Releases the violation latch at once.
    pub fn release_violation(&mut self) {
        self.latch.release();
    }

    /// Begins a release of the violation latch by software. It takes effect at a moment before
    /// [`Hca::violation_released`] is called.
    pub fn violation_is_releasing(&mut self) {
        self.latch.is_releasing();
    }
}

impl Hca {
    /// Ends a release of this port's violation latch by software.
    pub fn violation_released(&mut self, port: u8) {
        let moment = self.moment();
        self.port_mut(port).latch.released(moment);
    }
}
