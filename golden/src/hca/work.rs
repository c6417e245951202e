//! Events of the queues: doorbells, taken WQEs, written completions, reported states.
use super::queue_pair::QueuePair;
use super::window::total;
use super::{Hca, Output, Rule, Violation};
use crate::decision::requester::Message;
use crate::verbs::{AsyncEvent, Completion, HostEvent, QpState, QueueSide, Status};

impl Hca {
    /// Follows the event that the device has received a doorbell.
    pub(super) fn ring(
        &mut self,
        qpn: u32,
        side: QueueSide,
        producer: u16,
    ) -> Result<Vec<Output>, Violation> {
        let qp = self.qp_mut(qpn)?;
        let before = match side {
            QueueSide::Send => qp.send.announced(),
            QueueSide::Receive => qp.receive.announced(),
        };
        let (legal, announced, posted) = match side {
            QueueSide::Send => (qp.send.announce(producer), qp.send.announced(), qp.send.posted()),
            QueueSide::Receive => (
                qp.receive.announce(producer),
                qp.receive.announced(),
                qp.receive.posted(),
            ),
        };
        if legal {
            qp.memory.reads(side, before, producer);
            if side == QueueSide::Receive {
                qp.bring_receives(producer.wrapping_sub(before));
            }
            qp.flush();
            return Ok(Vec::new());
        }
        Err(Rule::Doorbell.broken(
            qpn,
            format!("a producer from {announced} to {posted}"),
            format!("saw {producer} on the {side:?} queue"),
        ))
    }

    /// Follows the event that the device has taken a WQE.
    pub(super) fn take(&mut self, qpn: u32, side: QueueSide, index: u16) -> Result<Vec<Output>, Violation> {
        let qp = self.qp_mut(qpn)?;
        let next = match side {
            QueueSide::Send => qp.send.next(),
            QueueSide::Receive => qp.receive.next(),
        };
        let took = format!("took {side:?} WQE {index}");
        if next != Some(index) {
            let expected = match next {
                Some(next) => format!("WQE {next}"),
                None => "none, for no further WQE is announced".into(),
            };
            return Err(Rule::WqeOrder.broken(qpn, expected, took));
        }
        match side {
            QueueSide::Send => start(qp),
            QueueSide::Receive => {
                if let Some(open) = qp.open_receive {
                    let expected = format!("WQE {open} to complete first");
                    return Err(Rule::WqeOrder.broken(qpn, expected, took));
                }
                qp.open_receive = qp.receive.take();
                qp.take_receive();
            }
        }
        Ok(Vec::new())
    }

    /// Follows the event that a completion is in its queue.
    pub(super) fn complete(
        &mut self,
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    ) -> Result<Vec<Output>, Violation> {
        self.check_completion(cqn, qpn, side, index, status)?;
        if !self.has_room(cqn) {
            let expected = format!("the completion to be lost, for CQ {cqn} has no room");
            let says = format!("wrote the completion of {side:?} WQE {index}");
            return Err(Rule::Overflow.broken(qpn, expected, says));
        }
        let qp = self.qp_mut(qpn)?;
        let Some(pending) = qp.completions[side as usize].pop_front() else {
            return Ok(Vec::new());
        };
        match side {
            QueueSide::Send => qp.send.complete(index),
            QueueSide::Receive => qp.receive.complete(index),
        }
        let solicited = pending.is_solicited(status);
        let completion = Completion {
            status,
            ..pending.completion
        };
        if let Some(cq) = self.cqs.get_mut(&cqn) {
            cq.write(completion.clone(), solicited);
        }
        Ok(vec![Output::Complete(completion)])
    }

    /// Follows the event that a completion is lost because its queue has no room.
    pub(super) fn overflow(
        &mut self,
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    ) -> Result<Vec<Output>, Violation> {
        self.check_completion(cqn, qpn, side, index, status)?;
        if self.has_room(cqn) {
            let says = format!("lost the completion of {side:?} WQE {index}");
            return Err(Rule::Overflow.broken(qpn, format!("a CQE, for CQ {cqn} has room"), says));
        }
        self.qp_mut(qpn)?.completions[side as usize].pop_front();
        self.fail_cq(cqn);
        Ok(Vec::new())
    }

    /// Returns true if this queue has room for a CQE.
    pub(super) fn has_room(&self, cqn: u32) -> bool {
        let cq = self.cqs.get(&cqn);
        cq.is_some_and(|cq| !cq.failed && !cq.is_full())
    }

