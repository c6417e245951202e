//! A packet to send, before it has its route.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

/// Kinds of [`TransmitPacket`].
pub const KIND_REQUEST: u8 = 0;
pub const KIND_READ_RESPONSE: u8 = 1;
pub const KIND_ATOMIC_ACK: u8 = 2;
/// ACK, NAK or RNR NAK.
pub const KIND_ACK: u8 = 3;

record! {
    /// A packet from an engine to the transmit path. First field at the least significant end of the 534 bits.
    pub struct TransmitPacket {
        /// One of `KIND_*`.
        pub kind: Bits<2>,
        /// High for the last packet of a read response.
        pub last: Bit,
        /// QPN of the QP of this side.
        pub qpn: Bits<24>,
        pub dlid: Bits<16>,
        pub slid: Bits<16>,
        pub sl: Bits<4>,
        pub opcode: Bits<8>,
        pub solicited: Bit,
        pub p_key: Bits<16>,
        pub dest_qp: Bits<24>,
        pub ack_req: Bit,
        pub psn: Bits<24>,
        pub va: Bits<64>,
        pub r_key: Bits<32>,
        pub dma_len: Bits<32>,
        pub swap_add: Bits<64>,
        pub compare: Bits<64>,
        pub syndrome: Bits<8>,
        pub msn: Bits<24>,
        pub original: Bits<64>,
        pub immediate: Bits<32>,
        /// Bytes, pad not counted.
        pub payload: Bits<13>,
    }
}
