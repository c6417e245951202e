//! End-to-end credits (`protocol/aeth.md` sections 3 to 5).
//!
//! [`CreditTable`] is the code of an AETH and its credits. Of the responder [`PostedCredits`] counts, [`CreditTurns`]
//! says whose count to look at, [`UnsolicitedAck`] tells it. Of the requester [`CreditLimit`] is what an answer allows,
//! [`CreditStanding`] what a QP may do with it.
mod limit;
mod posted;
mod standing;
mod table;
mod turns;
mod unsolicited;

pub use limit::CreditLimit;
pub use posted::PostedCredits;
pub use standing::CreditStanding;
pub use table::CreditTable;
pub use turns::CreditTurns;
pub use unsolicited::UnsolicitedAck;
