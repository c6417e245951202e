//! A packet to send as the engines describe it to the packet builder.
use hca_hdl::prelude::*;

record! {
    /// A packet to send. The first field is at the least significant end of the 998 bits.
    ///
    /// The opcode says which extended headers the packet has (`protocol/opcodes.csv`); fields of other headers are
    /// ignored, and so are the link and network fields of the framing that the builder is not made for.
    pub struct TxHeader {
        /// DLID of the LRH.
        pub dlid: Bits<16>,
        /// SLID of the LRH.
        pub slid: Bits<16>,
        /// SL of the LRH.
        pub sl: Bits<4>,
        /// VL of the LRH.
        pub vl: Bits<4>,
        /// High if a native packet has a GRH; RoCEv2 ignores it.
        pub has_grh: Bit,
        /// High if a RoCEv2 packet has an IPv4 header, `sgid` and `dgid` being ::ffff:a.b.c.d; low for IPv6.
        pub ipv4: Bit,
        /// TClass of the GRH or of IPv6, or TOS of IPv4.
        pub traffic_class: Bits<8>,
        /// Flow label of the GRH or of IPv6.
        pub flow_label: Bits<20>,
        /// HopLmt of the GRH, hop limit of IPv6, or TTL of IPv4.
        pub hop_limit: Bits<8>,
        /// Source GID.
        pub sgid: Bits<128>,
        /// Destination GID.
        pub dgid: Bits<128>,
        /// Destination MAC address of the Ethernet header.
        pub dest_mac: Bits<48>,
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
        /// P_Key of the BTH.
        pub p_key: Bits<16>,
        /// Destination QP of the BTH.
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
    }
}
