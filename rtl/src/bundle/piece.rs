//! Pieces of payload in host memory.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// The pieces of a packet's payload, in order.
    PieceSource to PieceSink {
        /// High while a piece is offered.
        valid: Out Bit,
        /// High in a cycle in which the offered piece is taken.
        ready: In Bit,
        /// Byte address.
        address: Out Bits<64>,
        /// Bytes, 1 to 4096.
        length: Out Bits<13>,
        /// High with the last piece of a packet.
        last: Out Bit,
    }
);
