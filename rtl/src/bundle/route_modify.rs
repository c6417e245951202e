//! `MODIFY_QP`, as the transmit path sees it.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// The new route of a queue pair. `QB`: log2 of the number of queue pairs.
    RouteModifySource<QB> to RouteModifySink<QB> {
        /// High for one cycle when the rest holds; always taken.
        valid: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Addresses of its packets.
        route: Out Bits<256>,
    }
);
