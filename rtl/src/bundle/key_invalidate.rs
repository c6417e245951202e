//! Keys that a Send with invalidate ends.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// Takes both keys of a region out of use, named by its R_Key.
    KeyInvalidateSource to KeyInvalidateSink {
        /// The R_Key.
        key: Out Bits<32>,
        /// High while one is pending: other walkers take no request.
        hold: Out Bit,
        /// High while the other walkers are quiet, so that the invalidation may count.
        quiet: In Bit,
    }
);
