//! `MODIFY_QP`, for the engines.
use super::offer;
use crate::context::{QpConfig, QpLimits};
use hca_hdl::prelude::*;

offer!(
    /// New rows of a queue pair. `QB`: log2 of the number of queue pairs.
    QpModifySource to QpModifySink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Configuration of the queue pair.
        row: Out QpConfig,
        /// Words `LIMITS` and `PD` of the command, and what else it asks for.
        limits: Out QpLimits,
    }
);
