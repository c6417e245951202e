//! A received packet as the link's receive side hands it to the engines.
use hca_hdl::prelude::*;

record! {
    /// A received packet; the first field is at the least significant end of the 1019 bits. Fields of headers that the
    /// packet does not have are 0.
    pub struct RxHeader {
        /// Arrival number of the packet, from 0; dropped packets count.
        pub packet: Bits<32>,
        /// SLID of the LRH; 0 over Ethernet.
        pub slid: Bits<16>,
        /// DLID of the LRH; 0 over Ethernet.
        pub dlid: Bits<16>,
        /// SL of the LRH; 0 over Ethernet.
        pub sl: Bits<4>,
        /// High if the packet has a GRH (LNH 11); always high over Ethernet, where the IP header takes its place.
        pub has_grh: Bit,
        /// High if the packet has an IPv4 header.
        pub ipv4: Bit,
        /// TClass of the GRH or of IPv6, or TOS of IPv4.
        pub traffic_class: Bits<8>,
        /// Flow label of the GRH or of IPv6.
        pub flow_label: Bits<20>,
        /// HopLmt of the GRH, hop limit of IPv6, or TTL of IPv4.
        pub hop_limit: Bits<8>,
        /// Source GID; IPv4 as ::ffff:a.b.c.d.
        pub sgid: Bits<128>,
        /// Destination GID: the port's, or that of a multicast group; IPv4 as ::ffff:a.b.c.d.
        pub dgid: Bits<128>,
        /// Source MAC address of the Ethernet header.
        pub source_mac: Bits<48>,
        /// Source port of the UDP header.
        pub source_port: Bits<16>,
        /// Opcode of the BTH.
        pub opcode: Bits<8>,
        /// SE of the BTH.
        pub solicited: Bit,
        /// M of the BTH.
        pub migrated: Bit,
        /// FECN of the BTH.
        pub fecn: Bit,
        /// BECN of the BTH.
        pub becn: Bit,
        /// P_Key of the BTH.
        pub p_key: Bits<16>,
        /// QPN of the queue pair that the destination QP of the BTH names at the port of the packet
        /// (`protocol/link.md` section 8).
        pub dest_qp: Bits<24>,
        /// AckReq of the BTH.
        pub ack_req: Bit,
        /// PSN of the BTH.
        pub psn: Bits<24>,
        /// EE context of the RDETH.
        pub ee_context: Bits<24>,
        /// Q_Key of the DETH.
        pub q_key: Bits<32>,
        /// Source QP of the DETH.
        pub source_qp: Bits<24>,
        /// Virtual address of the RETH or AtomicETH.
        pub va: Bits<64>,
        /// R_Key of the RETH, AtomicETH or IETH.
        pub r_key: Bits<32>,
        /// DMA length of the RETH, in bytes.
        pub dma_len: Bits<32>,
        /// Swap or add data of the AtomicETH.
        pub swap_add: Bits<64>,
        /// Compare data of the AtomicETH.
        pub compare: Bits<64>,
        /// Syndrome of the AETH.
        pub syndrome: Bits<8>,
        /// MSN of the AETH.
        pub msn: Bits<24>,
        /// Original remote data of the AtomicAckETH.
        pub original: Bits<64>,
        /// Immediate data of the ImmDt.
        pub immediate: Bits<32>,
        /// Bytes of payload, 0 to 4096, pad not counted.
        pub payload: Bits<13>,
        /// Low 32 bits of the destination MAC address of a frame; bit 32 is high for the address of an IPv6 group.
        pub dest_mac: Bits<33>,
        /// High if the destination MAC address is that of a group.
        pub group_mac: Bit,
        /// High if the destination QP, the DLID or the destination MAC address is one of multicast (`protocol/ud.md`
        /// section 4).
        pub for_group: Bit,
        /// High for a copy of a multicast packet of the port itself; `packet` is then arbitrary.
        pub own: Bit,
        /// High if the packet came by port 2.
        pub port: Bit,
        /// High if the packet names QP0; with `general`, if it names no queue pair that there can be.
        pub subnet: Bit,
        /// High if the packet names QP1.
        pub general: Bit,
    }
}
