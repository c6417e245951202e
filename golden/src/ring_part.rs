//! Parts of the rings that may be unreadable for the device.
use crate::verbs::QueueSide;

/// Data that software shares with the device, at any address. Indices of WQEs are modulo 2^16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingPart {
    Wqe {
        qpn: u32,
        side: QueueSide,
        index: u16,
    },
    /// SGE `first`, a multiple of 4, and the three behind it, of a WQE with an indirect list.
    Sges {
        qpn: u32,
        side: QueueSide,
        index: u16,
        first: u8,
    },
    /// [`INLINE_LINE`](RingPart::INLINE_LINE) bytes of the copy of inline data, from `offset` on, a multiple of that
    /// number.
    Inline {
        qpn: u32,
        index: u16,
        offset: u16,
    },
    /// CQE `index`, modulo the queue's entries, and its neighbour: the even and the odd one of a pair.
    Cqe {
        cqn: u32,
        index: u32,
    },
}

impl RingPart {
    /// Bytes of inline data that fail together.
    pub const INLINE_LINE: u16 = 64;
}
