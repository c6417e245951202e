//! The state of a completion queue as software and hardware know it.
use std::fmt;

/// The state of a completion queue that software and hardware both keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CqBooks {
    /// Byte address of its ring.
    pub address: u64,
    /// Number of CQEs, at least as many as requested.
    pub entries: u32,
    /// Number of CQEs written, and number that the hardware knows to be polled, each modulo 2^16.
    pub producer: u16,
    pub consumer: u16,
}

impl fmt::Display for CqBooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CqBooks {
            address,
            entries,
            producer,
            consumer,
        } = self;
        write!(
            f,
            "{producer} CQEs written and {consumer} consumed in a ring of {entries} at {address:X}h"
        )
    }
}
