//! Address handles, as the requester of UD needs them (`protocol/ud.md` section 1), and multicast groups (section 4).
mod gid_kind;
mod group_row;
mod group_table;
mod handle_row;
mod membership;

pub use gid_kind::GidKind;
pub use group_row::{GroupMatch, GroupRow, MemberRow};
pub use group_table::GroupTable;
pub use handle_row::HandleRow;
pub use membership::{GroupFacts, Membership};
