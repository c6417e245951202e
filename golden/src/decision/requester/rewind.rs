//! A pending retry.
use crate::event::RewindCause;

/// A pending retry: the requester has to send again from a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewind {
    pub position: u64,
    pub cause: RewindCause,
    /// Earliest time at which the requester may send again, in picoseconds.
    pub not_before: u64,
    /// Number of requests that were sent in the old order since the decision.
    pub late: u32,
}
