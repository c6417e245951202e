//! Pieces of responses.
use hca_hdl::prelude::*;

record! {
    /// A piece that a response is written to. First field at the least significant end of the 80 bits.
    pub struct ResponsePiece {
        /// Byte address of the piece.
        pub address: Bits<64>,
        /// Number of bytes of the piece, 0 to 4096.
        pub length: Bits<13>,
        /// One of `KIND_*` of [`piece_queue`](super::piece_queue): `KIND_ATOMIC` if an original value is written.
        pub kind: Bits<2>,
        /// High with the last piece of a packet.
        pub last: Bit,
    }
}
