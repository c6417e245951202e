//! End-to-end credits (`protocol/aeth.md` sections 3 to 5).
//!
//! [`CreditTable`] encodes and decodes the credits of an AETH. For the responder, [`PostedCredits`] counts them,
//! [`CreditTurns`] chooses the QP to look at, and [`UnsolicitedAck`] advertises them. For the requester,
//! [`CreditLimit`] computes what an answer allows, [`CreditStanding`] what a QP may do with it.
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
