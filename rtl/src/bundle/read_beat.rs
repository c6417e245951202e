//! Data of reads.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// A beat of a burst. Several readers share these fields; each has its own `valid` elsewhere. `M`: bits of a beat.
    ReadBeatSource to ReadBeatSink<M> {
        /// The beat, byte 0 at the most significant end.
        item: Out Bits<M>,
        /// High with the last beat of a burst.
        last: Out Bit,
        /// High if host memory answered the beat with an error.
        error: Out Bit,
    }
);
