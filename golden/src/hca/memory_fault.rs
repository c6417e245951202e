//! Errors of host memory that the device has to report, and their effects ([`MemoryFault`]).
use super::memory_errors::MemoryErrors;
use super::queue_pair::QueuePair;
use super::regions::Regions;
use super::window::total;
use super::{Hca, Output, Rule, Violation};
use crate::decision::protection::Right;
use crate::event::{MemoryFault, LATE_REQUESTS};
use crate::ring_part::RingPart;
use crate::verbs::{AsyncEvent, QpState, QueueSide, Sge, Status};

impl QueuePair {
    /// Returns true if the SGEs of these bytes of a WQE, and all before them, are known. An empty range needs none.
    pub fn sges_are_known(&self, side: QueueSide, index: u16, offset: u64, length: usize) -> bool {
        let Some(known) = self.memory.known_sges(side, index) else {
            return true;
        };
        let sges = self.sges_of(side, index);
        length == 0 || offset + length as u64 <= total(&sges[..known.min(sges.len())])
    }

    /// Returns the status of a WQE that ends because of a fault of its SGEs, and a status that may replace it because
    /// it describes a second fault. `of_keys` is the status for keys that forbid the access.
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

    /// Returns the SGEs of a WQE, taken or not.
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
    /// The device's reads of this part of the rings fail from now on. A CQE that cannot be written changes nothing in
    /// the model.
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

    /// Follows the event that host memory failed an access of a QP.
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
            // `uc.md` section 2, local errors: no event, and the receive side goes on.
            MemoryFault::RequestData { .. } if !qp.attributes.service.is_reliable() => {
                if let Some(index) = qp.requester.broken.filter(|_| qp.sends()) {
                    qp.complete_send(index, Status::LocQpOpErr, None);
                    qp.fail(QueueSide::Send);
                    // Packets that the device had decided to send are on their way.
                    qp.late_requests = LATE_REQUESTS;
                }
            }
            MemoryFault::RequestData { .. } | MemoryFault::ResponsePlacement => {
                qp.memory.send_bears = true;
                self.fatal(qpn);
            }
            MemoryFault::RequestPlacement | MemoryFault::Atomic => self.fatal(qpn),
        }
        Ok(Vec::new())
    }

    /// Moves the QP to Error, unless it is there already, and raises the event (`qp_cq.md` section 8).
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
        if qp.state == QpState::Reset || memory.fatal {
            return;
        }
        memory.fatal = qp.state != QpState::Error;
        self.events.raise(AsyncEvent::QpFatal { qpn });
    }
}
