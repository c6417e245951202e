//! What the hardware remembers of a completion queue: a row of block RAM.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// First field at the least significant end of the 102 bits.
    pub struct CqContext {
        /// Ring, 64-byte aligned.
        pub base: Bits<64>,
        /// log2 of its CQEs.
        pub log_size: Bits<4>,
        /// CQEs written, modulo 2^16.
        pub producer: Bits<16>,
        /// CQEs polled, as far as software's doorbells say, modulo 2^16.
        pub consumer: Bits<16>,
        /// Created and not destroyed.
        pub exists: Bit,
        /// A completion found no room (`protocol/qp_cq.md` section 6).
        pub failed: Bit,
    }
}
