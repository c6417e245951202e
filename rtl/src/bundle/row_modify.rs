//! `MODIFY_QP`, as followers see it.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// The new configuration of a queue pair. `QB`: log2 of the number of queue pairs.
    RowModifySource<QB> to RowModifySink<QB> {
        /// High for one cycle when the rest holds; always taken.
        valid: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Its configuration ([`crate::context::ConfigFields`]).
        row: Out Bits<448>,
    }
);
