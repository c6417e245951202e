//! What the responder owes: acks, read responses and atomic acks of each QP, in order (`protocol/responder.md` section 8).
mod job;

pub use job::ResponseJob;

/// Kinds of [`ResponseJob`].
pub const JOB_ACK: u8 = 0;
pub const JOB_READ: u8 = 1;
pub const JOB_ATOMIC: u8 = 2;
