//! Keys that a Send with Invalidate ends.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// Invalidates the region that this R_Key names: neither of its two keys can be used afterwards.
    KeyInvalidateSource to KeyInvalidateSink {
        /// R_Key of the region.
        key: Out Bits<32>,
        /// High while an invalidation is pending: other walkers take no request.
        hold: Out Bit,
        /// High while the other walkers are quiet, so that the invalidation may take effect.
        quiet: In Bit,
    }
);
