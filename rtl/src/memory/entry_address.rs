//! Addresses of entries of rings.
use hca_hdl::prelude::*;

record! {
    /// The address of an entry that is to leave. First field at the least significant end of the 65 bits.
    pub struct EntryAddress {
        /// Byte address of the beat that the entry is in.
        pub address: Bits<64>,
        /// High for an EQE.
        pub is_event: Bit,
    }
}
