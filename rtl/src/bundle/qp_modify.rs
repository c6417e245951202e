//! `MODIFY_QP`, for the engines.
use super::offer;
use crate::context::{QpConfig, QpLimits};
use rust_hdl_core::prelude::*;

offer!(
    /// New rows of a queue pair. `QB`: log2 of the number of queue pairs.
    QpModifySource to QpModifySink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Configuration of the queue pair ([`crate::context::ConfigFields`]).
        row: Out QpConfig,
        /// Words `LIMITS` and `PD` of the command, and bits for its effects: 51, the queue pair supplies credits; 52,
        /// it expects credits; 62, it leaves SQE; 63, an event is wanted once its send queue is drained.
        limits: Out QpLimits,
    }
);
