//! Outcomes of verbs.
use hca_golden::extended_counters::ExtendedCounters;
use hca_golden::modification::QpChanges;
use hca_golden::port::PortState;
pub use hca_golden::refusal::Reason;
use hca_golden::verbs::{AddressHandle, HcaAttributes, KeyViolation, QpState};

/// The answer to a successful verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// Answer to a verb that makes or resizes a CQ: its number of entries, at least as many as requested.
    Entries(u32),
    /// Answer to a query of a CQ.
    Cq {
        /// Number of entries, at least as many as requested.
        entries: u32,
        failed: bool,
    },
    /// Answer to a query of a QP.
    Qp {
        state: QpState,
        /// All attributes of the QP; 0 if they were never set since Reset.
        attributes: QpChanges,
    },
    /// Answer to a query of an address handle: its attributes as they were set.
    Ah(AddressHandle),
    /// Answer to a query of a counter of the port.
    PortCounter(u32),
    /// Answer to a query of the port's 64-bit counters.
    ExtendedCounters(Box<ExtendedCounters>),
    /// Answer to a query of the port's violation latch; `None` if it is free.
    Violation(Option<Box<KeyViolation>>),
    /// Answer to a query of the port's state.
    PortState(PortState),
    /// Answer to a query of the device.
    Hca(Box<HcaAttributes>),
}

/// The refusal of a verb by the device. The verb changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {reason}")]
pub struct Refusal {
    pub code: Reason,
    /// The refusal as text.
    pub reason: String,
}
