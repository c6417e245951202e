//! Pieces whose bytes are to be aligned.
use hca_hdl::prelude::*;

record! {
    /// A piece for [`PieceAlign`](super::PieceAlign). First field at the least significant end of the 25 bits.
    pub struct AlignedPiece {
        /// Byte address of the piece, modulo 1024.
        pub address: Bits<10>,
        /// Number of bytes of the piece, 1 to 4096.
        pub length: Bits<13>,
        /// High with the last piece of a network header or of a payload.
        pub last: Bit,
        /// High if a value is written, not payload.
        pub value: Bit,
    }
}
