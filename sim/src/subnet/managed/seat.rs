//! What the agents' side of an adapter keeps for each port.
use super::super::attribute::PortCountersExtended;

/// State of a port for which the adapter has no register.
#[derive(Clone, Debug, Default)]
pub struct Seat {
    /// The 64-bit counters as they were when a manager cleared each of them.
    pub cleared: PortCountersExtended,
    /// An event said that the violation latch has taken a violation, and nobody has read it.
    pub is_violated: bool,
}
