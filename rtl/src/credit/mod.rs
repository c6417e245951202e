//! End-to-end credits (`protocol/aeth.md` sections 3 to 5).
//!
//! [`CreditTable`] is the code of an AETH and its credits.
mod table;

pub use table::CreditTable;
