//! What of the rings may be lost to the device.
use crate::verbs::QueueSide;

/// Something that software shares with the device, wherever it lies. Indices of WQEs are modulo 2^16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingPart {
    Wqe {
        qpn: u32,
        side: QueueSide,
        index: u16,
    },
    /// SGE `first`, a multiple of 4, and the three behind it, of a WQE whose SGEs stand in a list of their own.
    Sges {
        qpn: u32,
        side: QueueSide,
        index: u16,
        first: u8,
    },
    /// [`INLINE_LINE`](RingPart::INLINE_LINE) bytes from `offset`, a multiple of that, on of the copy of inline data.
    Inline {
        qpn: u32,
        index: u16,
        offset: u16,
    },
    /// CQE `index`, modulo the queue's entries, and the one beside it, the other of an even and an odd.
    Cqe {
        cqn: u32,
        index: u32,
    },
}

impl RingPart {
    /// Bytes of inline data that are lost together.
    pub const INLINE_LINE: u16 = 64;
}
