//! What becomes of a verb.
use hca_golden::modification::QpChanges;
pub use hca_golden::refusal::Reason;
use hca_golden::verbs::QpState;

/// What a granted verb answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// Of a query.
    Cq {
        /// At least as many as were asked for.
        entries: u32,
        failed: bool,
    },
    /// Of a query.
    Qp {
        state: QpState,
        /// All that the QP has; 0 where nothing was set since Reset.
        attributes: QpChanges,
    },
}

/// The device refused a verb; nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {reason}")]
pub struct Refusal {
    pub code: Reason,
    /// In words.
    pub reason: String,
}
