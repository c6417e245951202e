//! Packets that passed the link's checks, on their way to the responder or to the requester.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// A packet for the responder. First field at the least significant end of the 425 bits.
    pub struct RequestArrival {
        /// Arrival number.
        pub packet: Bits<32>,
        pub dest_qp: Bits<24>,
        /// DLID of the request: SLID of its answer (CF129).
        pub dlid: Bits<16>,
        pub sl: Bits<4>,
        pub opcode: Bits<8>,
        pub solicited: Bit,
        pub ack_req: Bit,
        pub psn: Bits<24>,
        /// Of a datagram: network header 40 | SLID 24 | source QPN.
        pub va: Bits<64>,
        pub r_key: Bits<32>,
        pub dma_len: Bits<32>,
        /// Of a datagram, 48 bits: source MAC address, or DLID 32.
        pub swap_add: Bits<64>,
        pub compare: Bits<64>,
        pub immediate: Bits<32>,
        /// Bytes, pad not counted.
        pub payload: Bits<13>,
        /// High for a packet to QP1 whose P_Key matches entry `p_key_index` of the port's table.
        pub has_p_key_index: Bit,
        pub p_key_index: Bits<2>,
        /// High for a packet to a multicast group, copy or not.
        pub grouped: Bit,
        /// High for the copy that a member of the group gets.
        pub copy: Bit,
        /// High if admission refused the packet (`protocol/responder.md` section 1 steps 4 to 7).
        pub drop: Bit,
        /// Reason of the drop (`host::retire::drop`), or 0: the packet vanishes without a report.
        pub drop_reason: Bits<8>,
    }
}

record! {
    /// A response for the requester. First field at the least significant end of the 207 bits.
    pub struct ResponseArrival {
        /// Arrival number.
        pub packet: Bits<32>,
        pub dest_qp: Bits<24>,
        pub opcode: Bits<8>,
        pub psn: Bits<24>,
        pub syndrome: Bits<8>,
        pub msn: Bits<24>,
        /// Original remote data of an atomic ack.
        pub original: Bits<64>,
        /// Bytes, pad not counted.
        pub payload: Bits<13>,
        /// High if admission refused the packet.
        pub drop: Bit,
        /// Reason of the drop (`host::retire::drop`).
        pub drop_reason: Bits<8>,
        /// High if it is no packet: request packets of an unreliable QP up to this PSN have been handed to the link.
        pub own: Bit,
    }
}
