//! Reads of indirect lists of SGEs.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Reads a line of 64 bytes of a list in host memory; at most one read is under way.
    ListReadSource to ListReadSink {
        /// High while a line is requested.
        request: Out Bit,
        /// High in a cycle in which the request is taken.
        ready: In Bit,
        /// Byte address of the line, a multiple of 64.
        address: Out Bits<64>,
        /// High for one cycle when `data` is the line; always taken.
        valid: In Bit,
        /// The line, byte 0 at the most significant end.
        data: In Bits<512>,
    }
);
