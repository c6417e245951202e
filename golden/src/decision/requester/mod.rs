//! RC requester (`requester.md`).
mod context;
mod credit;
mod credits;
mod effect;
mod gate;
mod message;
mod plan;
mod response;
mod retry;
mod rewind;

pub use context::{psn_of, Action, Context, Late, Limits, WINDOW};
pub use credit::is_limited;
pub use credits::Credits;
pub use effect::{accept, placement};
pub use gate::{closed, is_drained, Gate};
pub use message::Message;
pub use plan::{plan, plans, send, Plan};
pub use response::{judge, Kind, Response};
pub use retry::{expire, rewind, timer_window};
pub use rewind::Rewind;

#[cfg(test)]
mod tests;
