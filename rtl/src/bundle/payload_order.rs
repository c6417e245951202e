//! The destinations of arriving packets.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// One entry for each packet, in the order of arrival, which is the order of the payloads. `QB`: log2 of the number
    /// of queue pairs.
    PayloadOrderSource to PayloadOrderSink<QB> {
        /// High if the packet is a response and went to the requester, low if it went to the responder.
        response: Out Bit,
        /// High if the payload is needed again, for the packet of the next entry.
        keeps: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
    }
);
