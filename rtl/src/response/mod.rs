//! The answers that the responder owes: acks, read responses and atomic acks of each QP, in order
//! (`protocol/responder.md` section 8).
pub mod engine;
mod job;
mod job_tail;
mod made_answer;
pub mod made_answers;
pub mod originals;
pub mod packet;
pub mod permission;
pub mod queue;
pub mod report;
pub mod row;
pub mod size;
pub mod turn_reader;
pub mod under_way;

pub use engine::ResponseEngine;
pub use job::{QueuedJob, ReadProgress, ResponseJob};
pub use job_tail::JobTail;
pub use made_answer::MadeAnswer;
pub use made_answers::MadeAnswers;

/// Kind of a [`ResponseJob`]: an ack or a NAK.
pub const JOB_ACK: u8 = 0;
/// Kind of a [`ResponseJob`]: the responses of a Read.
pub const JOB_READ: u8 = 1;
/// Kind of a [`ResponseJob`]: the answer to an atomic.
pub const JOB_ATOMIC: u8 = 2;
