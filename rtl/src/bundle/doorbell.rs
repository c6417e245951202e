//! Doorbells of work queues.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// A write of a doorbell register. If there is no such queue pair, or if it is in Reset, the doorbell is taken
    /// without effect.
    DoorbellSource to DoorbellSink {
        /// Index of the queue pair, as software names it.
        index: Out Bits<12>,
        /// Number of WQEs posted so far, modulo 2^16.
        producer: Out Bits<16>,
    }
);
