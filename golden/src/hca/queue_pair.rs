//! A queue pair of the model.
use super::advertised::Advertised;
use super::memory_errors::MemoryErrors;
use super::modification::Modification;
use super::moment::Moment;
use super::qp_status::QpStatus;
use super::regions::Regions;
use super::response_queue::ResponseQueue;
use super::send_wqe::SendWqe;
use super::window::{total, Window};
use crate::capabilities::Capabilities;
use crate::decision::requester::{psn_of, Gate, Limits, Plan};
use crate::decision::responder::resource::Resources;
use crate::decision::{requester, responder, special_qps, uc};
use crate::event::LATE_REQUESTS;
use crate::modification::QpChanges;
use crate::port::FIRST;
use crate::psn;
use crate::verbs::{
    Pmtu, QpAttributes, QpState, QueueSide, ReceiveRequest, RemoteAccess, Service, Sge, Status,
};
use crate::wire::packet::Packet;
use crate::work_queue::WorkQueue;
use std::collections::VecDeque;

use super::pending::Pending;

/// One QP: its attributes, its state, its work queues, and the contexts of its two decisions.
#[derive(Clone, Debug)]
pub(super) struct QueuePair {
    pub attributes: QpAttributes,
    /// The attributes given to create_qp, which Reset keeps.
    made: QpAttributes,
    /// The attributes that modify_qp has set since Reset, as a query returns them.
    pub standing: QpChanges,
    pub capabilities: Capabilities,
    pub state: QpState,
    /// When the QP left Reset.
    pub known_from: Moment,
    /// The attributes and the state before the latest modification, and when it was. A device may judge responses that
    /// came before by them.
    pub earlier: Option<(QpAttributes, QpState, Moment)>,
    /// The attributes of the send side. The receive side is ahead while a modification takes effect.
    pub send_attributes: QpAttributes,
    pub send_state: QpState,
    pub modification: Option<Modification>,
    /// The QP has to move to Error without a decision of either side, because its CQ failed or a doorbell was refused.
    pub must_fail: bool,
    /// Impossible doorbells that the device has not refused yet.
    pub bad_doorbells: VecDeque<(QueueSide, u16)>,
    /// The send queue has failed, and the device has not reported SQE yet.
    pub send_fails: bool,
    /// The side whose decision moved the QP to Error, until the device reports the new state. That side acts on it at
    /// once, the other one when it learns of it.
    pub failed_side: Option<QueueSide>,
    /// Accesses that host memory answered with an error.
    pub memory: MemoryErrors,
    /// Number of request packets that may still leave although the device has moved the QP to Error.
    pub late_requests: u32,
    /// A packet of the peer arrived in RTR.
    pub established: bool,
    /// An event is due once the send queue is drained.
    pub draining: bool,
    pub send: WorkQueue<SendWqe>,
    pub receive: WorkQueue<ReceiveRequest>,
    /// Send WQEs that are complete, newest last. Packets of them may still leave.
    pub answered: VecDeque<(u16, SendWqe)>,
    /// Receive WQE that was taken and is not complete.
    pub open_receive: Option<u16>,
    pub responder: responder::Context,
    pub requester: requester::Context,
    pub responses: ResponseQueue,
    pub advertised: Advertised,
    /// Completions of the send and of the receive queue that are not written yet, in order.
    pub completions: [VecDeque<Pending>; 2],
    /// In Error: index up to which the WQEs of the send and of the receive queue have a completion.
    pub flushed: [Option<u16>; 2],
}

