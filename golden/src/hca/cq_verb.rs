//! Verbs of completion queues, and the events of the device about them (`protocol/qp_cq.md` section 6 and 7).
use super::completion_queue::CompletionQueue;
use super::{Hca, Output, Rule, Violation};
use crate::refusal::VerbError;
use crate::verbs::{Arming, Completion, HostEvent, QpState};

/// Number of entries of the largest completion queue.
pub(super) const MAX_CQ_ENTRIES: u32 = 1 << 15;

/// The answer to a query of a completion queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CqStatus {
    /// Number of entries that the queue has room for.
    pub entries: u32,
    pub failed: bool,
}

impl Hca {
    /// Creates completion queue `cqn` with at least `size` entries, and returns their number (CF245, CF246).
    pub fn create_cq(&mut self, cqn: u32, size: u32) -> Result<u32, VerbError> {
        let capacity = capacity_of(size)?;
        self.check_cqn(cqn)?;
        if self.cqs.contains_key(&cqn) {
            return Err(VerbError::CqExists(cqn));
        }
        self.cqs.insert(cqn, CompletionQueue::of(capacity));
        Ok(capacity)
    }

    /// Returns the state of a completion queue.
    pub fn query_cq(&self, cqn: u32) -> Result<CqStatus, VerbError> {
        let cq = self.cq(cqn)?;
        Ok(CqStatus {
            entries: cq.capacity,
            failed: cq.failed,
        })
    }

    /// Returns for what a completion queue is armed; `None` if there is no such queue, if it has failed, or while an
    /// arming of it is on its way.
    pub fn arming(&self, cqn: u32) -> Option<Arming> {
        let cq = self.cqs.get(&cqn)?;
        (!cq.failed && cq.arming.is_empty()).then(|| cq.armed_for())
    }

    /// Gives completion queue `cqn` room for at least `size` entries, and returns their number (CF247, CF248).
    pub fn resize_cq(&mut self, cqn: u32, size: u32) -> Result<u32, VerbError> {
        let capacity = capacity_of(size)?;
        let (failed, unpolled) = {
            let cq = self.cq(cqn)?;
            (cq.failed, u32::from(cq.unpolled()))
        };
        if failed {
            return Err(VerbError::CqFailed(cqn));
        }
        if capacity < unpolled {
            return Err(VerbError::CqHolds {
                cqn,
                unpolled,
                capacity,
            });
        }
        if let Some(cq) = self.cqs.get_mut(&cqn) {
            cq.capacity = capacity;
        }
        Ok(capacity)
    }

    /// Removes completion queue `cqn`, which no QP may use (CF249).
    pub fn destroy_cq(&mut self, cqn: u32) -> Result<(), VerbError> {
        self.cq(cqn)?;
        let uses = |qp: &super::QueuePair| [qp.attributes.send_cq, qp.attributes.receive_cq].contains(&cqn);
        if let Some((&qpn, _)) = self.qps.iter().find(|(_, qp)| uses(qp)) {
            return Err(VerbError::CqInUse { cqn, qpn });
        }
        if let Some(cq) = self.cqs.remove(&cqn) {
            // Completions that were on their way may still arrive.
            if cq.event_is_permitted() {
                self.events.permit(HostEvent::Completion { cqn });
            }
            if cq.error_due {
                self.events.permit(HostEvent::CqError { cqn });
            }
        }
        Ok(())
    }

    /// Arms a queue for one event, at the next completion or at the next solicited one. The arming takes effect once
    /// the device reports it.
    pub fn request_notify(&mut self, cqn: u32, solicited: bool) -> Result<(), VerbError> {
        let cq = self.cqs.get_mut(&cqn).ok_or(VerbError::UnknownCq(cqn))?;
        if cq.failed {
            return Err(VerbError::CqFailed(cqn));
        }
        cq.arming.push_back(solicited);
        Ok(())
    }

    /// Takes the oldest completion (CF250, CF251); `None` if the queue is empty or does not exist.
    pub fn poll_cq(&mut self, cqn: u32) -> Option<Completion> {
        self.cqs.get_mut(&cqn)?.poll()
    }

    /// Follows the event that an arming takes effect.
    pub(super) fn armed(&mut self, cqn: u32, solicited: bool) -> Result<Vec<Output>, Violation> {
        let says = format!("armed CQ {cqn}");
        let Some(cq) = self.cqs.get_mut(&cqn) else {
            return Err(Rule::CompletionQueue.broken(None, "a CQ that exists", says));
        };
        if cq.failed {
            // The event has not reached software, and is not raised any more.
            return Ok(Vec::new());
        }
        if cq.arming.front() != Some(&solicited) {
            let expected = match cq.arming.front() {
                Some(solicited) => format!("solicited {solicited}"),
                None => "no arming, for software asked for none".into(),
            };
            return Err(Rule::Notification.broken(None, expected, says));
        }
        cq.arming.pop_front();
        cq.arm(solicited);
        Ok(Vec::new())
    }

    /// Follows the event that the device has received a consumer doorbell.
    pub(super) fn consumed(&mut self, cqn: u32, consumer: u16) -> Result<Vec<Output>, Violation> {
        let says = format!("took consumer {consumer} of CQ {cqn}");
        let Some(cq) = self.cqs.get_mut(&cqn) else {
            return Err(Rule::CompletionQueue.broken(None, "a CQ that exists", says));
        };
        if !cq.consume(consumer) {
            let expected = "no fewer than before and no more than were written";
            return Err(Rule::CompletionQueue.broken(None, expected, says));
        }
        Ok(Vec::new())
    }

    /// Marks a queue as failed because a completion found no room; the QPs that use it go to Error (section 6, CF255).
    pub(super) fn fail_cq(&mut self, cqn: u32) {
        let Some(cq) = self.cqs.get_mut(&cqn).filter(|cq| !cq.failed) else {
            return;
        };
        cq.failed = true;
        cq.error_due = true;
        // An arming on its way has no effect, and need not be reported.
        cq.arming.clear();
        for qp in self.qps.values_mut() {
            let uses = [qp.attributes.send_cq, qp.attributes.receive_cq].contains(&cqn);
            if uses && !matches!(qp.state, QpState::Reset | QpState::Error) && !qp.failing() {
                qp.must_fail = true;
            }
        }
    }

    pub(super) fn cq(&self, cqn: u32) -> Result<&CompletionQueue, VerbError> {
        self.check_cqn(cqn)?;
        self.cqs.get(&cqn).ok_or(VerbError::UnknownCq(cqn))
    }

    pub(super) fn check_cqn(&self, cqn: u32) -> Result<(), VerbError> {
        let limit = self.capabilities.max_cqs;
        match cqn < limit {
            true => Ok(()),
            false => Err(VerbError::Cqn { cqn, limit }),
        }
    }
}

/// Returns the actual number of entries: the next power of two.
fn capacity_of(size: u32) -> Result<u32, VerbError> {
    match (1..=MAX_CQ_ENTRIES).contains(&size) {
        true => Ok(size.next_power_of_two()),
        false => Err(VerbError::CqSize(size)),
    }
}
