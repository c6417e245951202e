//! Writes of the requester's rows.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// State that a row of the requester is written with. `QB`: log2 of the number of queue pairs.
    RowStateSource to RowStateSink<QB> {
        /// High for one cycle when a row is written.
        write: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// State of the queue pair (`STATE_*`).
        state: Out Bits<3>,
        /// Number of WQEs started so far, modulo 2^16.
        started: Out Bits<16>,
    }
);
