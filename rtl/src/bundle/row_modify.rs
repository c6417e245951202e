//! `MODIFY_QP`, for the blocks that follow the engines.
use super::pulse;
use crate::context::QpConfig;
use hca_hdl::prelude::*;

pulse!(
    /// The new configuration of a queue pair. `QB`: log2 of the number of queue pairs.
    RowModifySource to RowModifySink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Configuration of the queue pair.
        row: Out QpConfig,
    }
);
