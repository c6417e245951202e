//! Events of QPs that are due or permitted.
use crate::verbs::{AsyncEvent, HostEvent};
use std::collections::VecDeque;

/// Events of QPs, including those that may still come from destroyed or reset QPs.
#[derive(Clone, Debug, Default)]
pub(super) struct HostEvents {
    /// Events that are due, each at most once.
    pub due: VecDeque<AsyncEvent>,
    /// Events that may come, but need not.
    permitted: Vec<HostEvent>,
    /// Events that are reported and that software has not polled yet.
    pub reported: VecDeque<HostEvent>,
}

impl HostEvents {
    /// Raises an event of a QP. Repeats of an unreported event may be merged with it or reported again.
    pub fn raise(&mut self, event: AsyncEvent) {
        if self.due.contains(&event) {
            self.permit(HostEvent::Qp(event));
        } else {
            self.permitted.retain(|e| *e != HostEvent::Qp(event));
            self.due.push_back(event);
        }
    }

    /// Permits an event that need not come.
    pub fn permit(&mut self, event: HostEvent) {
        self.permitted.push(event);
    }

    /// Forgets a QP that is gone: its due events may still come, but need not.
    pub fn forget(&mut self, qpn: u32) {
        let (gone, due): (VecDeque<_>, _) = std::mem::take(&mut self.due)
            .into_iter()
            .partition(|e| e.qpn() == qpn);
        self.due = due;
        gone.into_iter().for_each(|e| self.permit(HostEvent::Qp(e)));
    }

    /// Takes an event that the device has written; returns false if it was neither due nor permitted.
    pub fn take(&mut self, event: HostEvent) -> bool {
        let due = self.due.iter().position(|e| HostEvent::Qp(*e) == event);
        let permitted = self.permitted.iter().position(|e| *e == event);
        match (due, permitted) {
            (Some(at), _) => self.due.remove(at).is_some(),
            (None, Some(at)) => {
                self.permitted.remove(at);
                true
            }
            (None, None) => false,
        }
    }
}
