//! The violation latch of a native port (`mad.md` section 6.1).
use super::moment::Moment;
use crate::event::DropReason;
use crate::verbs::{KeyViolation, WrongKey};
use crate::wire::packet::{Packet, Route};

/// What the latch holds, as far as the model can know.
#[derive(Clone, Debug, Default)]
pub(super) struct ViolationLatch {
    /// The violations of which it holds one; empty if it is free.
    held: Vec<KeyViolation>,
    /// It may be free although `held` is not empty, because it may have missed all of them.
    may_be_free: bool,
    /// Software is releasing it: what is counted may come too early to be taken.
    is_releasing: bool,
    /// When the last release ended. A packet that arrived before may have been judged while the latch was not free.
    released: Moment,
    /// An event for software is due.
    pub event_due: bool,
    /// Number of events that may come, but need not.
    events_permitted: u32,
}

impl ViolationLatch {
    /// Notes a packet with this number that is counted.
    pub fn count(&mut self, number: u32, violation: KeyViolation) {
        if !self.held.is_empty() && !self.may_be_free {
            return;
        }
        let is_taken = !self.is_releasing && !self.released.is_after(number);
        if is_taken && self.held.is_empty() && !self.event_due {
            self.event_due = true;
        } else {
            // The packet may not be taken, or its event may be one with another that nobody has written.
            self.events_permitted += 1;
        }
        self.held.push(violation);
        self.may_be_free = !is_taken;
    }

    /// Returns what it holds; `None` if it is free, or may be.
    pub fn query(&self) -> Option<KeyViolation> {
        self.held.last().copied().filter(|_| !self.may_be_free)
    }

    /// Returns what it may hold; `None` stands for a free latch.
    pub fn possible(&self) -> Vec<Option<KeyViolation>> {
        let is_free = (self.may_be_free || self.held.is_empty()).then_some(None);
        self.held.iter().copied().map(Some).chain(is_free).collect()
    }

    /// Releases it at once.
    pub fn release(&mut self) {
        self.held.clear();
        self.may_be_free = false;
    }

    /// Says that the release takes effect at some time until [`ViolationLatch::released`].
    pub fn is_releasing(&mut self) {
        self.is_releasing = true;
    }

    /// Says that the release has taken effect.
    pub fn released(&mut self, now: Moment) {
        (self.is_releasing, self.released) = (false, now);
    }

    /// Takes an event that the device has written; returns false if none was due or permitted.
    pub fn event_written(&mut self) -> bool {
        if std::mem::take(&mut self.event_due) {
            return true;
        }
        let is_permitted = self.events_permitted > 0;
        self.events_permitted = self.events_permitted.saturating_sub(1);
        is_permitted
    }
}

/// Returns what the latch takes of a packet that is dropped for this reason, or of the copy of it for the member with
/// this QPN; `None` if the reason is no wrong key.
pub(super) fn violation(packet: &Packet, reason: DropReason, member: Option<u32>) -> Option<KeyViolation> {
    let (lrh, grh) = match &packet.route {
        Route::Local(lrh) => (lrh, None),
        Route::Global(lrh, grh) => (lrh, Some(grh)),
        Route::Roce(_) => return None,
    };
    let key = match reason {
        DropReason::PKey => WrongKey::PKey(packet.bth.p_key),
        DropReason::QKey => WrongKey::QKey(packet.deth()?.q_key),
        _ => return None,
    };
    Some(KeyViolation {
        key,
        slid: lrh.slid,
        dlid: lrh.dlid,
        sl: lrh.sl,
        source_qpn: packet.deth().map_or(0, |deth| deth.src_qp),
        dest_qpn: member.unwrap_or(packet.bth.dest_qp),
        sgid: grh.map_or([0; 16], |grh| grh.sgid),
        dgid: grh.map_or([0; 16], |grh| grh.dgid),
    })
}
