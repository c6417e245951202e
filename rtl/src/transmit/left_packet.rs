//! Packets between the routing and the link.
use hca_hdl::prelude::*;

record! {
    /// What [`Spoil`](super::Spoil) keeps of a packet until its last beat leaves. First field at the least significant
    /// end of the 139 bits.
    pub struct LeftPacket {
        /// High if the packet has payload.
        pub carries: Bit,
        /// High if the packet is a read response.
        pub response: Bit,
        /// QPN of the queue pair of this side.
        pub qpn: Bits<24>,
        /// PSN of the packet.
        pub psn: Bits<24>,
        /// MSN of the packet.
        pub msn: Bits<24>,
        /// QPN of the peer.
        pub dest_qp: Bits<24>,
        /// SLID of the packet.
        pub slid: Bits<16>,
        /// DLID of the packet.
        pub dlid: Bits<16>,
        /// Index of the packet's P_Key in the table.
        pub p_key_index: Bits<2>,
        /// SL of the packet.
        pub sl: Bits<4>,
        /// High if the packet is a request of an unreliable service.
        pub unreliable: Bit,
        /// High if the packet is a multicast datagram.
        pub multicast: Bit,
        /// High if the packet leaves by port 2.
        pub port: Bit,
    }
}
