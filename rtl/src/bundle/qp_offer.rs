//! A queue pair that waits to be taken.
use super::offer;
use rust_hdl_core::prelude::*;

offer!(
    /// Offers queue pairs, one after the other. `QB`: log2 of the number of queue pairs.
    QpOfferSource to QpOfferSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
    }
);
