//! Packets that are committed.
use hca_hdl::prelude::*;

record! {
    /// What a queue of pieces keeps of a committed packet.
    pub struct QueuedPacket {
        /// Number of its last piece; its first is 0.
        pub last_number: Bits<5>,
        /// High if it has no pieces.
        pub empty: Bit,
        /// Its kind, such as [`super::piece_queue::KIND_DATA`].
        pub kind: Bits<2>,
    }
}
