//! The events that the hardware reports to software (`protocol/qp_cq.md` section 8).
use super::ring::Place;
use hca_host::eqe;
use std::collections::VecDeque;

/// Number of an HCA on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HcaId(pub u32);

/// An event for software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// This CQ has a completion for which it was armed.
    Completion { cqn: u32 },
    /// This CQ had no room for a completion and is unusable.
    CqError { cqn: u32 },
    /// The first request arrived at a QP in RTR.
    CommunicationEstablished { qpn: u32 },
    /// In SQD, every started message is complete.
    SqDrained { qpn: u32 },
    /// An invalid request was refused.
    QpRequestError { qpn: u32 },
    /// A request was refused because its keys do not permit it.
    QpAccessError { qpn: u32 },
    /// Host memory failed the QP, or the adapter refused one of its doorbells.
    QpFatal { qpn: u32 },
    /// A request found no receive WQE, and `QpInit::dry_event` was set.
    RqDry { qpn: u32 },
    /// A native port has become Active.
    PortActive { port: u8 },
    /// A native port was Active and went Down.
    PortError { port: u8 },
    /// The violation latch of a native port holds a violation, or held one that was released since.
    Violation { port: u8 },
}

impl Event {
    /// Returns the event of this kind; `None` if no event has this kind.
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
            eqe::VIOLATION => Event::Violation { port },
            _ => return None,
        })
    }
}

/// A function that is called with the HCA and the CQ of a completion event (CF263).
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
