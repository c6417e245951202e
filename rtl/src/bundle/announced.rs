//! WQEs that are announced.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// The number of announced WQEs of a queue pair has changed ([`crate::queue::Prefetch`]). `QB`: log2 of the number
    /// of queue pairs.
    AnnouncedSource to AnnouncedSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Number of its WQEs announced, modulo 2^16.
        producer: Out Bits<16>,
    }
);
