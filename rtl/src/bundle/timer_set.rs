//! Timers of queue pairs.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// Sets or stops the timer of a queue pair. `QB`: log2 of the number of queue pairs.
    TimerSetSource to TimerSetSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// `STOP`, `ACK` or `RNR` of the requester's timers ([`crate::requester`]).
        kind: Out Bits<2>,
        /// Code of `protocol/ack_timeout.csv` or `protocol/rnr_timer.csv`.
        code: Out Bits<5>,
    }
);
