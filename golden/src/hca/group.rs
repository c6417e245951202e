//! A multicast group.
use std::collections::BTreeSet;

/// A multicast group: it exists from its first attach to its last detach.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// MLID; 0 on a RoCE link.
    pub mlid: u16,
    pub members: BTreeSet<u32>,
}
