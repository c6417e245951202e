//! Commands that move the payload of arrived packets on, or drop it.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// Asks for the payload of the oldest packet, or drops it.
    PayloadCommandSource to PayloadCommandSink {
        /// High to drop the payload; no beats follow.
        discard: Out Bit,
        /// High for the network header of the packet, before its payload.
        prefix: Out Bit,
        /// High if the payload is needed again, for the next packet.
        keeps: Out Bit,
    }
);
