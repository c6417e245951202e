//! Requests that are missing, perhaps only in the capture.
use super::super::finding::Rule;
use hca_golden::psn;

/// PSNs that are missing, as the packet after them showed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole {
    pub(super) first: u32,
    pub(super) last: u32,
    pub packet: u64,
    pub rule: Rule,
    /// True once an answer has shown that only the capture lacks them.
    pub(super) proven: bool,
}

/// An answer to a PSN that had not been seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Early {
    pub(super) psn: u32,
    pub(super) packet: u64,
    /// True if the answer acknowledges the PSN, false if it refuses it.
    pub(super) taken: bool,
}

impl Hole {
    pub(super) fn holds(&self, psn: u32) -> bool {
        psn::difference(psn, self.first) >= 0 && psn::difference(self.last, psn) >= 0
    }
}
