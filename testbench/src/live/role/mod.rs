//! What software of the adapter does with its peer, by role.
pub mod agent;
pub mod cases;
mod faults;
pub mod management;
pub mod pingpong;
pub mod rig;
pub mod rping;
pub mod soak;

/// What a case of a role came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The case, as the table has it.
    pub name: String,
    /// Operations that completed, on either side.
    pub operations: u64,
    /// What else is to be said.
    pub remark: String,
}
