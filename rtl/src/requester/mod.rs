//! The requester: which QP sends, what it sends, and what its responses bring about (`protocol/requester.md`).
pub mod completer;
pub mod scheduler;
pub mod timers;

pub use completer::Completer;
pub use scheduler::Scheduler;
pub use timers::Timers;
