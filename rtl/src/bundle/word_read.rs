//! Reads of eight bytes.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Reads eight bytes of host memory, for an atomic.
    WordReadSource to WordReadSink {
        /// High while a word is requested.
        request: Out Bit,
        /// High in a cycle in which the request is taken.
        ready: In Bit,
        /// Byte address of the word, a multiple of 8.
        address: Out Bits<64>,
        /// High for one cycle when `data` is the oldest word; always taken.
        valid: In Bit,
        /// The word, byte 0 at the most significant end.
        data: In Bits<64>,
        /// With `valid`: high if host memory answered with an error.
        error: In Bit,
    }
);
