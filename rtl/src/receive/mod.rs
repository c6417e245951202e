//! The receive side: one engine decides on every inbound packet, requests and responses alike.
pub mod acks;
mod admission;
mod arrival;
pub mod decision;
mod dispatch;
pub mod engine;
pub mod fit;
pub mod p_key_match;
pub mod partition;
mod side;
mod source;

pub use acks::AckSchedule;
pub use admission::Admission;
pub use arrival::{RequestArrival, ResponseArrival};
pub use decision::ReceiveDecision;
pub use dispatch::Dispatch;
pub use engine::ReceiveEngine;
pub use fit::FitDecision;
pub use p_key_match::PKeyMatch;
pub use partition::PartitionCheck;
pub use side::ReceiveSide;
pub use source::SourceCheck;
