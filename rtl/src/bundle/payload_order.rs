//! The ways that arriving packets went.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// One entry for each packet, in the order of arrival, which is that of the payloads. `QB`: log2 of the number of queue pairs.
    PayloadOrderSource<QB> to PayloadOrderSink<QB> {
        /// High while one is offered.
        valid: Out Bit,
        /// High in a cycle in which the offered one is taken.
        ready: In Bit,
        /// High if the packet is a response and went to the requester, low if it went to the responder.
        response: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
    }
);
