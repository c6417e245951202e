//! The events that the hardware reports to software (`protocol/qp_cq.md` section 8).
use super::ring::Place;
use hca_host::eqe;
use std::collections::VecDeque;

/// Number of an HCA of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HcaId(pub u32);

/// Events for software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A completion that this CQ was armed for.
    Completion { cqn: u32 },
    /// This CQ had no room for a completion and is unusable.
    CqError { cqn: u32 },
    /// The first request arrived at a QP in RTR.
    CommunicationEstablished { qpn: u32 },
    /// In SQD, every started message is complete.
    SqDrained { qpn: u32 },
    /// An invalid request was refused.
    QpRequestError { qpn: u32 },
    /// A request was refused because of its keys.
    QpAccessError { qpn: u32 },
    /// Host memory failed the QP, or one of its doorbells was refused.
    QpFatal { qpn: u32 },
    /// A request found no receive WQE: `QpInit::dry_event` was set.
    RqDry { qpn: u32 },
    /// A native port has become Active.
    PortActive { port: u8 },
    /// A native port was Active and went Down.
    PortError { port: u8 },
}

impl Event {
    /// `None` if no event has this kind.
    pub(super) fn of(kind: u8, number: u32) -> Option<Event> {
        let (cqn, qpn) = (number, number);
        let port = number as u8;
        Some(match kind {
            eqe::COMPLETION => Event::Completion { cqn },
            eqe::CQ_ERROR => Event::CqError { cqn },
            eqe::COMMUNICATION_ESTABLISHED => Event::CommunicationEstablished { qpn },
            eqe::SQ_DRAINED => Event::SqDrained { qpn },
            eqe::QP_REQUEST_ERROR => Event::QpRequestError { qpn },
            eqe::QP_ACCESS_ERROR => Event::QpAccessError { qpn },
            eqe::QP_FATAL => Event::QpFatal { qpn },
            eqe::RQ_DRY => Event::RqDry { qpn },
            eqe::PORT_ACTIVE => Event::PortActive { port },
            eqe::PORT_ERROR => Event::PortError { port },
            _ => return None,
        })
    }
}

/// Function that is called with the HCA and the CQ of a completion event (CF263).
pub type CompletionHandler = Box<dyn FnMut(HcaId, u32)>;

#[derive(Default)]
pub(super) struct Events {
    pub place: Option<Place>,
    pub read: u64,
    pub announced: u64,
    pub collected: VecDeque<Event>,
    pub keeps: bool,
    pub handler: Option<CompletionHandler>,
}