    /// Checks that a completion is the oldest due one of its work queue.
    fn check_completion(
        &self,
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    ) -> Result<(), Violation> {
        let Some(pending) = self.qp(qpn)?.completions[side as usize].front() else {
            return Err(Rule::NoSuchCompletion.broken(
                qpn,
                format!("no completion of the {side:?} queue yet"),
                format!("completed WQE {index} with {status:?}"),
            ));
        };
        let due = &pending.completion;
        if pending.index != index {
            return Err(Rule::CompletionIndex.broken(
                qpn,
                format!("{side:?} WQE {}", pending.index),
                format!("completed WQE {index}"),
            ));
        }
        if due.status != status && pending.other != Some(status) {
            return Err(Rule::CompletionStatus.broken(
                qpn,
                format!("{:?}", due.status),
                format!("completed {side:?} WQE {index} with {status:?}"),
            ));
        }
        if pending.cqn != cqn {
            return Err(Rule::CompletionQueue.broken(
                qpn,
                format!("CQ {}", pending.cqn),
                format!("wrote the completion of {side:?} WQE {index} to CQ {cqn}"),
            ));
        }
        Ok(())
    }

    /// Follows the event that the device refuses a doorbell beyond the posted WQEs, or before the last one (`qp_cq.md`
    /// section 8, QP fatal).
    pub(super) fn refuse_doorbell(
        &mut self,
        qpn: u32,
        side: QueueSide,
        producer: u16,
    ) -> Result<Vec<Output>, Violation> {
        let qp = self.qp_mut(qpn)?;
        let Some(at) = qp.bad_doorbells.iter().position(|bad| *bad == (side, producer)) else {
            let says = format!("refused doorbell {producer} of the {side:?} queue");
            return Err(Rule::Doorbell.broken(qpn, "it to be taken, for it does not lie", says));
        };
        qp.bad_doorbells.remove(at);
        if !matches!(qp.state, QpState::Reset | QpState::Error) {
            qp.must_fail = true;
            self.events.raise(AsyncEvent::QpFatal { qpn });
        } else {
            self.events.permit(HostEvent::Qp(AsyncEvent::QpFatal { qpn }));
        }
        Ok(Vec::new())
    }

    /// Follows the event that the device moved the QP without software.
    pub(super) fn report_state(&mut self, qpn: u32, state: QpState) -> Result<Vec<Output>, Violation> {
        let found = self.leaves_reset_too_late(self.qp(qpn)?);
        let qp = self.qp_mut(qpn)?;
        if state == QpState::Sqe && qp.send_fails {
            qp.report_send_error();
            return Ok(Vec::new());
        }
        qp.must_fail |= found && state == QpState::Error;
        if !qp.failing() || state != QpState::Error {
            let expected = match qp.failing() {
                true => "Error".into(),
                false => format!("{:?}, for nothing calls for a change", qp.state),
            };
            return Err(Rule::QpState.broken(qpn, expected, format!("moved the QP to {state:?}")));
        }
        qp.report_error();
        Ok(Vec::new())
    }

    /// Returns true for a QP that was in Reset when its CQ failed and has left Reset since. A device that searches for
    /// the QPs of that CQ may find it (`qp_cq.md` section 6).
    fn leaves_reset_too_late(&self, qp: &QueuePair) -> bool {
        let cqns = [qp.attributes.send_cq, qp.attributes.receive_cq];
        let fails = cqns
            .iter()
            .any(|cqn| self.cqs.get(cqn).is_some_and(|cq| cq.failed));
        fails && !matches!(qp.state, QpState::Reset | QpState::Error)
    }
}

/// Makes the next send WQE the newest message under way.
pub(super) fn start(qp: &mut QueuePair) {
    let Some(wqe) = qp.send.upcoming() else {
        return;
    };
    let request = &wqe.request;
    let (operation, solicited, fence) = (request.operation, request.solicited, request.fence);
    let length = total(&request.sges);
    let Some(index) = qp.send.take() else {
        return;
    };
    // A WQE taken in Error is flushed and never started (`qp_cq.md` section 1).
    if !matches!(qp.send_state, QpState::Error | QpState::Sqe) {
        qp.requester.push(Message {
            solicited,
            fence,
            ..Message::new(index, operation, length)
        });
    }
}
