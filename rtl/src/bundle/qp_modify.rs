//! `MODIFY_QP`, as engines take it.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// New rows of a queue pair. `QB`: log2 of the number of queue pairs.
    QpModifySource<QB> to QpModifySink<QB> {
        /// High while one is offered.
        valid: Out Bit,
        /// High in a cycle in which the offered one is taken.
        ready: In Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Its configuration ([`crate::context::ConfigFields`]).
        row: Out Bits<448>,
        /// Arguments 22 and 23 of the command.
        limits: Out Bits<64>,
    }
);
