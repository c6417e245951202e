//! End-to-end credits (`protocol/aeth.md` sections 3 to 5).
//!
//! [`CreditTable`] encodes and decodes the credits of an AETH. For the responder, [`PostedCredits`] counts them,
//! [`CreditTurns`] chooses the QP to look at, and [`UnsolicitedAck`] advertises them. For the requester,
//! [`CreditLimit`] computes what an answer allows, [`CreditStanding`] what a QP may do with it.
mod limit;
mod posted_credits;
mod standing;
mod table;
mod turns;
mod unsolicited_ack;

pub use limit::CreditLimit;
pub use posted_credits::PostedCredits;
pub use standing::CreditStanding;
pub use table::CreditTable;
pub use turns::CreditTurns;
pub use unsolicited_ack::UnsolicitedAck;
