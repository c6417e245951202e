//! What the requester's events are.
use rust_hdl_core::prelude::*;

/// An event of a QP.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum EventKind {
    Modify,
    /// The responder failed.
    Fail,
    /// The responder has reported that this side failed.
    Reported,
    /// A packet's memory may not be read.
    Fault,
    Timer,
    Response,
    Turn,
}
