//! Parts of the rings that the device may fail to read.
use crate::verbs::QueueSide;

/// A part of the data that software shares with the device, whatever its address. Indices of WQEs are modulo 2^16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingPart {
    Wqe {
        qpn: u32,
        side: QueueSide,
        index: u16,
    },
    /// The four SGEs from `first` on, a multiple of 4, of a WQE with an indirect list.
    Sges {
        qpn: u32,
        side: QueueSide,
        index: u16,
        first: u8,
    },
    /// [`INLINE_LINE`](RingPart::INLINE_LINE) bytes of the copy of inline data, from `offset` on. `offset` is a
    /// multiple of that number.
    Inline {
        qpn: u32,
        index: u16,
        offset: u16,
    },
    /// CQE `index`, modulo the queue's entries, and the other CQE of its pair of an even and an odd index.
    Cqe {
        cqn: u32,
        index: u32,
    },
}

impl RingPart {
    /// Number of bytes of inline data that fail together.
    pub const INLINE_LINE: u16 = 64;
}
