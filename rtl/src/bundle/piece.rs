//! Pieces of payload in host memory.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// The pieces of a packet's payload, in order.
    PieceSource to PieceSink {
        /// Byte address of the piece.
        address: Out Bits<64>,
        /// Number of bytes of the piece, 1 to 4096.
        length: Out Bits<13>,
        /// High with the last piece of a packet.
        last: Out Bit,
    }
);
