//! The part of an address handle that decides on a packet; the rest is the route ([`crate::context::QpRoute`]).
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 54 bits.
    pub struct HandleRow {
        /// High if the address handle exists.
        pub exists: Bit,
        /// Protection domain of the handle.
        pub pd: Bits<24>,
        /// DLID of packets to this address.
        pub dlid: Bits<16>,
        /// SL of packets to this address.
        pub sl: Bits<4>,
        /// Source path bits: what these packets add to the port's base LID.
        pub path_bits: Bits<7>,
        /// High for a handle of port 2.
        pub port: Bit,
        /// High if the rate of the handle is below that of the port.
        pub paced: Bit,
    }
}
