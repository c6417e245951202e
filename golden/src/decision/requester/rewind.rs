//! A pending retry.
use crate::event::RewindCause;

/// A pending retry: the requester has to send again from a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewind {
    pub position: u64,
    pub cause: RewindCause,
    /// Earliest moment, in picoseconds.
    pub not_before: u64,
    /// Requests sent since the decision, in the old order.
    pub late: u32,
}
