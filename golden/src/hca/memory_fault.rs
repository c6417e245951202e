//! Host memory that answers with errors: what of it the device has to report, and what follows
//! ([`MemoryFault`]).
use super::response::{Body, Response};
use super::{Hca, Output, Rule, Violation};
use crate::event::MemoryFault;
use crate::verbs::{AsyncEvent, Completion, QpState, QueueSide, Status};
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
    /// First send and first receive WQE that could not be read.
    unread: [Option<u16>; 2],
    /// First send and first receive WQE that host memory does not give.
    lost: [Option<u16>; 2],
}

impl MemoryErrors {
    /// A read response leaves.
    pub fn sends(&mut self, response: &Response) {
        if self.sent.len() == REMEMBERED {
            self.sent.pop_front();
        }
        self.sent.push_back(response.clone());
    }

    /// The device has heard of the WQEs from `first` to before `end`, and has read them.
    pub fn reads(&mut self, side: QueueSide, first: u16, end: u16) {
        let among = |index: &u16| index.wrapping_sub(first) < end.wrapping_sub(first);
        if let Some(index) = self.lost[side as usize].filter(among) {
            self.due.push(match side {
                QueueSide::Send => MemoryFault::SendWqe { index },
                QueueSide::Receive => MemoryFault::ReceiveWqe { index },
            });
        }
    }

    /// True if this WQE could not be read.
    pub fn unread(&self, side: QueueSide, index: u16) -> bool {
        self.unread[side as usize].is_some_and(|first| index.wrapping_sub(first) < 1 << 15)
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

impl Hca {
    /// WQE `index` (modulo 2^16) of this queue, and those behind it, will not be given to the device.
    pub fn lose_wqe(&mut self, qpn: u32, side: QueueSide, index: u16) {
        if let Some(qp) = self.qps.get_mut(&qpn) {
            qp.memory.lost[side as usize].get_or_insert(index);
        }
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
            MemoryFault::SendWqe { index } => {
                qp.memory.unread[QueueSide::Send as usize].get_or_insert(index);
            }
            MemoryFault::ReceiveWqe { index } => {
                qp.memory.unread[QueueSide::Receive as usize].get_or_insert(index);
            }
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
            self.asyncs.push_back(AsyncEvent::QpFatal { qpn });
        }
    }
}
