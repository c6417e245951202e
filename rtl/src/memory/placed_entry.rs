//! Entries of rings, with their places in a beat.
use hca_hdl::prelude::*;

record! {
    /// A CQE or an EQE that is to be sent. First field at the least significant end of the 259 bits.
    pub struct PlacedEntry {
        /// The entry, byte 0 at the most significant end.
        pub entry: Bits<256>,
        /// High if the entry begins in the second 16 bytes of 32.
        pub odd: Bit,
        /// High if the entry begins in the upper 32 bytes of a beat.
        pub upper: Bit,
        /// High for an EQE.
        pub is_event: Bit,
    }
}
