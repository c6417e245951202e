//! Packets with the results of their look-ups, as inputs of the decisions.
use super::queue_pair::QueuePair;
use super::Hca;
use crate::decision::protection::Right;
use crate::decision::requester::{self, Kind};
use crate::decision::responder::{self, Open, Operands, ReceiveWqe};
use crate::decision::ud::requester::Outcome;
use crate::verbs::{QueueSide, SendOperation, Service, Status};
use crate::wire::opcode::Operation;
use crate::wire::packet::Packet;
use crate::wire::reth::Reth;

/// Size of an atomic's operands in bytes.
pub(super) const ATOMIC_BYTES: usize = 8;

impl Hca {
    /// Returns a request with its look-ups, for the responder's decision.
    pub(super) fn request(&self, qp: &QueuePair, packet: &Packet) -> responder::Request {
        let context = qp.met_by(packet);
        let invalidate = packet.ieth().map(|h| h.r_key);
        let pd = qp.attributes.pd;
        let mut request = responder::Request {
            opcode: packet.opcode(),
            psn: packet.bth.psn,
            ack_req: packet.bth.a,
            length: packet.payload.len(),
            target: target(packet),
            operands: packet.atomic_eth().map(|h| Operands {
                swap_add: h.swap_dt_add_dt,
                compare: h.cmp_dt,
            }),
            invalidate,
            receive_wqe: self.receive_wqe(qp, &context, packet),
            permitted: true,
            may_invalidate: invalidate.is_none_or(|r_key| self.regions.may_invalidate(pd, r_key)),
            original: 0,
            answers_waiting: qp.responses.waiting(),
        };
        if let Some(access) = responder::access(&context, &request) {
            let resolved = self.regions.resolve(pd, &access);
            request.permitted = resolved.is_ok();
            if let (Ok(addr), Right::RemoteAtomic) = (resolved, access.right) {
                request.original = self.memory.read_u64(addr);
            }
        }
        request
    }

    fn receive_wqe(
        &self,
        qp: &QueuePair,
        context: &responder::Context,
        packet: &Packet,
    ) -> Option<ReceiveWqe> {
        let sges = qp.next_receive_sges()?;
        let room = qp.receive_room()?;
        let offset = match context.open {
            Some(Open::Send { received }) => received,
            _ => 0,
        };
        let left = room.saturating_sub(offset).min(packet.payload.len() as u64);
        let index = qp.open_receive.or_else(|| qp.receive.next());
        let read = index.is_some_and(|index| !qp.memory.unread(QueueSide::Receive, index));
        let permits = |offset, length| {
            let window = qp.window(&self.regions);
            let known =
                index.is_none_or(|index| qp.sges_are_known(QueueSide::Receive, index, offset, length));
            (read || length == 0) && known && window.permits(sges, offset, length, Right::LocalWrite)
        };
        Some(ReceiveWqe {
            room,
            payload_permitted: permits(offset, left as usize),
            permitted: permits(0, room as usize),
        })
    }

    /// Returns a response with its look-ups, for the requester's decision.
    pub(super) fn response(&self, qp: &QueuePair, packet: &Packet) -> requester::Response {
        let kind = match packet.opcode() {
            Some(o) if o.operation == Operation::ReadResponse => Kind::Read(o.position),
            Some(o) if o.operation == Operation::AtomicAcknowledge => Kind::Atomic {
                original: packet.atomic_ack_eth().map_or(0, |h| h.orig_rem_dt),
            },
            _ => Kind::Acknowledge,
        };
        let mut response = requester::Response {
            psn: packet.bth.psn,
            kind,
            syndrome: packet.aeth().map(|a| a.syndrome),
            msn: packet.aeth().map_or(0, |a| a.msn),
            length: packet.payload.len(),
            permitted: true,
        };
        if let Some((index, offset, length)) = requester::placement(&qp.requester, &response) {
            let window = qp.window(&self.regions);
            response.permitted = qp.sges_are_known(QueueSide::Send, index, offset, length)
                && window.permits(qp.send_sges(index), offset, length, Right::LocalWrite);
        }
        response
    }

    /// Returns the status of a taken send WQE that ends because of its own fault, and a second status that may replace
    /// it; `None` if the WQE is sound.
    pub(super) fn fault_of_work(&self, qp: &QueuePair, index: u16) -> Option<(Status, Option<Status>)> {
        if qp.attributes.service == Service::Ud {
            return match self.judge_work(qp, index) {
                Outcome::Failed(status, other) => Some((status, other)),
                Outcome::Sent | Outcome::Discarded => None,
            };
        }
        let faulty = !self.send_is_permitted(qp, index, None);
        faulty.then(|| qp.fault_of(&self.regions, index))
    }

    /// Returns true if a taken send WQE is sound and memory permits it: all of it, or only `length` bytes of outgoing
    /// data from `offset` on.
    pub(super) fn send_is_permitted(&self, qp: &QueuePair, index: u16, part: Option<(u64, usize)>) -> bool {
        if qp.memory.unread(QueueSide::Send, index) {
            return false;
        }
        let Some(wqe) = qp.started(index) else {
            return true;
        };
        if wqe.defect.is_some() || !qp.attributes.service.offers(&wqe.request.operation) {
            return false;
        }
        let sges = &wqe.request.sges;
        let right = match wqe.request.operation {
            o if o.is_read_or_atomic() => Right::LocalWrite,
            _ => Right::LocalRead,
        };
        let whole = match wqe.request.operation {
            SendOperation::CompareSwap { .. } | SendOperation::FetchAdd { .. } => ATOMIC_BYTES,
            _ => super::window::total(sges) as usize,
        };
        let (offset, length) = match part {
            Some(part) if right == Right::LocalRead => part,
            _ => (0, whole),
        };
        let window = qp.window(&self.regions);
        let known = qp.sges_are_known(QueueSide::Send, index, offset, length);
        wqe.inline.is_some() || known && window.permits(sges, offset, length, right)
    }
}

fn target(packet: &Packet) -> Option<Reth> {
    let of_atomic = || {
        packet.atomic_eth().map(|h| Reth {
            va: h.va,
            r_key: h.r_key,
            dma_len: ATOMIC_BYTES as u32,
        })
    };
    packet.reth().or_else(of_atomic)
}