impl QueuePair {
    /// Makes a QP in Reset with the largest queues. Its port is the one that its QPN names; any other QP has one once
    /// modify_qp has given it one.
    pub fn new(attributes: QpAttributes, capabilities: Capabilities) -> QueuePair {
        let of_qpn = special_qps::port_of(capabilities.ports, attributes.qpn);
        let port = of_qpn.unwrap_or(FIRST);
        let attributes = QpAttributes { port, ..attributes };
        QueuePair {
            send_attributes: attributes.clone(),
            made: attributes.clone(),
            attributes,
            standing: QpChanges::unset(),
            capabilities,
            state: QpState::Reset,
            send_state: QpState::Reset,
            known_from: Moment::default(),
            earlier: None,
            modification: None,
            must_fail: false,
            bad_doorbells: VecDeque::new(),
            send_fails: false,
            failed_side: None,
            memory: MemoryErrors::default(),
            late_requests: 0,
            established: false,
            draining: false,
            send: WorkQueue::default(),
            receive: WorkQueue::default(),
            answered: VecDeque::new(),
            open_receive: None,
            responder: responder::Context::default(),
            requester: requester::Context::default(),
            responses: ResponseQueue::default(),
            advertised: Advertised::default(),
            completions: Default::default(),
            flushed: [None; 2],
        }
    }

    /// Returns the same QP with queues of this many entries.
    pub fn with_queues(self, send_entries: usize, receive_entries: usize) -> QueuePair {
        QueuePair {
            send: WorkQueue::of(send_entries),
            receive: WorkQueue::of(receive_entries),
            ..self
        }
    }

    /// Applies a modification to the receive side.
    pub fn modify_receive_side(&mut self, m: &Modification) {
        m.changes.apply(&mut self.attributes);
        self.standing.merge(&m.changes);
        match m.state {
            QpState::Rtr => {
                self.responder = responder_of(&self.attributes, self.capabilities);
                let a = &self.attributes;
                let supplied = a.service.is_reliable() && a.credits.supplied;
                self.advertised = Advertised::initial(a.rq_psn, supplied);
            }
            QpState::Error => self.responses.release_all(),
            _ => {}
        }
        if m.changes.max_dest_rd_atomic.is_some() {
            let limit = self.attributes.max_dest_rd_atomic;
            self.responder.resources.limit_to(limit);
        }
        self.responder.min_rnr_timer = self.attributes.min_rnr_timer;
        self.responder.enabled = enabled(&self.attributes, self.capabilities);
        if m.state != QpState::Reset {
            self.note_credits();
        }
        self.state = after(self.state, m);
        self.flush();
    }

    /// Applies a modification to the send side, and thereby to both.
    pub fn modify_send_side(&mut self, m: &Modification) {
        if m.state == QpState::Reset {
            let (send, receive) = (self.send.capacity(), self.receive.capacity());
            *self = QueuePair::new(self.made.clone(), self.capabilities).with_queues(send, receive);
            return;
        }
        m.changes.apply(&mut self.send_attributes);
        let limits = limits_of(&self.send_attributes, self.capabilities);
        match m.state {
            QpState::Rts if self.send_state == QpState::Rtr => {
                self.requester = requester::Context::new(limits, self.send_attributes.sq_psn);
            }
            QpState::Rts if m.from == QpState::Sqe => self.restart(limits),
            QpState::Rts | QpState::Sqd => self.requester.limits = limits,
            _ => {}
        }
        // Packets that the device had decided to send are on their way.
        let state = after(self.send_state, m);
        let stops = matches!(state, QpState::Sqd | QpState::Error);
        self.late_requests = match (stops, self.send_state == state) {
            (true, false) => LATE_REQUESTS,
            (true, true) => self.late_requests,
            (false, _) => 0,
        };
        // SQD to SQD leaves the request for the event as it is (`qp_cq.md` section 1).
        let stays = self.send_state == QpState::Sqd && self.draining;
        self.draining = state == QpState::Sqd && (m.changes.drained_event || stays);
        self.send_state = state;
        if m.state == QpState::Error {
            self.stop_failing();
        }
        self.flush();
    }

    /// Notes that the device has moved the QP to Error without software. Packets that it had decided to send are on
    /// their way already; `qp_cq.md` section 1 forbids a new decision, not the end of an earlier one.
    pub fn report_error(&mut self) {
        self.send_state = QpState::Error;
        self.stop_failing();
        self.late_requests = LATE_REQUESTS;
        self.draining = false;
        // On its way to Reset the receive side is already there; the send side may fail and flush until it follows.
        if self.state != QpState::Reset {
            self.state = QpState::Error;
            self.responses.release();
        }
        self.flush();
    }

