//! A packet to send as the engines describe it to the packet builder.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// A packet to send. The first field is at the least significant end of the 998 bits.
    ///
    /// The opcode says which extended headers the packet has (`protocol/opcodes.csv`); fields of other headers are
    /// ignored, and so are the link and network fields of the framing that the builder is not made for.
    pub struct TxHeader {
        pub dlid: Bits<16>,
        pub slid: Bits<16>,
        pub sl: Bits<4>,
        pub vl: Bits<4>,
        /// High if a native packet has a GRH; RoCEv2 ignores it.
        pub has_grh: Bit,
        /// High if a RoCEv2 packet has an IPv4 header, `sgid` and `dgid` being ::ffff:a.b.c.d; low for IPv6.
        pub ipv4: Bit,
        /// TClass of the GRH or of IPv6, TOS of IPv4.
        pub traffic_class: Bits<8>,
        pub flow_label: Bits<20>,
        /// HopLmt of the GRH, hop limit of IPv6, TTL of IPv4.
        pub hop_limit: Bits<8>,
        pub sgid: Bits<128>,
        pub dgid: Bits<128>,
        pub dest_mac: Bits<48>,
        pub source_mac: Bits<48>,
        /// Of UDP.
        pub source_port: Bits<16>,
        pub opcode: Bits<8>,
        pub solicited: Bit,
        /// BTH.M.
        pub migrated: Bit,
        pub p_key: Bits<16>,
        pub dest_qp: Bits<24>,
        pub ack_req: Bit,
        pub psn: Bits<24>,
        /// RDETH.
        pub ee_context: Bits<24>,
        /// DETH.
        pub q_key: Bits<32>,
        /// DETH.
        pub source_qp: Bits<24>,
        /// RETH, AtomicETH.
        pub va: Bits<64>,
        /// RETH, AtomicETH, IETH.
        pub r_key: Bits<32>,
        /// RETH, bytes.
        pub dma_len: Bits<32>,
        /// AtomicETH: swap or add data.
        pub swap_add: Bits<64>,
        /// AtomicETH.
        pub compare: Bits<64>,
        /// AETH.
        pub syndrome: Bits<8>,
        /// AETH.
        pub msn: Bits<24>,
        /// AtomicAckETH: original remote data.
        pub original: Bits<64>,
        /// ImmDt.
        pub immediate: Bits<32>,
        /// Bytes, 0 to 4096, pad not counted.
        pub payload: Bits<13>,
    }
}
