//! What the engines and the wire blocks tell each other about a packet.
use rust_hdl_core::prelude::*;

/// A received packet. The first field is at the least significant end of the 219 bits.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct RxHeader {
    /// Arrival number, from 0, dropped packets counted.
    pub packet: Bits<32>,
    pub slid: Bits<16>,
    pub dlid: Bits<16>,
    pub sl: Bits<4>,
    pub opcode: Bits<8>,
    pub solicited: Bit,
    pub p_key: Bits<16>,
    pub dest_qp: Bits<24>,
    pub ack_req: Bit,
    pub psn: Bits<24>,
    /// Of the AETH; 0 without one.
    pub syndrome: Bits<8>,
    /// Of the AETH; 0 without one.
    pub msn: Bits<24>,
    /// Of the ImmDt, RC and UC; 0 without one.
    pub immediate: Bits<32>,
    /// Bytes, pad not counted.
    pub payload: Bits<13>,
}
