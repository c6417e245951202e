//! Data of reads.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// A beat of a burst that several readers may have asked for; who has is named elsewhere. `M`: bits of a beat.
    ReadBeatSource to ReadBeatSink<M> {
        /// Byte 0 at the most significant end.
        item: Out Bits<M>,
        /// High with the last beat of a burst.
        last: Out Bit,
        /// High if host memory answered the beat with an error.
        error: Out Bit,
    }
);
