//! What the model knows about an earlier number of operational VLs (`link.md` section 3).

/// A number of operational VLs by which the device may still go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Former {
    pub data_vls: u8,
    /// Time from which it does not, in picoseconds; `None` while the change is under way.
    pub until: Option<u64>,
}
