//! Atomics that have been operated.
use hca_hdl::prelude::*;

record! {
    /// What [`Atomic`](super::Atomic) keeps of an atomic until its write is acknowledged. First field at the least
    /// significant end of the 82 bits.
    pub struct OperatedAtomic {
        /// Value that memory held before.
        pub original: Bits<64>,
        /// Slot in which the original value is kept, zero-extended.
        pub slot: Bits<16>,
        /// High if the atomic writes.
        pub writes: Bit,
        /// High if host memory failed the read.
        pub failed: Bit,
    }
}
