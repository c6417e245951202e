//! Doorbells ahead of their queue.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// A doorbell that waits for its turn: its queue pair's row is read meanwhile.
    AnnouncementSource to AnnouncementSink {
        /// High for one cycle when the rest holds; always taken.
        valid: Out Bit,
        /// Index of the queue pair, as software names it.
        index: Out Bits<12>,
        /// WQEs posted so far, modulo 2^16.
        producer: Out Bits<16>,
    }
);
