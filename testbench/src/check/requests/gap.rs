//! A gap: requests that are missing.
use super::open::Open;
use hca_golden::psn;

/// PSNs that did not come, and what was known before them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// The first missing PSN.
    pub(super) expected: u32,
    /// PSN and packet that came instead.
    pub(super) found: u32,
    pub(super) packet: u64,
    pub(super) messages: u32,
    pub(super) taken: u32,
    pub(super) open: Option<Open>,
}

impl Gap {
    /// Returns true if this PSN is missing, or is the one after the missing ones if the packet that came instead was a
    /// stray one.
    pub(super) fn holds(&self, psn: u32) -> bool {
        let beyond = psn::difference(psn, self.expected);
        beyond == 0 || beyond > 0 && psn::difference(self.found, psn) > 0
    }
}
