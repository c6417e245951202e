//! Pieces of host memory that a walk has found.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// The pieces of host memory that a walk finds ([`crate::memory::Walker`]), in order.
    FoundPieceSource to FoundPieceSink {
        /// Byte address of the piece.
        address: Out Bits<64>,
        /// Number of bytes of the piece, 1 to 4096.
        length: Out Bits<13>,
    }
);
