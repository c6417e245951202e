//! The states of a queue pair.
use hca_hdl::prelude::*;
use hca_host::command;

constants!(
    /// QP states as the hardware numbers them (`host::command::STATE_*`, `protocol/qp_cq.md` section 1).
    pub struct QpStates: 3 {
        reset = command::STATE_RESET,
        rtr = command::STATE_RTR,
        rts = command::STATE_RTS,
        sqd = command::STATE_SQD,
        sqe = command::STATE_SQE,
        error = command::STATE_ERROR,
    }
);
