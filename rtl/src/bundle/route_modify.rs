//! `MODIFY_QP`, as the transmit path sees it.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// The new route of a queue pair. `QB`: log2 of the number of queue pairs.
    RouteModifySource to RouteModifySink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Addresses of its packets.
        route: Out Bits<256>,
    }
);
