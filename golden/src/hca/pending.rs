//! A completion that the device has to write.
use crate::verbs::{Completion, QueueSide, Status};

/// A completion that is not written yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub cqn: u32,
    pub side: QueueSide,
    /// WQE index modulo 2^16.
    pub index: u16,
    pub completion: Completion,
    /// True if the last packet of its message had SE.
    pub solicited: bool,
    /// A status that may replace the completion's.
    pub other: Option<Status>,
}

impl Pending {
    /// Returns true if the completion fits an arming for solicited completions. Any unsuccessful completion does
    /// (`qp_cq.md` section 7).
    pub fn is_solicited(&self, status: Status) -> bool {
        self.solicited || status != Status::Success
    }
}
