//! Atomics that have begun.
use hca_hdl::prelude::*;

record! {
    /// What [`Atomic`](super::Atomic) keeps of an atomic until it is operated. First field at the least significant end
    /// of the 219 bits.
    pub struct BegunAtomic {
        /// Value that CompareSwap writes or FetchAdd adds.
        pub swap_add: Bits<64>,
        /// Value that CompareSwap compares memory with.
        pub compare: Bits<64>,
        /// Slot in which the original value is kept, zero-extended.
        pub slot: Bits<16>,
        /// Number of the operation, modulo 64.
        pub number: Bits<6>,
        /// Number of the operation whose result it takes.
        pub source: Bits<6>,
        /// High if it takes a result instead of reading.
        pub takes_result: Bit,
        /// High for FetchAdd, low for CompareSwap.
        pub fetch_add: Bit,
        /// Byte address of the word, divided by 8.
        pub word: Bits<61>,
    }
}
