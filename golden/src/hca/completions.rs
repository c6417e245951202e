//! Completions that become due, including those of a flush (`requester.md` section 8 and 9).
use super::pending::Pending;
use super::queue_pair::QueuePair;
use crate::decision::responder::Completed;
use crate::event::LATE_REQUESTS;
use crate::verbs::{
    CompletedOperation, Completion, DatagramSource, QpState, QueueSide, SendOperation, Status,
};

/// The data of a receive completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Received {
    pub byte_count: u32,
    pub immediate: Option<[u8; 4]>,
    /// Index into the P_Key table; present for a message to QP1.
    pub p_key_index: Option<u16>,
    /// True if the last packet had SE.
    pub solicited: bool,
    pub of: Completed,
    /// Source; present for a datagram.
    pub datagram: Option<DatagramSource>,
}

impl QueuePair {
    /// Completes the oldest send WQE. A success that is not signaled makes no completion (CF193).
    pub fn complete_send(&mut self, index: u16, status: Status, other: Option<Status>) {
        if self.send_state == QpState::Error && status == Status::Success {
            self.succeed_late(index);
            return;
        }
        let Some(wqe) = self.send.taken(index) else {
            return;
        };
        let request = &wqe.request;
        if request.signaled || status != Status::Success {
            let moved = match request.operation {
                SendOperation::Read { .. } => request.sges.iter().map(|s| s.length).sum(),
                o if o.is_atomic() => 8,
                _ => 0,
            };
            let completion = Completion {
                wr_id: request.wr_id,
                operation: request.operation.completed(),
                byte_count: if status == Status::Success { moved } else { 0 },
                ..self.failed(status)
            };
            self.owe(QueueSide::Send, index, completion, false, other);
        }
        if status == Status::Success {
            let wqe = self.send.retire();
            self.answered.extend(wqe.map(|wqe| (index, wqe)));
            while self.answered.len() > LATE_REQUESTS as usize {
                self.answered.pop_front();
            }
        } else {
            // Packets of the failed message may still leave and need the SGEs of the WQE.
            self.flushed[QueueSide::Send as usize] = Some(index.wrapping_add(1));
        }
    }

    /// Completes a message of an unreliable service whose last packet leaves in Error: its WQE is not flushed (`uc.md`
    /// section 2, completion).
    fn succeed_late(&mut self, index: u16) {
        let signaled = self.send.taken(index).is_some_and(|wqe| wqe.request.signaled);
        let flushes = &mut self.completions[QueueSide::Send as usize];
        let Some(at) = flushes.iter().position(|pending| pending.index == index) else {
            return;
        };
        if signaled {
            let completion = &mut flushes[at].completion;
            completion.status = Status::Success;
            self.memory.mark(QueueSide::Send, completion);
        } else {
            flushes.remove(at);
        }
    }

    /// Completes the open receive WQE; returns false if there is none.
    pub fn complete_receive(&mut self, received: Received) -> bool {
        let operation = match received.of {
            Completed::WriteWithImmediate => CompletedOperation::ReceiveWithImmediate,
            Completed::Send | Completed::SendWithInvalidate { .. } => CompletedOperation::Receive,
        };
        let invalidated = match received.of {
            Completed::SendWithInvalidate { r_key } => Some(r_key),
            _ => None,
        };
        let completion = Completion {
            operation,
            byte_count: received.byte_count,
            immediate: received.immediate,
            invalidated,
            p_key_index: received.p_key_index,
            datagram: received.datagram,
            ..self.failed(Status::Success)
        };
        self.retire_receive(completion, received.solicited, None)
    }

    /// Completes the open receive WQE in error; returns false if there is none.
    pub fn complete_receive_in_error(&mut self, status: Status, other: Option<Status>) -> bool {
        let completion = Completion {
            operation: CompletedOperation::Receive,
            ..self.failed(status)
        };
        self.retire_receive(completion, false, other)
    }

    /// Completes every announced WQE of a QP in Error as flushed, in post order (CF240, CF241).
    pub fn flush(&mut self) {
        if !self.capabilities.flushes {
            return;
        }
        let states = [
            (QueueSide::Send, self.send_state),
            (QueueSide::Receive, self.state),
        ];
        let stops = |(side, state): &(QueueSide, QpState)| {
            *state == QpState::Error || (*side, *state) == (QueueSide::Send, QpState::Sqe)
        };
        for (side, _) in states.into_iter().filter(stops) {
            let (first, announced) = match side {
                QueueSide::Send => (self.send.first(), self.send.announced()),
                QueueSide::Receive => (self.receive.first(), self.receive.announced()),
            };
            let mut index = self.flushed[side as usize].unwrap_or(first);
            while index != announced {
                let (wr_id, operation) = match side {
                    QueueSide::Send => self.send.get(index).map(|w| {
                        let operation = w.request.operation.completed();
                        (w.request.wr_id, operation)
                    }),
                    QueueSide::Receive => self
                        .receive
                        .get(index)
                        .map(|r| (r.wr_id, CompletedOperation::Receive)),
                }
                .unwrap_or((0, CompletedOperation::Send));
                let completion = Completion {
                    wr_id,
                    operation,
                    ..self.failed(Status::WrFlushErr)
                };
                self.owe(side, index, completion, false, None);
                index = index.wrapping_add(1);
            }
            self.flushed[side as usize] = Some(index);
        }
    }

    fn retire_receive(&mut self, completion: Completion, solicited: bool, other: Option<Status>) -> bool {
        let Some(index) = self.open_receive.take() else {
            return false;
        };
        let Some(request) = self.receive.retire() else {
            return false;
        };
        let wr_id = request.wr_id;
        self.owe(
            QueueSide::Receive,
            index,
            Completion { wr_id, ..completion },
            solicited,
            other,
        );
        true
    }

    fn owe(
        &mut self,
        side: QueueSide,
        index: u16,
        mut completion: Completion,
        solicited: bool,
        other: Option<Status>,
    ) {
        self.memory.mark(side, &mut completion);
        let cqn = match side {
            QueueSide::Send => self.attributes.send_cq,
            QueueSide::Receive => self.attributes.receive_cq,
        };
        self.completions[side as usize].push_back(Pending {
            cqn,
            side,
            index,
            completion,
            solicited,
            other,
        });
    }

    /// Returns a completion with only its status set.
    fn failed(&self, status: Status) -> Completion {
        Completion {
            wr_id: 0,
            status,
            qpn: self.attributes.qpn,
            operation: CompletedOperation::Send,
            byte_count: 0,
            immediate: None,
            invalidated: None,
            p_key_index: None,
            datagram: None,
        }
    }
}
