//! Counters of 64 bits above registers of 32 bits.
use crate::driver::PortCounter;

/// The counters of 64 bits, by their select bits, above the adapter's of 32 bits.
pub(super) const WIDE: [(u16, PortCounter); 4] = [
    (0x0001, PortCounter::XmitData),
    (0x0002, PortCounter::RcvData),
    (0x0004, PortCounter::XmitPackets),
    (0x0008, PortCounter::RcvPackets),
];

/// A count of 64 bits: what a register has counted, whenever a manager has cleared the register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wide {
    pub count: u64,
    /// The register when it was last read.
    pub register: u32,
}

/// The counts of [`WIDE`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WideCounters(pub [Wide; WIDE.len()]);
