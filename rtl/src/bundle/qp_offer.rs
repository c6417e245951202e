//! A queue pair that waits to be taken.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Queue pairs, one after the other. `QB`: log2 of the number of queue pairs.
    QpOfferSource<QB> to QpOfferSink<QB> {
        /// High while `index` is offered.
        valid: Out Bit,
        /// High in a cycle in which an offered queue pair is taken.
        ready: In Bit,
        index: Out Bits<QB>,
    }
);
