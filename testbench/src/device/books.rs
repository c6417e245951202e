//! What the model says at the end of a run.
use super::Outcome;
use hca_golden::extended_counters::ExtendedCounters;
use hca_golden::verbs::{Arming, KeyViolation, PortCounter};
use std::ops::RangeInclusive;

/// What the queue pairs, the completion queues and the ports of a device must read as when a run is over.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// Each queue pair, and the answer to a query of it.
    pub qps: Vec<(u32, Outcome)>,
    /// Each completion queue that works, and for what it is armed.
    pub armings: Vec<(u32, Arming)>,
    /// A port, a counter of it, and the values that the counter may have.
    pub counters: Vec<(u8, PortCounter, RangeInclusive<u32>)>,
    /// A port, and the lowest and the highest values that its 64-bit counters may have.
    pub extended: Vec<(u8, RangeInclusive<ExtendedCounters>)>,
    /// A port, and what its violation latch may hold; `None` stands for a free latch.
    pub latches: Vec<(u8, Vec<Option<KeyViolation>>)>,
}
