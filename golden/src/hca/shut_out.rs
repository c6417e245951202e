//! A packet that a port has discarded because its VL was not operational.
use crate::event::Event;

/// A packet that was discarded at its emission.
#[derive(Clone, Debug)]
pub(super) struct ShutOut {
    /// Time of the emission, in picoseconds.
    pub at: u64,
    pub event: Event,
    pub bytes: Vec<u8>,
}
