//! Answers that have left.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// The last answer of a Read or atomic has left. `QB`: log2 of the number of queue pairs.
    AnsweredRequestSource to AnsweredRequestSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Its PSN.
        psn: Out Bits<24>,
    }
);
