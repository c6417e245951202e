//! Doorbells of work queues.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// What software wrote into a doorbell register. One beyond the queue pairs there are, or of one in Reset, is taken
    /// without effect.
    DoorbellSource to DoorbellSink {
        /// High while one is offered.
        valid: Out Bit,
        /// High in a cycle in which the offered one is taken.
        ready: In Bit,
        /// Index of the queue pair, as software names it.
        index: Out Bits<12>,
        /// WQEs posted so far, modulo 2^16.
        producer: Out Bits<16>,
    }
);
