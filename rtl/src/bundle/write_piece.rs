//! Pieces of host memory that are written.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// The pieces of a packet's payload, in order.
    WritePieceSource to WritePieceSink {
        /// Byte address of the piece.
        address: Out Bits<64>,
        /// Number of bytes of the piece, 0 to 4096.
        length: Out Bits<13>,
        /// What is written: one of `KIND_*` of [`crate::memory::piece_queue`].
        kind: Out Bits<2>,
        /// High with the last piece of a packet.
        last: Out Bit,
    }
);
