//! Completions on their way to the rings in host memory.
mod queue;

pub use queue::CompletionQueue;

use rust_hdl_core::prelude::*;

/// A completion, before it has a place in a ring. First field at the least significant end of the 158 bits.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct CompletionRecord {
    pub cqn: Bits<16>,
    pub qpn: Bits<24>,
    /// Of the WQE.
    pub index: Bits<16>,
    /// `host::cqe`, numbered as in `protocol/qp_cq.md` section 5.
    pub status: Bits<8>,
    pub receive: Bit,
    pub operation: Bits<8>,
    pub byte_count: Bits<32>,
    pub has_immediate: Bit,
    pub immediate: Bits<32>,
    pub has_p_key_index: Bit,
    /// Entry of the port's P_Key table.
    pub p_key_index: Bits<2>,
    /// Packets of its side whose writes come before it, modulo 2^16.
    pub fence: Bits<16>,
    /// `immediate` holds the R_Key that the message invalidated.
    pub has_invalidated: Bit,
}
