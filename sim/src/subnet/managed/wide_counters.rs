//! Counters of 64 bits, built on registers of 32 bits.
use crate::driver::PortCounter;

/// The 64-bit counters, by their select bits, with the adapter's 32-bit counters on which they are built.
pub(super) const WIDE: [(u16, PortCounter); 4] = [
    (0x0001, PortCounter::XmitData),
    (0x0002, PortCounter::RcvData),
    (0x0004, PortCounter::XmitPackets),
    (0x0008, PortCounter::RcvPackets),
];

/// A 64-bit count of all that a register has counted, even if a manager has cleared the register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wide {
    pub count: u64,
    /// Value of the register at the last read.
    pub register: u32,
}

/// The counts of [`WIDE`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WideCounters(pub [Wide; WIDE.len()]);
