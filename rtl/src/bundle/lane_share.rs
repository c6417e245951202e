//! Room that a packet takes or gives back before it stands in the queue of its VL.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// A packet that an engine makes, or that ends on its way, as [`crate::link::LaneRoom`] counts it.
    LaneShareSource to LaneShareSink {
        /// High for one cycle for each such packet.
        valid: Out Bit,
        /// With `valid`: VL of the packet; 15 if it takes no room.
        vl: Out Bits<4>,
        /// With `valid`: bytes of its payload.
        payload: Out Bits<13>,
    }
);
