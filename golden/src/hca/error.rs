//! Why a verb was refused; nothing changed then.
use crate::verbs::{QpState, Service};
use thiserror::Error;

/// Immediate error of a verb (`protocol/qp_cq.md`).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerbError {
    #[error("QP {0:06X}h does not exist; create_qp makes it")]
    UnknownQp(u32),
    #[error("CQ {0} does not exist; create_cq makes it")]
    UnknownCq(u32),
    #[error("QP {0:06X}h exists already")]
    QpExists(u32),
    #[error("CQ {0} exists already")]
    CqExists(u32),
    /// `qp_cq.md` section 6, CF246.
    #[error("a completion queue of {0} entries cannot be made; ask for 1 to 32768")]
    CqSize(u32),
    /// `qp_cq.md` section 1, CF233.
    #[error("QP {qpn:06X}h cannot move from {from:?} to {to:?}")]
    Transition { qpn: u32, from: QpState, to: QpState },
    /// CF234.
    #[error("{name} is {value}; it must be {legal}")]
    Attribute {
        name: &'static str,
        value: u64,
        legal: &'static str,
    },
    #[error("service {0:?} is not modelled yet; use Rc")]
    Service(Service),
    /// CF235, CF236.
    #[error("QP {qpn:06X}h is in {state:?}, which takes no such work request")]
    State { qpn: u32, state: QpState },
    /// CF242.
    #[error("the queue of QP {0:06X}h holds 32768 work requests and takes no more")]
    QueueFull(u32),
    /// CF022.
    #[error("a message of {0} bytes is longer than 2^31")]
    MessageTooLong(u64),
}
