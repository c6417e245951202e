//! Reads of WQEs.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Reads entries of a work queue from host memory.
    WqeReadSource to WqeReadSink {
        /// High while a burst is requested.
        request: Out Bit,
        /// High in a cycle in which the request is taken.
        ready: In Bit,
        /// Byte address of the first entry.
        address: Out Bits<64>,
        /// Beats of the burst, less one.
        beats: Out Bits<8>,
        /// High for one cycle for each beat of a burst; always taken.
        valid: In Bit,
    }
);
