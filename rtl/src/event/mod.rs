//! Events on their way to the event queue in host memory (`host::eqe`, `protocol/qp_cq.md` sections 7 and 8).
//!
//! Nothing is lost and nothing waits for software: an event is a mark of its CQ ([`crate::completion::CqNotices`]) or
//! of its QP ([`QpNotices`]) until [`EventQueue`] has a place for it.
mod event_queue;
mod port_notices;
mod qp_notices;

pub use event_queue::EventQueue;
pub use port_notices::PortNotices;
pub use qp_notices::QpNotices;
