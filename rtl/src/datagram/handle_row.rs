//! The part of an address handle that decides on a packet; the rest is the route ([`crate::context::RouteFields`]).
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// First field at the least significant end of the 52 bits. The port is not here: there is one.
    pub struct HandleRow {
        pub exists: Bit,
        /// Protection domain.
        pub pd: Bits<24>,
        pub dlid: Bits<16>,
        pub sl: Bits<4>,
        /// Source path bits.
        pub path_bits: Bits<7>,
    }
}
