//! Words of atomics.
use hca_hdl::prelude::*;

record! {
    /// A word as it was read or computed. First field at the least significant end of the 65 bits.
    pub struct AtomicWord {
        /// The word.
        pub word: Bits<64>,
        /// High if host memory failed the read of the word.
        pub error: Bit,
    }
}