    /// Notes that the device has moved the send queue to SQE. The receive side continues (`uc.md` section 2, local
    /// errors).
    pub fn report_send_error(&mut self) {
        self.send_fails = false;
        self.send_state = QpState::Sqe;
        if matches!(self.state, QpState::Rts | QpState::Sqd) {
            self.state = QpState::Sqe;
        }
        self.draining = false;
        self.flush();
    }

    /// Restarts a send queue that leaves SQE: the flushed WQEs are gone.
    fn restart(&mut self, limits: Limits) {
        self.requester = uc::requester::restart(std::mem::take(&mut self.requester));
        self.requester.limits = limits;
        let end = self.flushed[QueueSide::Send as usize].take();
        while end.is_some_and(|end| self.send.first() != end) {
            if self.send.taken(self.send.first()).is_none() {
                self.send.take();
            }
            if self.send.retire().is_none() {
                break;
            }
        }
    }

    /// Notes that the QP is in Error, so that nothing has to move it there.
    fn stop_failing(&mut self) {
        self.send_fails = false;
        self.failed_side = None;
        self.memory.fatal = false;
        self.must_fail = false;
    }

    /// Notes that a decision of this side moves the QP to Error. Of an unreliable service only the send queue fails,
    /// and it goes to SQE.
    pub fn fail(&mut self, side: QueueSide) {
        match (side, self.attributes.service.is_reliable()) {
            (QueueSide::Send, false) => self.send_fails = true,
            _ => {
                self.failed_side.get_or_insert(side);
            }
        }
    }

    /// Returns true if the QP has to move to Error and the device has not reported it.
    pub fn failing(&self) -> bool {
        self.failed_side.is_some() || self.memory.fatal || self.must_fail
    }

    /// Returns true if the QP's state and the decisions so far let it send requests.
    pub fn sends(&self) -> bool {
        matches!(self.send_state, QpState::Rts | QpState::Sqd) && !self.send_fails
    }

    /// Returns true in Error and in SQE, and once a decision moves the send queue to SQE.
    pub fn send_queue_fails(&self) -> bool {
        matches!(self.send_state, QpState::Error | QpState::Sqe) || self.send_fails
    }

    /// Returns true if the device has to report the move to Error.
    pub fn has_to_fail(&self) -> bool {
        self.failing() && self.state != QpState::Reset
    }

    /// Returns the answer to a query.
    pub fn status(&self) -> QpStatus {
        QpStatus {
            state: self.state,
            expected_psn: self.responder.expected_psn,
            msn: self.responder.msn,
            next_psn: psn_of(self.requester.next),
            unacknowledged_psn: psn_of(self.requester.unacknowledged),
            ssn: self.requester.credits.ssn(),
            lsn: self.requester.lsn(),
        }
    }

