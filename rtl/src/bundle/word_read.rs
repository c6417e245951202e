//! Reads of eight bytes.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Reads eight bytes of host memory, for an atomic.
    WordReadSource to WordReadSink {
        /// High while a word is asked for.
        request: Out Bit,
        /// High in a cycle in which the request is taken.
        ready: In Bit,
        /// Byte address, a multiple of 8.
        address: Out Bits<64>,
        /// High for one cycle when `data` is the oldest word; always taken.
        valid: In Bit,
        /// Byte 0 at the most significant end.
        data: In Bits<64>,
        /// High if host memory answered with an error.
        error: In Bit,
    }
);
