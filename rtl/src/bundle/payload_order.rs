//! Whose payload comes next.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Which engine, and which queue pair, the next payload is for. `QB`: log2 of the number of queue pairs.
    PayloadOrderSource<QB> to PayloadOrderSink<QB> {
        /// High while one is offered.
        valid: Out Bit,
        /// High in a cycle in which the offered one is taken.
        ready: In Bit,
        /// High if the payload is that of a response.
        response: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
    }
);
