//! Words of atomics, with their places in a beat.
use hca_hdl::prelude::*;

record! {
    /// A word that is to be sent. First field at the least significant end of the 71 bits.
    pub struct PlacedWord {
        /// The word, byte 0 at the most significant end.
        pub word: Bits<64>,
        /// Byte of the beat that the word begins at.
        pub at: Bits<7>,
    }
}
