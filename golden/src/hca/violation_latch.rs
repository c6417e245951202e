//! The violation latch of a native port (`mad.md` section 6.1).
use super::moment::Moment;
use crate::event::DropReason;
use crate::verbs::{KeyViolation, WrongKey};
use crate::wire::packet::{Packet, Route};

/// What the latch holds, as far as the model can know.
#[derive(Clone, Debug, Default)]
pub(super) struct ViolationLatch {
    /// The latch holds one of these violations; if there are none, the latch is free.
    held: Vec<KeyViolation>,
    /// True if the latch may have missed all violations in `held`, and may be free.
    may_be_free: bool,
    /// True while software releases the latch. The latch may miss a violation that is counted meanwhile.
    is_releasing: bool,
    /// End of the last release. A packet that arrived earlier may have been judged while the latch was not free.
    released: Moment,
    /// An event for software is due.
    pub event_due: bool,
    /// Number of further events of the latch that the device may write.
    events_permitted: u32,
}

impl ViolationLatch {
    /// Notes that the violation of the packet with this number is counted.
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

    /// Returns the violation that the latch holds; `None` if the latch is free or may be free.
    pub fn query(&self) -> Option<KeyViolation> {
        self.held.last().copied().filter(|_| !self.may_be_free)
    }

    /// Returns the violations that the latch may hold, and `None` if it may be free.
    pub fn possible(&self) -> Vec<Option<KeyViolation>> {
        let is_free = (self.may_be_free || self.held.is_empty()).then_some(None);
        self.held.iter().copied().map(Some).chain(is_free).collect()
    }

    /// Releases it at once.
    pub fn release(&mut self) {
        self.held.clear();
        self.may_be_free = false;
    }

    /// Begins a release by software. It takes effect at a moment before [`ViolationLatch::released`] is called.
    pub fn is_releasing(&mut self) {
        self.is_releasing = true;
    }

    /// Ends a release by software.
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
