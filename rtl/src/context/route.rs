//! The network part of a queue pair's address: arguments 14 to 21 of `MODIFY_QP` (`host::command::modify_qp`), kept
//! verbatim in a block RAM row.
//!
//! Fields named `unused_*` are bits without a meaning.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// First field at the least significant end of the 256 bits.
    pub struct QpRoute {
        pub dest_mac: Bits<48>,
        pub source_port: Bits<16>,
        /// For RoCEv2, the IP address; an IPv4 address a.b.c.d as ::ffff:a.b.c.d.
        pub dgid: Bits<128>,
        pub hop_limit: Bits<8>,
        pub traffic_class: Bits<8>,
        pub unused_hop: Bits<16>,
        pub flow_label: Bits<20>,
        pub unused_grh: Bits<11>,
        /// High if packets carry a GRH, or the IP header in its place.
        pub has_grh: Bit,
    }
}
