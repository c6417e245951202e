//! The receive side: admits every inbound packet and hands it to the responder or to the requester.
mod admission;
mod arrival;
mod dispatch;
mod multicast;
pub mod p_key_match;
pub mod partition;
mod passage_mark;
mod replicator;
mod side;
mod source;

pub use admission::Admission;
pub use arrival::{RequestArrival, ResponseArrival};
pub use dispatch::Dispatch;
pub use multicast::Multicast;
pub use p_key_match::PKeyMatch;
pub use partition::PartitionCheck;
pub use passage_mark::PassageMark;
pub use replicator::Replicator;
pub use side::ReceiveSide;
pub use source::SourceCheck;
