//! WQEs that are consumed.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// WQEs of a queue pair have been consumed: their slots are free. `QB`: log2 of the number of queue pairs.
    ConsumedSource to ConsumedSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Number of its WQEs that are consumed, modulo 2^16.
        item: Out Bits<16>,
    }
);
