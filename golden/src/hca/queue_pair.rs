//! A queue pair as the model keeps it.
use super::response_queue::ResponseQueue;
use super::QpStatus;
use crate::decision::{requester, responder};
use crate::verbs::{
    CompletedOperation, Completion, QpAttributes, QpState, QueueSide, ReceiveRequest, SendRequest, Sge,
    Status,
};
use crate::work_queue::WorkQueue;
use std::collections::VecDeque;

/// Most request packets between a device's decision to send and its link. It bounds what a QP in Error may send, so
/// that one that goes on sending is seen.
const LATE_REQUESTS: u32 = 16;

/// One QP: attributes, state, work queues and the contexts of its two decisions.
#[derive(Clone, Debug)]
pub(super) struct QueuePair {
    pub attributes: QpAttributes,
    pub state: QpState,
    /// The side whose decision moved the QP to Error, until the device reports the new state. That side acts on
    /// it at once, the other one when it hears of it.
    pub failed_side: Option<QueueSide>,
    /// Request packets that may still leave although the device has moved the QP to Error.
    pub late_requests: u32,
    pub send: WorkQueue<SendRequest>,
    pub receive: WorkQueue<ReceiveRequest>,
    /// Receive WQE that was taken and is not complete.
    pub open_receive: Option<u16>,
    pub responder: responder::Context,
    pub requester: requester::Context,
    pub responses: ResponseQueue,
    /// Completions that are not written yet, in order, of the send and of the receive queue.
    pub completions: [VecDeque<Pending>; 2],
}

/// A completion that is not written yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub cqn: u32,
    pub side: QueueSide,
    /// WQE index modulo 2^16.
    pub index: u16,
    pub completion: Completion,
    /// A status that may stand in place of the completion's.
    pub other: Option<Status>,
}

impl QueuePair {
    /// A QP in Reset.
    pub fn new(attributes: QpAttributes) -> QueuePair {
        QueuePair {
            attributes,
            state: QpState::Reset,
            failed_side: None,
            late_requests: 0,
            send: WorkQueue::default(),
            receive: WorkQueue::default(),
            open_receive: None,
            responder: responder::Context::default(),
            requester: requester::Context::default(),
            responses: ResponseQueue::default(),
            completions: Default::default(),
        }
    }

    /// Moves to `state` by a verb.
    pub fn enter(&mut self, attributes: &QpAttributes, state: QpState) {
        let pmtu = attributes.pmtu.bytes();
        match state {
            QpState::Reset => *self = QueuePair::new(attributes.clone()),
            QpState::Rtr => {
                self.responder = responder::Context {
                    pmtu,
                    min_rnr_timer: attributes.min_rnr_timer,
                    expected_psn: attributes.rq_psn,
                    ..Default::default()
                };
            }
            QpState::Rts if self.state == QpState::Rtr => {
                self.requester = requester::Context {
                    pmtu,
                    next_psn: attributes.sq_psn,
                    unacknowledged_psn: attributes.sq_psn,
                    ..Default::default()
                };
            }
            QpState::Error => self.responses.release_acks(),
            _ => {}
        }
        self.attributes = attributes.clone();
        self.state = state;
        self.failed_side = None;
        self.late_requests = 0;
    }

    /// The device has moved the QP to Error by itself. Packets that it had decided to send are on their way already;
    /// `qp_cq.md` section 1 forbids a new decision, not the end of an earlier one.
    pub fn report_error(&mut self) {
        self.state = QpState::Error;
        self.failed_side = None;
        self.late_requests = LATE_REQUESTS;
        self.responses.release_acks();
    }

    /// A decision of this side moves the QP to Error.
    pub fn fail(&mut self, side: QueueSide) {
        self.failed_side.get_or_insert(side);
    }

    /// What a query tells.
    pub fn status(&self) -> QpStatus {
        QpStatus {
            state: self.state,
            expected_psn: self.responder.expected_psn,
            msn: self.responder.msn,
            next_psn: self.requester.next_psn,
            unacknowledged_psn: self.requester.unacknowledged_psn,
        }
    }

    /// SGEs of a taken receive WQE.
    pub fn receive_sges(&self, index: u16) -> &[Sge] {
        self.receive.taken(index).map_or(&[], |r| &r.sges)
    }

    /// SGEs of a taken send WQE.
    pub fn send_sges(&self, index: u16) -> &[Sge] {
        self.send.taken(index).map_or(&[], |r| &r.sges)
    }

    /// Bytes of the receive WQE that the next Send packet goes to: the open one, else the next one.
    pub fn receive_room(&self) -> Option<u64> {
        let request = match self.open_receive {
            Some(index) => self.receive.taken(index),
            None => self.receive.upcoming(),
        };
        request.map(|r| r.sges.iter().map(|s| u64::from(s.length)).sum())
    }

    /// The oldest send WQE completes; a success that is not signaled makes no completion (CF193).
    pub fn complete_send(&mut self, index: u16, status: Status) {
        let Some(request) = self.send.taken(index) else {
            return;
        };
        if request.signaled || status != Status::Success {
            let completion = Completion {
                wr_id: request.wr_id,
                status,
                qpn: self.attributes.qpn,
                operation: CompletedOperation::Send,
                byte_count: 0,
                immediate: None,
            };
            self.completions[QueueSide::Send as usize].push_back(Pending {
                cqn: self.attributes.send_cq,
                side: QueueSide::Send,
                index,
                completion,
                other: None,
            });
        }
        // In Error the packets of the failed message may still be on their way out and need its SGEs.
        if status == Status::Success {
            self.send.retire();
        }
    }

    /// The open receive WQE completes, if there is one.
    pub fn complete_receive(
        &mut self,
        status: Status,
        other: Option<Status>,
        byte_count: u32,
        immediate: Option<[u8; 4]>,
    ) {
        let Some(index) = self.open_receive.take() else {
            return;
        };
        let Some(request) = self.receive.retire() else {
            return;
        };
        self.completions[QueueSide::Receive as usize].push_back(Pending {
            cqn: self.attributes.receive_cq,
            side: QueueSide::Receive,
            index,
            completion: Completion {
                wr_id: request.wr_id,
                status,
                qpn: self.attributes.qpn,
                operation: CompletedOperation::Receive,
                byte_count,
                immediate,
            },
            other,
        });
    }
}
