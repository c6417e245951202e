//! Pieces of payload as an engine plans them.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// The pieces of a packet's payload, in order; a packet without payload has one piece of length 0.
    PlannedPieceSource to PlannedPieceSink {
        /// Byte address of the piece.
        address: Out Bits<64>,
        /// Number of bytes of the piece, 0 to 4096.
        length: Out Bits<13>,
        /// High if the length is 0.
        nothing: Out Bit,
        /// High with the last piece of a packet.
        last: Out Bit,
    }
);
