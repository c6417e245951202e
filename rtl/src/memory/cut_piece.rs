//! Pieces of requests, cut where their network headers end.
use hca_hdl::prelude::*;

record! {
    /// A piece as [`PieceCut`](super::PieceCut) gives it. First field at the least significant end of the 81 bits.
    pub struct CutPiece {
        /// Byte address of the piece.
        pub address: Bits<64>,
        /// Number of bytes of the piece, 0 to 4096.
        pub length: Bits<13>,
        /// High if an atomic operates on the eight bytes of the piece.
        pub atomic: Bit,
        /// High for a piece of the packet's network header.
        pub prefix: Bit,
        /// High with the last piece of the network header or of the payload.
        pub last: Bit,
        /// High with the last piece of a packet.
        pub ends: Bit,
    }
}
