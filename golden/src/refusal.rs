//! Reasons why a verb is refused. A refused verb changes nothing.
use crate::modification::Attribute;
use crate::verbs::{QpState, SendOperation, Service};
use std::fmt;
use thiserror::Error;

/// The class of a refusal, which is the same for every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A QPN, CQN or key that cannot exist in the device.
    BadIndex,
    BadSize,
    InUse,
    NotFound,
    BadTransition,
    MissingAttribute,
    ForbiddenAttribute,
    /// A value outside its limits.
    BadAttribute,
    CqFailed,
    /// A CQ that serves QP0 or QP1 and that another QP wants to use, or the other way round.
    CqReserved,
    /// The QP's state accepts no such work request.
    WrongState,
    QueueFull,
    TooManySges,
    TooLong,
    AtomicTarget,
    NoReadDepth,
    Inline,
    Unsupported,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The immediate error of a verb (`protocol/qp_cq.md`). Each comment gives the source of the rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerbError {
    #[error("QP {0:06X}h does not exist; create_qp makes it")]
    UnknownQp(u32),
    #[error("CQ {0} does not exist; create_cq makes it")]
    UnknownCq(u32),
    #[error("QPN {0:06X}h cannot be: it is too wide, or its index is that of QP0 or QP1")]
    Qpn(u32),
    #[error("CQ {cqn} cannot be; CQNs are below {limit}")]
    Cqn { cqn: u32, limit: u32 },
    #[error("QP {qpn:06X}h has the index of QP {other:06X}h, which exists; take another QPN")]
    QpExists { qpn: u32, other: u32 },
    #[error("CQ {0} exists already")]
    CqExists(u32),
    /// CF249.
    #[error("CQ {cqn} serves QP {qpn:06X}h; destroy that first")]
    CqInUse { cqn: u32, qpn: u32 },
    /// CF255.
    #[error("CQ {0} had no room for a completion and is unusable; destroy it")]
    CqFailed(u32),
    /// CF253.
    #[error("CQ {cqn} cannot serve QP {qpn:06X}h: those of QP0 and QP1 serve no other QP")]
    CqReserved { cqn: u32, qpn: u32 },
    /// `qp_cq.md` section 6, CF246.
    #[error("a completion queue of {0} entries cannot be made; ask for 1 to 32768")]
    CqSize(u32),
    /// CF247.
    #[error("CQ {cqn} holds {unpolled} completions, which {capacity} entries have no room for; poll first")]
    CqHolds { cqn: u32, unpolled: u32, capacity: u32 },
    #[error("a queue of {entries} work requests cannot be made; ask for 1 to {limit}")]
    QueueSize { entries: usize, limit: usize },
    /// `qp_cq.md` section 1, CF233.
    #[error("QP {qpn:06X}h cannot move from {from:?} to {to:?}")]
    Transition { qpn: u32, from: QpState, to: QpState },
    /// CF234.
    #[error("QP {qpn:06X}h needs {attribute:?} for this transition")]
    Missing { qpn: u32, attribute: Attribute },
    /// `qp_cq.md` section 1.
    #[error("QP {qpn:06X}h takes no {attribute:?} in this transition")]
    Forbidden { qpn: u32, attribute: Attribute },
    /// CF234.
    #[error("{name} is {value}; it must be {legal}")]
    Attribute {
        name: &'static str,
        value: u64,
        legal: &'static str,
    },
    /// `link.md` section 8.
    #[error("port is {0}; it must be a port of the device, from 1 on")]
    NoPort(u8),
    #[error("service {0:?} is not modelled yet; use Rc, Uc or Ud")]
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
    #[error("keys {l_key:08X}h and {r_key:08X}h name different entries; bits 8 and up have to be equal")]
    KeyIndex { l_key: u32, r_key: u32 },
    #[error("key {0:08X}h is in use; deregister its region first, or take another")]
    KeyExists(u32),
    #[error("no memory region has key {0:08X}h")]
    UnknownKey(u32),
    /// `ud.md` section 1.
    #[error("address handle {handle:06X}h cannot be; handles are below {limit}")]
    Handle { handle: u32, limit: u32 },
    #[error("address handle {0:06X}h exists already")]
    HandleExists(u32),
    #[error("address handle {0:06X}h does not exist; create_ah makes it")]
    UnknownHandle(u32),
    /// `special_qps.md` section 1, CF428.
    #[error("a RoCE port has no QP0")]
    NoSubnetManagement,
    /// `ud.md` section 4.1.
    #[error("QP {0:06X}h is in Reset and has no port; move it to Init to attach or detach it")]
    GroupInReset(u32),
    #[error("there are {0} multicast groups already, and no room for another")]
    TooManyGroups(usize),
    #[error("the multicast group has {limit} queue pairs already, and takes no more")]
    GroupFull { limit: usize },
    #[error("QP {qpn:06X}h is not attached to this multicast group")]
    NotAttached { qpn: u32 },
    #[error("QP {0:06X}h is attached to a multicast group; detach it first")]
    QpAttached(u32),
    /// CF022.
    #[error("a message of {0} bytes is longer than 2^31")]
    MessageTooLong(u64),
}

impl VerbError {
    /// Returns the class of this refusal.
    pub fn reason(&self) -> Reason {
        match self {
            VerbError::UnknownQp(_)
            | VerbError::UnknownCq(_)
            | VerbError::UnknownKey(_)
            | VerbError::UnknownHandle(_)
            | VerbError::NotAttached { .. } => Reason::NotFound,
            VerbError::Qpn(_)
            | VerbError::Cqn { .. }
            | VerbError::KeyIndex { .. }
            | VerbError::Handle { .. } => Reason::BadIndex,
            VerbError::QpExists { .. }
            | VerbError::CqExists(_)
            | VerbError::CqInUse { .. }
            | VerbError::KeyExists(_)
            | VerbError::HandleExists(_)
            | VerbError::QpAttached(_) => Reason::InUse,
            VerbError::CqFailed(_) => Reason::CqFailed,
            VerbError::CqReserved { .. } => Reason::CqReserved,
            VerbError::CqSize(_)
            | VerbError::CqHolds { .. }
            | VerbError::QueueSize { .. }
            | VerbError::Service(_)
            | VerbError::NoSubnetManagement
            | VerbError::TooManyGroups(_)
            | VerbError::GroupFull { .. } => Reason::BadSize,
            VerbError::Transition { .. } | VerbError::GroupInReset(_) => Reason::BadTransition,
            VerbError::Missing { .. } => Reason::MissingAttribute,
            VerbError::Forbidden { .. } => Reason::ForbiddenAttribute,
            VerbError::Attribute { .. } | VerbError::NoPort(_) => Reason::BadAttribute,
            VerbError::State { .. } => Reason::WrongState,
            VerbError::QueueFull { .. } => Reason::QueueFull,
            VerbError::TooManySges { .. } => Reason::TooManySges,
            VerbError::Inline { .. } => Reason::Inline,
            VerbError::AtomicSge => Reason::AtomicTarget,
            VerbError::NoReadDepth(_) => Reason::NoReadDepth,
            VerbError::Unsupported(_) => Reason::Unsupported,
            VerbError::MessageTooLong(_) => Reason::TooLong,
        }
    }
}
