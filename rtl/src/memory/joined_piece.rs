//! Pieces whose bytes are to be joined.
use hca_hdl::prelude::*;

record! {
    /// A piece for [`PieceJoin`](super::PieceJoin). First field at the least significant end of the 20 bits.
    pub struct JoinedPiece {
        /// Byte of its first beat at which the piece begins.
        pub offset: Bits<6>,
        /// Number of bytes of the piece, 1 to 4096.
        pub length: Bits<13>,
        /// High with the last piece of a packet.
        pub last: Bit,
    }
}
