//! The receive side: admits every inbound packet and hands it to the responder or to the requester.
mod admission;
mod arrival;
mod dispatch;
mod multicast;
pub mod p_key_match;
pub mod partition_check;
mod passage_mark;
mod receive_side;
mod replicator;
mod source_check;
mod violation_copy;
mod violation_turn;

pub use admission::Admission;
pub use arrival::{RequestArrival, ResponseArrival};
pub use dispatch::Dispatch;
pub use multicast::Multicast;
pub use p_key_match::PKeyMatch;
pub use partition_check::PartitionCheck;
pub use passage_mark::PassageMark;
pub use receive_side::ReceiveSide;
pub use replicator::Replicator;
pub use source_check::SourceCheck;
pub use violation_copy::ViolationCopy;
pub use violation_turn::ViolationTurn;
