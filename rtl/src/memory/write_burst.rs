//! Bursts of payload.
use hca_hdl::prelude::*;

record! {
    /// A burst whose address is to leave. First field at the least significant end of the 73 bits.
    pub struct WriteBurst {
        /// Byte address of the first beat.
        pub address: Bits<64>,
        /// Number of beats, less one.
        pub beats: Bits<8>,
        /// High for a burst of the requester, low for one of the responder.
        pub requester: Bit,
    }
}
