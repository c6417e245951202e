//! Read responses that are under way.

/// Read responses that are under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// PSN of the next response.
    pub next: u32,
    /// Last PSN of the Read.
    pub last: u32,
    /// Number of bytes that have not come.
    pub(super) left: u64,
}
