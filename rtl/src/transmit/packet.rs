//! A packet to send, before it has its route.
use hca_hdl::prelude::*;

/// Kind of a [`TransmitPacket`]: a request.
pub const KIND_REQUEST: u8 = 0;
/// A read response.
pub const KIND_READ_RESPONSE: u8 = 1;
/// An atomic ack.
pub const KIND_ATOMIC_ACK: u8 = 2;
/// An ACK, NAK or RNR NAK.
pub const KIND_ACK: u8 = 3;

record! {
    /// A packet from an engine to the transmit path. First field at the least significant end of the 372 bits.
    ///
    /// Extension headers share their bits, as no packet has two that do (`protocol/opcodes.csv`).
    pub struct TransmitPacket {
        /// One of `KIND_*`.
        pub kind: Bits<2>,
        /// High for the last packet of a read response.
        pub last: Bit,
        /// QPN of the QP of this side.
        pub qpn: Bits<24>,
        /// DLID of the packet.
        pub dlid: Bits<16>,
        /// SLID of the packet.
        pub slid: Bits<16>,
        /// SL of the packet.
        pub sl: Bits<4>,
        /// Opcode of the packet.
        pub opcode: Bits<8>,
        /// Solicited event bit of the BTH.
        pub solicited: Bit,
        /// Index into the P_Key table of the port, which is read when the packet departs.
        pub p_key_index: Bits<2>,
        /// QPN of the peer.
        pub dest_qp: Bits<24>,
        /// AckReq bit of the BTH.
        pub ack_req: Bit,
        /// PSN of the packet.
        pub psn: Bits<24>,
        /// VA of a RETH or AtomicETH; original data of an AtomicAckETH; of a datagram its address handle.
        pub va: Bits<64>,
        /// R_Key of a RETH, AtomicETH or IETH; syndrome 8 | MSN 24 of an AETH; Q_Key of a DETH.
        pub r_key: Bits<32>,
        /// Swap or add data of an AtomicETH; DMA length 32 of a RETH | ImmDt 32.
        pub swap_add: Bits<64>,
        /// Compare data of an AtomicETH.
        pub compare: Bits<64>,
        /// Bytes of payload, pad not counted.
        pub payload: Bits<13>,
        /// High if the packet takes its turn and is not sent: a datagram longer than the MTU of the port.
        pub discard: Bit,
        /// Place whose room the packet takes ([`crate::link::PacketLane`]).
        pub lane: Bits<5>,
        /// High if the packet leaves by port 2.
        pub port: Bit,
        /// High for a datagram of QP0.
        pub subnet: Bit,
        /// High for a datagram of QP1.
        pub general: Bit,
        /// Mark of a packet that is paced ([`crate::link::RateSources`]), else 0.
        pub mark: Bits<3>,
    }
}
