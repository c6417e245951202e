//! Which VLs have room for packets.
use super::bundle;
use crate::link::LaneHolds;
use hca_hdl::prelude::*;

bundle!(
    /// Tells an engine which VLs have room in the queues before the links ([`crate::link::LaneRoom`]). An engine makes
    /// no packet for a full VL, so a VL without credits holds up no other.
    LaneHoldSource to LaneHoldSink {
        /// Which VLs of port 1 have room.
        first: Out LaneHolds,
        /// Which VLs of port 2 have room; those of port 1 if it is the only one.
        second: Out LaneHolds,
    }
);
