//! What both software and hardware know of a completion queue.
use std::fmt;

/// State of a completion queue that both software and hardware keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CqBooks {
    /// Byte address of its ring.
    pub address: u64,
    /// Number of CQEs, at least as many as requested.
    pub entries: u32,
    /// CQEs written, and CQEs that the hardware knows to be polled, modulo 2^16.
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
