//! Posting of work requests (`protocol/qp_cq.md` section 3). A refused request changes nothing.
use super::send_wqe::SendWqe;
use super::window::{copy, total};
use super::Hca;
use crate::refusal::VerbError;
use crate::verbs::{
    CompletedOperation, Defect, QpState, QueueSide, ReceiveRequest, SendOperation, SendRequest, Sge,
};
use crate::wire::length::MAX_MESSAGE_BYTES;

impl Hca {
    /// Posts a send work request and returns the index of its WQE (CF235, CF242).
    pub fn post_send(&mut self, qpn: u32, request: SendRequest) -> Result<u16, VerbError> {
        self.post(qpn, request, None)
    }

    /// Posts a send work request with a defective entry. The WQE ends as the defect requires.
    pub fn post_defective(
        &mut self,
        qpn: u32,
        request: SendRequest,
        defect: Defect,
    ) -> Result<u16, VerbError> {
        self.post(qpn, request, Some(defect))
    }

    fn post(&mut self, qpn: u32, request: SendRequest, defect: Option<Defect>) -> Result<u16, VerbError> {
        self.check_send(&request)?;
        let qp = self.qps.get_mut(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let state = qp.state;
        // A QP that has to fail takes work as a QP in Error does (`qp_cq.md` section 1), because the event may have
        // reached software.
        let starts = matches!(state, QpState::Reset | QpState::Init | QpState::Rtr);
        if starts && !qp.has_to_fail() {
            return Err(VerbError::State { qpn, state });
        }
        // The depth is unset in a QP that came to Error without RTS.
        let depth = qp.standing.max_rd_atomic.unwrap_or(0);
        let reads = qp.attributes.service.is_reliable() && request.operation.is_read_or_atomic();
        if reads && depth == 0 {
            return Err(VerbError::NoReadDepth(qpn));
        }
        if qp.send.is_full() {
            let entries = qp.send.capacity();
            return Err(VerbError::QueueFull { qpn, entries });
        }
        let inline = request.inline.then(|| copy(&self.memory, &request.sges));
        Ok(qp.send.post(SendWqe {
            request,
            inline,
            defect,
            stood: self.regions.stood(),
        }))
    }

    /// Posts a receive work request and returns the index of its WQE (CF236, CF237, CF242).
    pub fn post_receive(&mut self, qpn: u32, request: ReceiveRequest) -> Result<u16, VerbError> {
        self.check_sges(&request.sges)?;
        let qp = self.qps.get_mut(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let state = qp.state;
        if state == QpState::Reset {
            return Err(VerbError::State { qpn, state });
        }
        if qp.receive.is_full() {
            let entries = qp.receive.capacity();
            return Err(VerbError::QueueFull { qpn, entries });
        }
        Ok(qp.receive.post(request))
    }

    /// Posts a list of send work requests. Returns `Err` with the place in the list of the first refused request, and
    /// the reason. Those before it stay posted; those behind it are not (CF243).
    pub fn post_sends(&mut self, qpn: u32, requests: &[SendRequest]) -> Result<(), (usize, VerbError)> {
        requests.iter().enumerate().try_for_each(|(n, request)| {
            let posted = self.post_send(qpn, request.clone());
            posted.map(drop).map_err(|e| (n, e))
        })
    }

    /// Posts a list of receive work requests, as [`post_sends`](Self::post_sends) does for the send queue.
    pub fn post_receives(&mut self, qpn: u32, requests: &[ReceiveRequest]) -> Result<(), (usize, VerbError)> {
        requests.iter().enumerate().try_for_each(|(n, request)| {
            let posted = self.post_receive(qpn, request.clone());
            posted.map(drop).map_err(|e| (n, e))
        })
    }

    /// Rings a doorbell without a post. The device has to refuse an impossible one. If the QP is in Reset or does not
    /// exist, nothing happens.
    pub fn ring_directly(&mut self, qpn: u32, side: QueueSide, producer: u16) {
        let Some(qp) = self.qps.get_mut(&qpn).filter(|qp| qp.state != QpState::Reset) else {
            return;
        };
        // Each post rings, so the last doorbell carried the number of posted WQEs, whether the device has reported it
        // or not.
        let said = match side {
            QueueSide::Send => qp.send.posted(),
            QueueSide::Receive => qp.receive.posted(),
        };
        if producer != said {
            qp.bad_doorbells.push_back((side, producer));
        }
    }

    /// Makes the checks of a send work request that apply in any state of its QP (`qp_cq.md` section 3).
    fn check_send(&self, request: &SendRequest) -> Result<(), VerbError> {
        let operation = request.operation;
        let invalidates = matches!(operation, SendOperation::SendWithInvalidate { .. });
        let is_rdma = operation.is_read_or_atomic() || operation.completed() == CompletedOperation::Write;
        let supported =
            (self.capabilities.invalidates || !invalidates) && (self.capabilities.remote_access || !is_rdma);
        if !supported {
            return Err(VerbError::Unsupported(operation));
        }
        let bytes = self.check_sges(&request.sges)?;
        let limit = self.capabilities.max_inline;
        if request.inline && (!operation.carries_data() || bytes > limit.into()) {
            return Err(VerbError::Inline {
                operation,
                bytes,
                limit,
            });
        }
        match request.sges[..] {
            [sge] if sge.length >= 8 && sge.addr % 8 == 0 => Ok(()),
            _ if operation.is_atomic() => Err(VerbError::AtomicSge),
            _ => Ok(()),
        }
    }

    /// Returns the length of a scatter/gather list in bytes, or why the list is illegal (CF022, CF242).
    fn check_sges(&self, sges: &[Sge]) -> Result<u64, VerbError> {
        let (count, limit) = (sges.len(), self.capabilities.max_sges);
        if count > limit {
            return Err(VerbError::TooManySges { count, limit });
        }
        let length = total(sges);
        if length > MAX_MESSAGE_BYTES {
            return Err(VerbError::MessageTooLong(length));
        }
        Ok(length)
    }
}
