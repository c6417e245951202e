//! Address handles, as the requester of UD needs them (`protocol/ud.md` section 1).
mod handle_row;

pub use handle_row::HandleRow;
