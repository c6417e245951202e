//! Answer of a query of a QP.
use crate::verbs::QpState;

/// The state of a QP ([`Hca::query`](super::Hca::query)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpStatus {
    pub state: QpState,
    /// PSN that the responder expects next; 24 bits.
    pub expected_psn: u32,
    /// Number of messages completed by the responder; 24 bits.
    pub msn: u32,
    /// PSN that the requester sends next; 24 bits.
    pub next_psn: u32,
    /// Oldest PSN that is not acknowledged, 24 bits. Equal to `next_psn` when everything sent is acknowledged.
    pub unacknowledged_psn: u32,
    /// SSN of the newest send WQE taken; 24 bits.
    pub ssn: u32,
    /// Last SSN that may be sent, 24 bits; `None` if no peer limits it (`requester.md` section 4).
    pub lsn: Option<u32>,
}
