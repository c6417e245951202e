//! Reads of indirect lists of SGEs.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Reads lines of 64 bytes of a list in host memory, answered in order. `M`: bits of a beat.
    ListReadSource to ListReadSink<M> {
        /// High while a line is requested.
        request: Out Bit,
        /// High in a cycle in which the request is taken.
        ready: In Bit,
        /// Byte address of the line, a multiple of 64.
        address: Out Bits<64>,
        /// High for each cycle that brings a beat; always taken.
        valid: In Bit,
        /// The beat, byte 0 at the most significant end.
        data: In Bits<M>,
        /// High with the last beat of a line.
        last: In Bit,
        /// High if host memory answered the beat with an error.
        error: In Bit,
    }
);
