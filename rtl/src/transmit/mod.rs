//! The way out: which packet enters the builder next.
pub mod arbiter;
mod departure;
mod intake;
mod packet;
mod packet_fields;
mod path;
mod routing;
mod sent_psn;

pub use arbiter::TransmitArbiter;
pub use departure::Departure;
pub use intake::Intake;
pub use packet::{TransmitPacket, KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE, KIND_REQUEST};
pub use packet_fields::PacketFields;
pub use path::TransmitPath;
pub use routing::Routing;
pub use sent_psn::SentPsn;

use rust_hdl_core::prelude::*;

/// A request packet, decided and waiting.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct RequestRecord {
    pub dlid: Bits<16>,
    pub slid: Bits<16>,
    pub sl: Bits<4>,
    pub opcode: Bits<8>,
    pub solicited: Bit,
    pub p_key: Bits<16>,
    pub dest_qp: Bits<24>,
    pub ack_req: Bit,
    pub psn: Bits<24>,
    /// Bytes, pad not counted.
    pub payload: Bits<13>,
    /// Of this side.
    pub qpn: Bits<24>,
}
