//! The network part of a queue pair's address: arguments 14 to 21 of `MODIFY_QP` (`host::command::modify_qp`), kept
//! verbatim in a block RAM row.
//!
//! Fields named `unused_*` are bits without a meaning.
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 256 bits.
    pub struct QpRoute {
        /// MAC address of packets to the peer, over Ethernet.
        pub dest_mac: Bits<48>,
        /// UDP source port of packets to the peer, over Ethernet.
        pub source_port: Bits<16>,
        /// GID of the peer; for RoCEv2 its IP address, IPv4 a.b.c.d as ::ffff:a.b.c.d.
        pub dgid: Bits<128>,
        /// Hop limit of the GRH, or TTL of an IPv4 header.
        pub hop_limit: Bits<8>,
        /// Traffic class of the GRH.
        pub traffic_class: Bits<8>,
        /// IPD: how many times as long as a packet the pause behind it is ([`crate::control::StaticRate`]).
        pub delay: Bits<6>,
        pub unused_hop: Bits<10>,
        /// Flow label of the GRH.
        pub flow_label: Bits<20>,
        /// Entry of the port's GID table that is the source GID.
        pub sgid_index: Bits<2>,
        pub unused_grh: Bits<9>,
        /// High if packets carry a GRH, or the IP header in its place.
        pub has_grh: Bit,
    }
}
