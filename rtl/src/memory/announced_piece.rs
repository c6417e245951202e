//! Pieces whose bursts are to be announced.
use hca_hdl::prelude::*;

record! {
    /// A piece for [`WriteSplit`](super::WriteSplit). First field at the least significant end of the 80 bits.
    pub struct AnnouncedPiece {
        /// Byte address of the piece.
        pub address: Bits<64>,
        /// Number of bytes of the piece, 0 to 4096.
        pub length: Bits<13>,
        /// High with the last piece of a packet.
        pub last: Bit,
        /// High for a piece of the requester, low for one of the responder.
        pub requester: Bit,
        /// High if an atomic operates on the eight bytes of the piece.
        pub atomic: Bit,
    }
}
