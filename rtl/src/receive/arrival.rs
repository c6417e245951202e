//! Packets that passed the link's checks, on their way to the responder or to the requester.
use hca_hdl::prelude::*;

record! {
    /// A packet for the responder. First field at the least significant end of the 428 bits.
    pub struct RequestArrival {
        /// Arrival number.
        pub packet: Bits<32>,
        /// QPN that the packet names; of a copy for a group, QPN of the member.
        pub dest_qp: Bits<24>,
        /// DLID of the request: SLID of its answer (CF129).
        pub dlid: Bits<16>,
        /// SL of the packet.
        pub sl: Bits<4>,
        /// Opcode of the packet.
        pub opcode: Bits<8>,
        /// Solicited event bit of the BTH.
        pub solicited: Bit,
        /// AckReq bit of the BTH.
        pub ack_req: Bit,
        /// PSN of the packet.
        pub psn: Bits<24>,
        /// VA of a RETH or AtomicETH; of a datagram: network header 40 | SLID 24 | source QPN.
        pub va: Bits<64>,
        /// R_Key of a RETH, AtomicETH or IETH.
        pub r_key: Bits<32>,
        /// DMA length of a RETH.
        pub dma_len: Bits<32>,
        /// Swap or add data of an AtomicETH; of a datagram, 48 bits: source MAC address, or DLID 32.
        pub swap_add: Bits<64>,
        /// Compare data of an AtomicETH.
        pub compare: Bits<64>,
        /// Immediate data.
        pub immediate: Bits<32>,
        /// Bytes of payload, pad not counted.
        pub payload: Bits<13>,
        /// High for a packet to QP1 whose P_Key matches entry `p_key_index` of the port's table.
        pub has_p_key_index: Bit,
        /// With `has_p_key_index`: index of the entry that matches.
        pub p_key_index: Bits<2>,
        /// High for a packet to a multicast group, whether a copy or not.
        pub grouped: Bit,
        /// High for the copy that a member of the group gets.
        pub copy: Bit,
        /// High if admission refused the packet (`protocol/responder.md` section 1 steps 4 to 7).
        pub drop: Bit,
        /// With `drop`: reason of the drop (`host::retire::drop`), or 0 if the packet is dropped without a report.
        pub drop_reason: Bits<8>,
        /// High if the packet came by port 2.
        pub port: Bit,
        /// High if the packet names QP0.
        pub subnet: Bit,
        /// High if the packet names QP1.
        pub general: Bit,
    }
}

record! {
    /// A response for the requester. First field at the least significant end of the 208 bits.
    pub struct ResponseArrival {
        /// Arrival number.
        pub packet: Bits<32>,
        /// QPN that the packet names.
        pub dest_qp: Bits<24>,
        /// Opcode of the packet.
        pub opcode: Bits<8>,
        /// PSN of the packet.
        pub psn: Bits<24>,
        /// Syndrome of the AETH.
        pub syndrome: Bits<8>,
        /// MSN of the AETH.
        pub msn: Bits<24>,
        /// Original remote data of an atomic ack.
        pub original: Bits<64>,
        /// Bytes of payload, pad not counted.
        pub payload: Bits<13>,
        /// High if admission refused the packet.
        pub drop: Bit,
        /// With `drop`: reason of the drop (`host::retire::drop`).
        pub drop_reason: Bits<8>,
        /// High if this is not a packet but a notice: request packets of an unreliable QP up to `psn` have been handed
        /// to the link.
        pub own: Bit,
        /// High if the packet came by port 2.
        pub port: Bit,
    }
}
