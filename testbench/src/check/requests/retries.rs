//! How often one packet has been sent again.
use hca_golden::psn;

/// Retries of one packet, the oldest that has no answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Retries {
    pub(super) psn: Option<u32>,
    /// Number of retries since an answer last acknowledged something.
    pub(super) times: u32,
    pub(super) rnr_times: u32,
    /// An RNR NAK has named the packet since it was last sent.
    pub(super) not_ready: bool,
}

impl Retries {
    pub(super) fn at(&mut self, psn: u32) -> &mut Retries {
        if self.psn != Some(psn) {
            *self = Retries {
                psn: Some(psn),
                ..Retries::default()
            };
        }
        self
    }

    /// Notes an RNR NAK for this PSN.
    pub fn not_ready(&mut self, psn: u32) {
        self.at(psn).not_ready = true;
    }

    /// Notes that everything up to this PSN is acknowledged.
    pub fn progress(&mut self, psn: u32) {
        if self.psn.is_some_and(|of| psn::difference(psn, of) >= 0) {
            *self = Retries::default();
        }
    }
}
