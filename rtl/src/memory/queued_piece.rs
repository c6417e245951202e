//! Pieces that wait for their packet.
use hca_hdl::prelude::*;

record! {
    /// A piece of host memory for bytes of one packet.
    pub struct QueuedPiece {
        /// Byte address of the piece.
        pub address: Bits<64>,
        /// Number of its bytes.
        pub length: Bits<13>,
    }
}
