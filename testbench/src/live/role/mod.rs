//! What software of the adapter does with its peer, by role.
pub mod agent;
mod case;
pub mod cases;
mod datagrams;
mod faults;
pub mod management;
mod operation;
pub mod perftest;
pub mod pingpong;
pub mod rig;
pub mod rping;
pub mod soak;

use hca_golden::verbs::EndToEndCredits;

/// Returns the credits of a connection whose peer has sent a REQ or REP with this end-to-end flow control bit. They are
/// expected of a peer that supplies them (CF540). The adapter itself announces that it supplies none.
pub fn credits_with(flow_control: bool) -> EndToEndCredits {
    EndToEndCredits {
        supplied: false,
        expected: flow_control,
    }
}

/// The result of a case of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Name of the case in the table.
    pub name: String,
    /// Number of operations that completed, on either side.
    pub operations: u64,
    /// A remark for the table.
    pub remark: String,
}
