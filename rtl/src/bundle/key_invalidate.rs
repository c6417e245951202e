//! Keys that a Send with Invalidate ends.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// Invalidates both keys of the region with this R_Key.
    KeyInvalidateSource to KeyInvalidateSink {
        /// The R_Key.
        key: Out Bits<32>,
        /// High while an invalidation is pending: other walkers take no request.
        hold: Out Bit,
        /// High while the other walkers are quiet, so that the invalidation may take effect.
        quiet: In Bit,
    }
);
