//! The tables of VL arbitration.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// From the registers of software ([`crate::control::VlArbitration`]) to the send side.
    VlArbitrationSource to VlArbitrationSink {
        /// The high table. Entry `n`: VL in bits `12 * n + 11 : 12 * n + 8`, weight in bits `12 * n + 7 : 12 * n`.
        high: Out Bits<96>,
        /// The low table, in the same way.
        low: Out Bits<96>,
        /// Units of 4096 bytes that the high table may send before the low table sends a packet. With 0 it sends one
        /// packet, with 255 there is no limit.
        limit: Out Bits<8>,
        /// High for one cycle when a table or the limit has changed.
        anew: Out Bit,
    }
);
