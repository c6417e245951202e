//! Verbs (`protocol/qp_cq.md`). A refused verb changes nothing.
use super::queue_pair::QueuePair;
use super::{Hca, QpStatus, VerbError};
use crate::psn;
use crate::verbs::{
    Completion, PortConfig, QpAttributes, QpState, ReceiveRequest, SendRequest, Service, Sge,
};
use crate::wire::frame::Link;
use std::net::Ipv6Addr;
use std::ops::RangeInclusive;

/// Largest completion queue, in entries.
const MAX_CQ_ENTRIES: u32 = 1 << 15;
/// Longest message, bytes (`headers.md` section 3).
const MAX_MESSAGE_BYTES: u64 = 1 << 31;

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

    /// Makes a QP in Reset.
    pub fn create_qp(&mut self, attributes: &QpAttributes) -> Result<(), VerbError> {
        self.check(attributes)?;
        if self.qps.contains_key(&attributes.qpn) {
            return Err(VerbError::QpExists(attributes.qpn));
        }
        self.qps
            .insert(attributes.qpn, QueuePair::new(attributes.clone()));
        Ok(())
    }

    /// Sets all attributes of a QP and moves it to `state` (`qp_cq.md` section 1, CF233, CF238).
    ///
    /// Reset empties both queues; the move to RTR loads the receive side from `rq_psn`, that to RTS the send
    /// side from `sq_psn`.
    pub fn modify_qp(&mut self, attributes: &QpAttributes, state: QpState) -> Result<(), VerbError> {
        self.check(attributes)?;
        let qpn = attributes.qpn;
        let qp = self.qps.get_mut(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let from = qp.state;
        if !transition_is_legal(from, state) {
            return Err(VerbError::Transition { qpn, from, to: state });
        }
        qp.enter(attributes, state);
        Ok(())
    }

    /// Posts a send work request; the index of its WQE (CF235, CF242).
    pub fn post_send(&mut self, qpn: u32, request: SendRequest) -> Result<u16, VerbError> {
        check_length(&request.sges)?;
        let qp = self.qps.get_mut(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let state = qp.state;
        if matches!(state, QpState::Reset | QpState::Init | QpState::Rtr) {
            return Err(VerbError::State { qpn, state });
        }
        if qp.send.is_full() {
            return Err(VerbError::QueueFull(qpn));
        }
        Ok(qp.send.post(request))
    }

    /// Posts a receive work request; the index of its WQE (CF236, CF237, CF242).
    pub fn post_receive(&mut self, qpn: u32, request: ReceiveRequest) -> Result<u16, VerbError> {
        check_length(&request.sges)?;
        let qp = self.qps.get_mut(&qpn).ok_or(VerbError::UnknownQp(qpn))?;
        let state = qp.state;
        if state == QpState::Reset {
            return Err(VerbError::State { qpn, state });
        }
        if qp.receive.is_full() {
            return Err(VerbError::QueueFull(qpn));
        }
        Ok(qp.receive.post(request))
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

fn check_length(sges: &[Sge]) -> Result<(), VerbError> {
    let length = sges.iter().map(|s| u64::from(s.length)).sum();
    if length > MAX_MESSAGE_BYTES {
        return Err(VerbError::MessageTooLong(length));
    }
    Ok(())
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
