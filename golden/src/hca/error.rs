//! Why a verb was refused; nothing changed then.
use crate::verbs::{QpState, SendOperation, Service};
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
    #[error("the device has no more than {0} QPs; destroy one first")]
    TooManyQps(usize),
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
    #[error("the queue of QP {qpn:06X}h holds {entries} work requests that no completion has told of, and takes no more")]
    QueueFull { qpn: u32, entries: usize },
    /// CF242.
    #[error("{count} SGEs are more than the {limit} that a work request may have")]
    TooManySges { count: usize, limit: usize },
    /// `qp_cq.md` section 3: Send and Write alone, up to the device's limit.
    #[error(
        "{bytes} bytes of {operation:?} cannot be inline; it must be a Send or a Write of at most {limit}"
    )]
    Inline {
        operation: SendOperation,
        bytes: u64,
        limit: u32,
    },
    /// CF244.
    #[error("an atomic needs one SGE of at least 8 bytes at a multiple of 8")]
    AtomicSge,
    /// `qp_cq.md` section 3.
    #[error("QP {0:06X}h has max_rd_atomic 0, so that it can ask for no Read or atomic")]
    NoReadDepth(u32),
    #[error("the device does not support {0:?}")]
    Unsupported(SendOperation),
    #[error("key {0:08X}h is in use; deregister its region first, or take another")]
    KeyExists(u32),
    #[error("no memory region has key {0:08X}h")]
    UnknownKey(u32),
    /// CF022.
    #[error("a message of {0} bytes is longer than 2^31")]
    MessageTooLong(u64),
}
