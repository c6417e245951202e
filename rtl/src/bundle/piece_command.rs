//! Commands about pieces that are held back.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// From the engine that decides on packets to the queue of their pieces ([`crate::memory::PieceQueue`]).
    PieceCommandSource to PieceCommandSink {
        /// High while there is room for 17 pieces, a packet of 16 among them.
        ready: In Bit,
        /// High for one cycle when a packet is closed: it has the pieces pushed since the last close, this cycle
        /// included.
        close: Out Bit,
        /// High for one cycle when the oldest closed packet may leave. If none is closed, a packet may leave that has
        /// the pieces pushed since the last commit, this cycle included.
        commit: Out Bit,
        /// With `commit`: what happens to the bytes of the packet, one of `KIND_*` of [`crate::memory::piece_queue`].
        kind: Out Bits<2>,
        /// High for one cycle, never with a commit, when all pieces that are not committed, those of this cycle
        /// included, are removed.
        abort: Out Bit,
    }
);
