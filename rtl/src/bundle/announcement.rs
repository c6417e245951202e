//! Doorbells one cycle before they are offered.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Names the doorbell that is possibly offered in the next cycle, so that the state of its queue pair is read
    /// ahead.
    AnnouncementSource to AnnouncementSink {
        /// High if a doorbell is possibly offered in the next cycle.
        valid: Out Bit,
        /// Index of the queue pair, as software names it.
        index: Out Bits<12>,
        /// Number of WQEs posted so far, modulo 2^16.
        producer: Out Bits<16>,
    }
);
