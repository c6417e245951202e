//! The receive side: one engine decides on every inbound packet, requests and responses alike.
pub mod acks;
mod arrival;
pub mod decision;
pub mod engine;
pub mod fit;
pub mod p_key_match;
pub mod partition;

pub use acks::AckSchedule;
pub use arrival::{RequestArrival, ResponseArrival};
pub use decision::ReceiveDecision;
pub use engine::ReceiveEngine;
pub use fit::FitDecision;
pub use p_key_match::PKeyMatch;
pub use partition::PartitionCheck;
