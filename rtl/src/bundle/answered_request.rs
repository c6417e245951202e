//! Answers that have left.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// The last answer of a Read or atomic has left. `QB`: log2 of the number of queue pairs.
    AnsweredRequestSource<QB> to AnsweredRequestSink<QB> {
        /// High for one cycle when the rest holds; always taken.
        valid: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Its PSN.
        psn: Out Bits<24>,
    }
);
