//! Doorbells of work queues.
use super::offer;
use rust_hdl_core::prelude::*;

offer!(
    /// What software wrote into a doorbell register. One beyond the queue pairs there are, or of one in Reset, is taken
    /// without effect.
    DoorbellSource to DoorbellSink {
        /// Index of the queue pair, as software names it.
        index: Out Bits<12>,
        /// WQEs posted so far, modulo 2^16.
        producer: Out Bits<16>,
    }
);
