//! Timers of queue pairs that have expired.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// A queue pair whose timer has expired. The offer ends untaken if the timer is set meanwhile. `QB`: log2 of the
    /// number of queue pairs.
    ExpiredTimerSource to ExpiredTimerSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// `ACK` or `RNR` of the requester's timers ([`crate::requester`]).
        kind: Out Bits<2>,
    }
);
