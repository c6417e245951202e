//! A received packet as the link's receive side hands it to the engines.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// A received packet; the first field is at the least significant end of the 1016 bits. Fields of headers that the
    /// packet does not have are 0.
    pub struct RxHeader {
        /// Arrival number, from 0, dropped packets counted.
        pub packet: Bits<32>,
        /// Of the LRH.
        pub slid: Bits<16>,
        /// Of the LRH.
        pub dlid: Bits<16>,
        /// Of the LRH.
        pub sl: Bits<4>,
        /// High if the packet has a GRH (LNH 11); over Ethernet always, where the IP header takes its place.
        pub has_grh: Bit,
        /// High if the packet has an IPv4 header.
        pub ipv4: Bit,
        /// TClass of the GRH or of IPv6, or TOS of IPv4.
        pub traffic_class: Bits<8>,
        pub flow_label: Bits<20>,
        /// HopLmt of the GRH, hop limit of IPv6, or TTL of IPv4.
        pub hop_limit: Bits<8>,
        /// IPv4 as ::ffff:a.b.c.d.
        pub sgid: Bits<128>,
        /// As `sgid`; the port's, or that of a multicast group.
        pub dgid: Bits<128>,
        /// Of the Ethernet header.
        pub source_mac: Bits<48>,
        /// Of the UDP header.
        pub source_port: Bits<16>,
        pub opcode: Bits<8>,
        pub solicited: Bit,
        pub migrated: Bit,
        pub fecn: Bit,
        pub becn: Bit,
        pub p_key: Bits<16>,
        pub dest_qp: Bits<24>,
        pub ack_req: Bit,
        pub psn: Bits<24>,
        /// Of the RDETH.
        pub ee_context: Bits<24>,
        /// Of the DETH.
        pub q_key: Bits<32>,
        /// Of the DETH.
        pub source_qp: Bits<24>,
        /// Of the RETH or AtomicETH.
        pub va: Bits<64>,
        /// Of the RETH, AtomicETH or IETH.
        pub r_key: Bits<32>,
        /// Of the RETH.
        pub dma_len: Bits<32>,
        /// Swap or add data of the AtomicETH.
        pub swap_add: Bits<64>,
        /// Compare data of the AtomicETH.
        pub compare: Bits<64>,
        /// Of the AETH.
        pub syndrome: Bits<8>,
        /// Of the AETH.
        pub msn: Bits<24>,
        /// Original remote data of the AtomicAckETH.
        pub original: Bits<64>,
        /// Of the ImmDt.
        pub immediate: Bits<32>,
        /// Bytes, 0 to 4096, pad not counted.
        pub payload: Bits<13>,
        /// Low 32 bits of the destination MAC address of a frame; bit 32: high for one of an IPv6 group.
        pub dest_mac: Bits<33>,
        /// High if that is the address of a group.
        pub group_mac: Bit,
        /// High if the destination QP, the DLID or the destination MAC address is one of multicast (`protocol/ud.md`
        /// section 4).
        pub for_group: Bit,
        /// High for a copy of a multicast packet of the port itself; `packet` is any.
        pub own: Bit,
    }
}
