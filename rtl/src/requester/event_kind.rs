//! Kinds of the requester's events.
use rust_hdl_core::prelude::*;

/// An event of a QP.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum EventKind {
    Modify,
    /// The responder has failed the QP.
    Fail,
    /// The responder has reported a failure of this side.
    Reported,
    /// A packet's memory may not be read.
    Fault,
    Timer,
    Response,
    Turn,
}
