//! Events of the requester that no packet causes: timers, going back, local faults.
use super::{Hca, Output, Rule, Violation};
use crate::decision::requester::{self, psn_of, timer_window};
use crate::event::RewindCause;
use crate::verbs::{QueueSide, Status};

impl Hca {
    /// Follows the event that the local ack timer of a QP expired.
    pub(super) fn expire(&mut self, qpn: u32, psn: u32) -> Result<Vec<Output>, Violation> {
        let now = self.now;
        let qp = self.qp(qpn)?;
        let says = format!("let the ack timer expire at {now} ps");
        let Some((first, last)) = timer_window(&qp.requester).filter(|_| qp.sends()) else {
            return Err(Rule::AckTimer.broken(qpn, "no ack timer to expire, for none runs", says));
        };
        if !(first..=last).contains(&now) {
            let expected = format!("the ack timer to expire between {first} ps and {last} ps");
            return Err(Rule::AckTimer.broken(qpn, expected, says));
        }
        let oldest = psn_of(qp.requester.unacknowledged);
        if psn != oldest {
            let expected = format!("oldest unacknowledged PSN {oldest}");
            return Err(Rule::Psn.broken(qpn, expected, format!("reported PSN {psn}")));
        }
        if let Some(mut qp) = self.qps.remove(&qpn) {
            let (context, actions) = requester::expire(std::mem::take(&mut qp.requester));
            qp.requester = context;
            self.complete_requests(&mut qp, &[], &actions);
            self.qps.insert(qpn, qp);
        }
        Ok(Vec::new())
    }

    /// Follows the event that the requester goes back.
    pub(super) fn rewind(
        &mut self,
        qpn: u32,
        psn: u32,
        cause: RewindCause,
    ) -> Result<Vec<Output>, Violation> {
        let now = self.now;
        let qp = self.qp_mut(qpn)?;
        let says = format!("went back to PSN {psn} for {cause:?}");
        let Some(due) = qp.requester.rewind.filter(|_| qp.sends()) else {
            return Err(Rule::Rewind.broken(qpn, "no going back, for nothing calls for it", says));
        };
        if due.cause != cause {
            return Err(Rule::Rewind.broken(qpn, format!("{:?} as the cause", due.cause), says));
        }
        if psn_of(due.position) != psn {
            let expected = format!("PSN {} to go back to", psn_of(due.position));
            return Err(Rule::Psn.broken(qpn, expected, says));
        }
        if now < due.not_before {
            let expected = format!("a wait until {} ps", due.not_before);
            return Err(Rule::RnrWait.broken(qpn, expected, format!("{says} at {now} ps")));
        }
        qp.requester = requester::rewind(std::mem::take(&mut qp.requester), now);
        Ok(Vec::new())
    }

    /// Follows the event that the oldest send WQE cannot continue because of a local fault.
    pub(super) fn refuse_send(
        &mut self,
        qpn: u32,
        index: u16,
        status: Status,
    ) -> Result<Vec<Output>, Violation> {
        let qp = self.qp(qpn)?;
        let says = format!("ended send WQE {index} with {status:?}");
        let oldest = qp.requester.messages.front().map(|m| m.index);
        if oldest != Some(index) || !qp.sends() {
            let expected = match oldest {
                Some(oldest) => format!("WQE {oldest}, the oldest, to complete first"),
                None => "no local fault, for no WQE is under way".into(),
            };
            return Err(Rule::WqeOrder.broken(qpn, expected, says));
        }
        let Some((fault, other)) = self.fault_of_work(qp, index) else {
            return Err(Rule::Protection.broken(qpn, "no fault, for its SGEs may be used", says));
        };
        if status != fault && other != Some(status) {
            return Err(Rule::CompletionStatus.broken(qpn, format!("{fault:?}"), says));
        }
        let qp = self.qp_mut(qpn)?;
        qp.complete_send(index, status, None);
        qp.fail(QueueSide::Send);
        Ok(Vec::new())
    }
}
