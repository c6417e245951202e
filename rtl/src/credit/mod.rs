//! End-to-end credits (`protocol/aeth.md` sections 3 to 5).
//!
//! [`CreditTable`] is the code of an AETH and its credits. Of the responder [`PostedCredits`] counts, [`CreditTurns`]
//! says whose count to look at, [`UnsolicitedAck`] tells it.
mod posted;
mod table;
mod turns;
mod unsolicited;

pub use posted::PostedCredits;
pub use table::CreditTable;
pub use turns::CreditTurns;
pub use unsolicited::UnsolicitedAck;
