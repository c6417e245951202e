//! Verbs (`protocol/qp_cq.md`). A refused verb changes nothing.
use super::gather::{copy, total};
use super::queue_pair::{QueuePair, SendWqe};
use super::{Hca, QpStatus, VerbError};
use crate::psn;
use crate::verbs::{
    AsyncEvent, CompletedOperation, Completion, Defect, MemoryRegion, PortConfig, QpAttributes, QpState,
    ReceiveRequest, SendOperation, SendRequest, Service, Sge,
};
use crate::wire::frame::Link;
use crate::wire::length::MAX_MESSAGE_BYTES;
use crate::work_queue::CAPACITY;
use std::net::Ipv6Addr;
use std::ops::RangeInclusive;

/// Largest completion queue, in entries.
const MAX_CQ_ENTRIES: u32 = 1 << 15;

impl Hca {
    /// Makes completion queue `cqn` of at least `size` entries (CF245, CF246).
    pub fn create_cq(&mut self, cqn: u32, size: u32) -> Result<(), VerbError> {
        if !(1..=MAX_CQ_ENTRIES).contains(&size) {
            return Err(VerbError::CqSize(size));
        }
        if self.cqs.contains_key(&cqn) {
            return Err(VerbError::CqExists(cqn));
        }
        self.cqs.insert(cqn, Default::default());
        Ok(())
    }

    /// Makes a QP in Reset with the largest queues there are.
    pub fn create_qp(&mut self, attributes: &QpAttributes) -> Result<(), VerbError> {
        self.create_qp_with(attributes, CAPACITY, CAPACITY)
    }

    /// Makes a QP in Reset with queues of so many entries.
    pub fn create_qp_with(
        &mut self,
        attributes: &QpAttributes,
        send_entries: usize,
        receive_entries: usize,
    ) -> Result<(), VerbError> {
        self.check(attributes)?;
        if self.qps.contains_key(&attributes.qpn) {
            return Err(VerbError::QpExists(attributes.qpn));
        }
        let limit = self.capabilities.max_qps;
        if self.qps.len() >= limit {
            return Err(VerbError::TooManyQps(limit));
        }
        let qp = QueuePair::new(attributes.clone(), self.capabilities);
        let qp = qp.with_queues(send_entries, receive_entries);
        self.qps.insert(attributes.qpn, qp);
        Ok(())
    }

