//! Room that a packet takes or gives back before it stands in the queue of its VL.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// A packet that takes room in the queue of its VL or gives room back: an engine makes it, or ends it before it
    /// departs, or it departs. [`crate::link::LaneRoom`] counts it.
    LaneShareSource to LaneShareSink {
        /// High for one cycle for each such packet.
        valid: Out Bit,
        /// With `valid`: where the packet takes room: VL in bits 2:0, bit 3 high for port 2; 16 and more if it takes
        /// none.
        lane: Out Bits<5>,
        /// With `valid`: bytes of its payload.
        payload: Out Bits<13>,
    }
);
