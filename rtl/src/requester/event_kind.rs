//! Kinds of the requester's events.
use hca_hdl::prelude::*;

/// An event of a QP.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum EventKind {
    /// `MODIFY_QP` waits.
    Modify,
    /// The responder has failed the QP.
    Fail,
    /// The responder has reported a failure of the requester.
    Reported,
    /// A packet's memory may not be read.
    Fault,
    /// The ack timer or the RNR wait has expired.
    Timer,
    /// A response has arrived, or a packet of an unreliable service was handed to the link.
    Response,
    /// The QP has its turn ([`super::Scheduler`]).
    Turn,
}
