//! Operands of atomics.
use hca_hdl::prelude::*;

record! {
    /// What an atomic needs besides its address. First field at the least significant end of the 145 bits.
    pub struct AtomicJob {
        /// Value that CompareSwap writes or FetchAdd adds.
        pub swap_add: Bits<64>,
        /// Value that CompareSwap compares memory with.
        pub compare: Bits<64>,
        /// Slot in which the original value is kept, zero-extended.
        pub slot: Bits<16>,
        /// High for FetchAdd, low for CompareSwap.
        pub fetch_add: Bit,
    }
}
