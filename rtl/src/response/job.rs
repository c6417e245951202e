//! One answer that the responder has decided on.
use rust_hdl_core::prelude::*;

/// First field at the least significant end of the 274 bits.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct ResponseJob {
    /// One of `JOB_*`.
    pub kind: Bits<2>,
    /// Of this side.
    pub qpn: Bits<24>,
    /// Of the answer; of a Read that of its first response.
    pub psn: Bits<24>,
    /// Of an ack or NAK.
    pub syndrome: Bits<8>,
    pub msn: Bits<24>,
    /// DLID of the request.
    pub slid: Bits<16>,
    /// Of the request.
    pub sl: Bits<4>,
    /// Of a Read: from here on.
    pub va: Bits<64>,
    /// Of a Read; of an atomic the queue keeps its number here ([`super::originals::Originals`]).
    pub r_key: Bits<32>,
    /// Bytes to read.
    pub length: Bits<32>,
    /// Resource of an atomic, below 16.
    pub slot: Bits<4>,
    /// Packets of the responder whose writes come before it.
    pub fence: Bits<16>,
    /// Of its last response.
    pub last_psn: Bits<24>,
}
