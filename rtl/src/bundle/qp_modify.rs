//! `MODIFY_QP`, for the engines.
use super::offer;
use crate::context::{QpConfig, QpLimits};
use rust_hdl_core::prelude::*;

offer!(
    /// New rows of a queue pair. `QB`: log2 of the number of queue pairs.
    QpModifySource to QpModifySink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Its configuration.
        row: Out QpConfig,
        /// Arguments 22 and 23 of the command.
        limits: Out QpLimits,
    }
);
