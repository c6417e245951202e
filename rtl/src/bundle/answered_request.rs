//! Answers that have departed.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// Reports that the last packet of the answer to a Read or atomic has departed. `QB`: log2 of the number of queue
    /// pairs.
    AnsweredRequestSource to AnsweredRequestSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// PSN of that packet.
        psn: Out Bits<24>,
    }
);
