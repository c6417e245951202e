//! The send side: which QP sends next, which packet, and what an ack completes.
pub mod completer;
pub mod decision;
pub mod engine;
pub mod scheduler;

pub use completer::Completer;
pub use decision::SendDecision;
pub use engine::SendEngine;
pub use scheduler::Scheduler;
