//! The context of a completion queue: a row of block RAM.
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 102 bits.
    pub struct CqContext {
        /// Byte address of the ring, a multiple of 64.
        pub base: Bits<64>,
        /// Log2 of the number of its CQEs.
        pub log_size: Bits<4>,
        /// Number of CQEs written, modulo 2^16.
        pub producer: Bits<16>,
        /// Number of CQEs polled according to software's doorbells, modulo 2^16.
        pub consumer: Bits<16>,
        /// High if the CQ has been created and not destroyed.
        pub exists: Bit,
        /// High if a completion found no room (`protocol/qp_cq.md` section 6).
        pub failed: Bit,
    }
}
