//! Host memory that answers with errors: what of it the device has to report, and what follows
//! ([`MemoryFault`]).
use super::gather::total;
use super::queue_pair::QueuePair;
use super::regions::Regions;
use super::response::{Body, Response};
use super::{Hca, Output, Rule, Violation};
use crate::decision::protection::Right;
use crate::event::MemoryFault;
use crate::ring_part::RingPart;
use crate::verbs::{AsyncEvent, Completion, QpState, QueueSide, Sge, Status};
use crate::wire::aeth::NAK_REMOTE_OPERATIONAL;
use std::collections::VecDeque;

/// Read responses that are remembered after they left: their data may still be on its way from memory.
const REMEMBERED: usize = 64;

/// What is known of a QP's accesses to host memory that failed.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryErrors {
    /// Not reported yet, in the order of the decisions that met them.
    pub due: Vec<MemoryFault>,
    /// One that is not a WQE's was reported: no completion is a success any more. Later ones change nothing.
    pub seen: bool,
    /// The oldest send WQE without a completion is to bear it.
    pub send_bears: bool,
    /// The QP has to move to Error.
    pub fatal: bool,
    /// Read responses that left, the newest last.
    sent: VecDeque<Response>,
    /// NAKs in place of read responses.
    pub naks: VecDeque<Response>,
    /// A send, a receive WQE that could not be read was reported.
    told: [bool; 2],
    /// WQEs that host memory does not give.
    lost: Vec<(QueueSide, u16)>,
    /// Side, WQE and first of four SGEs of a list that it does not give.
    lost_sges: Vec<(QueueSide, u16, u8)>,
    /// Send WQE and offset of inline data that it does not give.
    lost_inline: Vec<(u16, u16)>,
}

impl MemoryErrors {
    /// A read response leaves.
    pub fn sends(&mut self, response: &Response) {
        if self.sent.len() == REMEMBERED {
            self.sent.pop_front();
        }
        self.sent.push_back(response.clone());
    }

    /// The device has heard of the WQEs from `first` to before `end`, and reads them: the first of a queue that fails is
    /// reported.
    pub fn reads(&mut self, side: QueueSide, first: u16, end: u16) {
        let place = |index: u16| index.wrapping_sub(first);
        let of_queue = self
            .lost
            .iter()
            .filter(|(s, _)| *s == side)
            .map(|(_, index)| *index);
        let unread = of_queue.filter(|index| place(*index) < place(end));
        if let Some(index) = unread
            .min_by_key(|index| place(*index))
            .filter(|_| !self.told[side as usize])
        {
            self.told[side as usize] = true;
            self.due.push(match side {
                QueueSide::Send => MemoryFault::SendWqe { index },
                QueueSide::Receive => MemoryFault::ReceiveWqe { index },
            });
        }
    }

    /// True if this WQE could not be read.
    pub fn unread(&self, side: QueueSide, index: u16) -> bool {
        self.lost.contains(&(side, index))
    }

    /// SGEs of this WQE that are known: those before the first that could not be read.
    fn known_sges(&self, side: QueueSide, index: u16) -> Option<usize> {
        let of_wqe = self
            .lost_sges
            .iter()
            .filter(|(s, i, _)| (*s, *i) == (side, index));
        of_wqe.map(|(_, _, first)| usize::from(*first)).min()
    }

    /// True if host memory gives these bytes of the inline data of a send WQE.
    pub fn gives_inline(&self, index: u16, offset: u64, length: usize) -> bool {
        let meets = |&at: &u16| {
            let (at, end) = (u64::from(at), u64::from(at + RingPart::INLINE_LINE));
            at < offset + length as u64 && offset < end
        };
        !self.lost_inline.iter().any(|(i, at)| *i == index && meets(at))
    }

    /// NAK 63h stands in place of a read response that left spoiled.
    fn refuse(&mut self, psn: u32) {
        let body = Body::Acknowledge {
            syndrome: NAK_REMOTE_OPERATIONAL,
            required: true,
        };
        let sent = self.sent.iter().rfind(|r| r.psn == psn).cloned();
        self.naks
            .extend(sent.map(|response| Response { body, ..response }));
    }

    /// The NAK of this PSN and syndrome goes out.
    pub fn emit_nak(&mut self, psn: u32, syndrome: u8) -> Option<Response> {
        let is_it = |r: &Response| r.psn == psn && r.syndrome() == Some(syndrome);
        let at = self.naks.iter().position(is_it)?;
        self.naks.remove(at)
    }

    /// A completion as it is written after the errors reported so far.
    pub fn mark(&mut self, side: QueueSide, completion: &mut Completion) {
        let first = side == QueueSide::Send && std::mem::take(&mut self.send_bears);
        let hit = match completion.status {
            Status::Success => self.seen,
            Status::WrFlushErr => first,
            _ => false,
        };
        if hit {
            completion.status = Status::LocQpOpErr;
            completion.byte_count = 0;
            completion.immediate = None;
            completion.invalidated = None;
            completion.p_key_index = None;
        }
    }
}