    /// Returns the parameters for the QP's accesses to memory.
    pub fn window<'a>(&self, regions: &'a Regions) -> Window<'a> {
        let pd = self.attributes.pd;
        Window { regions, pd }
    }

    /// Returns the SGEs of a taken receive WQE.
    pub fn receive_sges(&self, index: u16) -> &[Sge] {
        self.receive.taken(index).map_or(&[], |r| &r.sges)
    }

    /// Returns a send WQE that was taken, or one that is complete while packets of it may still leave.
    pub fn started(&self, index: u16) -> Option<&SendWqe> {
        let answered = || self.answered.iter().rfind(|(i, _)| *i == index);
        self.send.taken(index).or_else(|| answered().map(|(_, wqe)| wqe))
    }

    /// Returns the context in which the responder judges a packet: in UC a first or only packet abandons the open
    /// message.
    pub fn met_by(&self, packet: &Packet) -> responder::Context {
        match self.attributes.service {
            Service::Uc => {
                uc::responder::met_by(&self.responder, packet.opcode().is_some_and(|o| o.begins()))
            }
            _ => self.responder.clone(),
        }
    }

    /// Returns the gate that holds a request packet back, if one does.
    pub fn gate(&self, state: QpState, plan: &Plan) -> Option<Gate> {
        match self.attributes.service {
            Service::Uc | Service::Ud => uc::requester::closed(state, plan),
            _ => requester::closed(&self.requester, state, plan),
        }
    }

    /// Returns the status of a send WQE that ends because of its own fault, and a status that may replace it. A fault
    /// of the entry comes before one of its SGEs (`requester.md` section 8).
    pub fn fault_of(&self, regions: &Regions, index: u16) -> (Status, Option<Status>) {
        if self.memory.unread(QueueSide::Send, index) {
            return (Status::LocQpOpErr, None);
        }
        let defect = self.started(index).and_then(|wqe| wqe.defect);
        let offers = |wqe: &SendWqe| self.attributes.service.offers(&wqe.request.operation);
        match defect {
            // `services.md` section 1.
            _ if !self.started(index).is_none_or(offers) => (Status::LocQpOpErr, None),
            Some(defect) => (defect.status(), None),
            None => self.fault_of_sges(regions, QueueSide::Send, index, (Status::LocProtErr, None)),
        }
    }

    /// Returns the SGEs of a taken send WQE.
    pub fn send_sges(&self, index: u16) -> &[Sge] {
        self.started(index).map_or(&[], |w| &w.request.sges)
    }

    /// Returns the SGEs of the receive WQE that the next request uses: the open one, else the next one.
    pub fn next_receive_sges(&self) -> Option<&[Sge]> {
        let request = match self.open_receive {
            Some(index) => self.receive.taken(index),
            None => self.receive.upcoming(),
        };
        request.map(|r| &r.sges[..])
    }

    /// Returns the length of that receive WQE in bytes.
    pub fn receive_room(&self) -> Option<u64> {
        self.next_receive_sges().map(total)
    }
}

/// Returns the state after a modification. A QP that the device has moved to Error or SQE meanwhile stays there
/// (`qp_cq.md` section 1, `uc.md` section 2).
fn after(state: QpState, m: &Modification) -> QpState {
    match (state, m.state) {
        (QpState::Error, QpState::Reset) => m.state,
        (QpState::Error, _) => state,
        (QpState::Sqe, QpState::Rts | QpState::Sqd) if m.from != QpState::Sqe => state,
        _ => m.state,
    }
}

/// Returns the responder of a QP that enters RTR.
fn responder_of(a: &QpAttributes, capabilities: Capabilities) -> responder::Context {
    let remote_access = capabilities.remote_access;
    responder::Context {
        pmtu: a.pmtu.bytes(),
        min_rnr_timer: a.min_rnr_timer,
        enabled: enabled(a, capabilities),
        remote_access,
        invalidates: capabilities.invalidates,
        expected_psn: a.rq_psn,
        ackable_psn: psn::subtract(a.rq_psn, 1),
        resources: Resources::new(a.max_dest_rd_atomic),
        ..Default::default()
    }
}

/// Returns the accesses that the peer may make.
fn enabled(a: &QpAttributes, capabilities: Capabilities) -> RemoteAccess {
    let remote_access = capabilities.remote_access;
    RemoteAccess {
        write: a.access.write && remote_access,
        read: a.access.read && remote_access,
        atomic: a.access.atomic && remote_access,
    }
}

fn limits_of(a: &QpAttributes, capabilities: Capabilities) -> Limits {
    Limits {
        service: a.service,
        pmtu: match a.service {
            Service::Ud => Pmtu::B4096.bytes(),
            _ => a.pmtu.bytes(),
        },
        timeout: a.timeout,
        retry_cnt: a.retry_cnt,
        rnr_retry: a.rnr_retry,
        max_rd_atomic: a.max_rd_atomic,
        ack_interval: capabilities.ack_interval,
        reads: capabilities.remote_access,
        retransmits: capabilities.retransmits,
        credits: a.service.is_reliable() && a.credits.expected,
    }
}