    /// Removes a QP and all that it knew (FB31).
    pub fn destroy_qp(&mut self, qpn: u32) -> Result<(), VerbError> {
        self.qps.remove(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        Ok(())
    }

    /// Registers a memory region; neither of its keys may be in use.
    pub fn reg_mr(&mut self, region: MemoryRegion) -> Result<(), VerbError> {
        self.regions.register(region)
    }

    /// Removes the memory region with this L_Key.
    pub fn dereg_mr(&mut self, l_key: u32) -> Result<(), VerbError> {
        self.regions.deregister(l_key)
    }

    /// Takes both keys of the memory region with this R_Key out of use, as the peer can by Send with invalidate.
    pub fn invalidate(&mut self, r_key: u32) {
        self.regions.invalidate(r_key);
    }

    /// Sets all attributes of a QP and moves it to `state` (`qp_cq.md` section 1, CF233, CF238).
    ///
    /// Reset empties both queues; the move to RTR loads the receive side from `rq_psn`, that to RTS the send
    /// side from `sq_psn`.
    pub fn modify_qp(&mut self, attributes: &QpAttributes, state: QpState) -> Result<(), VerbError> {
        self.check(attributes)?;
        let qpn = attributes.qpn;
        let mut qp = self.qps.remove(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let from = qp.state;
        let legal = transition_is_legal(from, state);
        if legal {
            qp.enter(attributes, state);
            self.tell_drained(&mut qp);
        }
        self.qps.insert(qpn, qp);
        if legal {
            Ok(())
        } else {
            Err(VerbError::Transition { qpn, from, to: state })
        }
    }

    /// Posts a send work request; the index of its WQE (CF235, CF242).
    pub fn post_send(&mut self, qpn: u32, request: SendRequest) -> Result<u16, VerbError> {
        self.post(qpn, request, None)
    }

    /// Posts a send work request whose entry software spoils: it ends as the defect says.
    pub fn post_defective(
        &mut self,
        qpn: u32,
        request: SendRequest,
        defect: Defect,
    ) -> Result<u16, VerbError> {
        self.post(qpn, request, Some(defect))
    }

    fn post(&mut self, qpn: u32, request: SendRequest, defect: Option<Defect>) -> Result<u16, VerbError> {
        self.check_send(qpn, &request)?;
        let qp = self.qps.get_mut(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let state = qp.state;
        if matches!(state, QpState::Reset | QpState::Init | QpState::Rtr) {
            return Err(VerbError::State { qpn, state });
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
        }))
    }

    /// Posts a receive work request; the index of its WQE (CF236, CF237, CF242).
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

    /// Takes the oldest asynchronous event.
    pub fn poll_async(&mut self) -> Option<AsyncEvent> {
        self.asyncs.pop_front()
    }

    /// Takes the oldest completion (CF250, CF251); none if the queue is empty or does not exist.
    pub fn poll_cq(&mut self, cqn: u32) -> Option<Completion> {
        self.cqs.get_mut(&cqn)?.pop_front()
    }

    /// State and sequence numbers of a QP.
    pub fn query(&self, qpn: u32) -> Result<QpStatus, VerbError> {
        let qp = self.qps.get(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        Ok(qp.status())
    }

    /// What a send work request must be, whatever the QP's state (`qp_cq.md` section 3).
    fn check_send(&self, qpn: u32, request: &SendRequest) -> Result<(), VerbError> {
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
        let reads = self
            .qps
            .get(&qpn)
            .is_none_or(|qp| qp.attributes.max_rd_atomic != 0);
        if operation.is_read_or_atomic() && !reads {
            return Err(VerbError::NoReadDepth(qpn));
        }
        match request.sges[..] {
            [sge] if sge.length >= 8 && sge.addr % 8 == 0 => Ok(()),
            _ if operation.is_atomic() => Err(VerbError::AtomicSge),
            _ => Ok(()),
        }
    }

    /// Bytes of a scatter/gather list, if it is a legal one (CF022, CF242).
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

    fn check(&self, a: &QpAttributes) -> Result<(), VerbError> {
        if a.service != Service::Rc {
            return Err(VerbError::Service(a.service));
        }
        check_ranges(a, &self.port)?;
        for cqn in [a.send_cq, a.receive_cq] {
            if !self.cqs.contains_key(&cqn) {
                return Err(VerbError::UnknownCq(cqn));
            }
        }
        Ok(())
    }
}

/// Transitions that software may ask for on an RC QP (`qp_cq.md` section 1).
fn transition_is_legal(from: QpState, to: QpState) -> bool {
    use QpState::*;
    matches!(
        (from, to),
        (_, Reset | Error) | (Reset | Init, Init) | (Init, Rtr) | (Rtr | Rts | Sqd, Rts) | (Rts | Sqd, Sqd)
    )
}

/// Widths of the fields that the attributes fill (`headers.csv`, `linklayer.md`, `qp_cq.md` section 2).
fn check_ranges(a: &QpAttributes, port: &PortConfig) -> Result<(), VerbError> {
    const SERIAL: RangeInclusive<u64> = 0..=psn::MASK as u64;
    let path_bits = (1 << port.lmc) - 1;
    let roce = port.link == Link::Roce;
    let lids = if roce { 0..=0 } else { 1..=0xBFFF };
    let given = u64::from(roce)..=1;
    let is_ipv4 = |gid| Ipv6Addr::from(gid).to_ipv4_mapped().is_some();
    let reachable = a
        .global
        .is_none_or(|global| !roce || is_ipv4(global.dgid) == is_ipv4(port.gid));
    let flow_label = a.global.map_or(0, |global| global.flow_label);
    let fields: [(_, u64, _, _); 15] = [
        ("qpn", a.qpn.into(), SERIAL, "below 2^24"),
        ("dest_qpn", a.dest_qpn.into(), SERIAL, "below 2^24"),
        ("sq_psn", a.sq_psn.into(), SERIAL, "below 2^24"),
        ("rq_psn", a.rq_psn.into(), SERIAL, "below 2^24"),
        (
            "dlid",
            a.dlid.into(),
            lids,
            "a unicast LID, 0001h to BFFFh; 0 on a RoCE link",
        ),
        (
            "global",
            a.global.is_some().into(),
            given.clone(),
            "given on a RoCE link",
        ),
        (
            "ethernet",
            a.ethernet.is_some().into(),
            given,
            "given on a RoCE link",
        ),
        (
            "dgid",
            reachable.into(),
            1..=1,
            "on a RoCE link an address of the port's IP version",
        ),
        ("flow_label", flow_label.into(), 0..=0xF_FFFF, "below 2^20"),
        ("sl", a.sl.into(), 0..=15, "below 16"),
        (
            "source_path_bits",
            a.source_path_bits.into(),
            0..=path_bits,
            "below 2^LMC of the port",
        ),
        ("min_rnr_timer", a.min_rnr_timer.into(), 0..=31, "below 32"),
        ("timeout", a.timeout.into(), 0..=31, "below 32"),
        ("retry_cnt", a.retry_cnt.into(), 0..=7, "below 8"),
        ("rnr_retry", a.rnr_retry.into(), 0..=7, "below 8"),
    ];
    match fields
        .into_iter()
        .find(|(_, value, legal, _)| !legal.contains(value))
    {
        Some((name, value, _, legal)) => Err(VerbError::Attribute { name, value, legal }),
        None => Ok(()),
    }
}