impl QueuePair {
    /// True if the SGEs of these bytes of a WQE, and all before them, are known: no bytes need none.
    pub fn sges_are_known(&self, side: QueueSide, index: u16, offset: u64, length: usize) -> bool {
        let Some(known) = self.memory.known_sges(side, index) else {
            return true;
        };
        let sges = self.sges_of(side, index);
        length == 0 || offset + length as u64 <= total(&sges[..known.min(sges.len())])
    }

    /// Status of a WQE that ends for a fault of its SGEs, and another that describes a second fault of theirs: `of_keys` is
    /// that of keys that do not open what they name.
    pub fn fault_of_sges(
        &self,
        regions: &Regions,
        side: QueueSide,
        index: u16,
        of_keys: (Status, Option<Status>),
    ) -> (Status, Option<Status>) {
        let sges = self.sges_of(side, index);
        if self.memory.known_sges(side, index).is_none() {
            return of_keys;
        }
        let right = match side {
            QueueSide::Send if !self.is_answered_with_data(index) => Right::LocalRead,
            _ => Right::LocalWrite,
        };
        let open = self.window(regions).permits(sges, 0, total(sges) as usize, right);
        (Status::LocQpOpErr, (!open).then_some(of_keys.0))
    }

    /// SGEs of a WQE, taken or not.
    fn sges_of(&self, side: QueueSide, index: u16) -> &[Sge] {
        match side {
            QueueSide::Send => self.send_sges(index),
            QueueSide::Receive => self.receive.get(index).map_or(&[], |wqe| &wqe.sges),
        }
    }

    fn is_answered_with_data(&self, index: u16) -> bool {
        self.started(index)
            .is_some_and(|wqe| wqe.request.operation.is_read_or_atomic())
    }
}

impl Hca {
    /// This part of the rings will not be given to the device. Without a CQE nothing changes that the model knows of.
    pub fn lose(&mut self, part: RingPart) {
        match part {
            RingPart::Wqe { qpn, side, index } => {
                if let Some(memory) = self.memory_errors(qpn) {
                    memory.lost.push((side, index));
                }
            }
            RingPart::Sges {
                qpn,
                side,
                index,
                first,
            } => {
                if let Some(memory) = self.memory_errors(qpn) {
                    memory.lost_sges.push((side, index, first));
                }
            }
            RingPart::Inline { qpn, index, offset } => {
                if let Some(memory) = self.memory_errors(qpn) {
                    memory.lost_inline.push((index, offset));
                }
            }
            RingPart::Cqe { .. } => {}
        }
    }

    fn memory_errors(&mut self, qpn: u32) -> Option<&mut MemoryErrors> {
        self.qps.get_mut(&qpn).map(|qp| &mut qp.memory)
    }

    /// The device says that host memory failed a QP.
    pub(super) fn fail_memory(&mut self, qpn: u32, fault: MemoryFault) -> Result<Vec<Output>, Violation> {
        let qp = self.qp_mut(qpn)?;
        let Some(at) = qp.memory.due.iter().position(|due| *due == fault) else {
            let expected = match qp.memory.due.first() {
                Some(due) => format!("{due:?}"),
                None => "no fault, for host memory answered".into(),
            };
            return Err(Rule::HostMemory.broken(qpn, expected, format!("reported {fault:?}")));
        };
        qp.memory.due.remove(at);
        match fault {
            MemoryFault::SendWqe { .. } | MemoryFault::ReceiveWqe { .. } => {}
            _ if qp.memory.seen => {}
            MemoryFault::ResponseData { psn } => {
                qp.memory.refuse(psn);
                self.fatal(qpn);
            }
            MemoryFault::RequestData { .. } | MemoryFault::ResponsePlacement => {
                qp.memory.send_bears = true;
                self.fatal(qpn);
            }
            MemoryFault::RequestPlacement | MemoryFault::Atomic => self.fatal(qpn),
        }
        Ok(Vec::new())
    }

    /// The QP goes to Error for it (`qp_cq.md` section 8).
    fn fatal(&mut self, qpn: u32) {
        let Some(qp) = self.qps.get_mut(&qpn) else {
            return;
        };
        let memory = &mut qp.memory;
        memory.seen = true;
        for (side, queue) in [QueueSide::Send, QueueSide::Receive]
            .into_iter()
            .zip(&mut qp.completions)
        {
            for pending in queue {
                memory.mark(side, &mut pending.completion);
            }
        }
        if !matches!(qp.state, QpState::Reset | QpState::Error) && !memory.fatal {
            memory.fatal = true;
            self.events.raise(AsyncEvent::QpFatal { qpn });
        }
    }
}
