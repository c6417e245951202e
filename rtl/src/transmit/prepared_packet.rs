//! Packets that wait for their turn to leave.
use super::TransmitPacket;
use hca_hdl::prelude::*;

record! {
    /// A packet between intake and departure.
    pub struct PreparedPacket {
        /// The packet.
        pub packet: TransmitPacket,
        /// High if it has payload.
        pub carries: Bit,
    }
}
