//! `MODIFY_QP`, for the transmit path.
use super::pulse;
use crate::context::QpRoute;
use hca_hdl::prelude::*;

pulse!(
    /// The new route of a queue pair. `QB`: log2 of the number of queue pairs.
    RouteModifySource to RouteModifySink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Addresses for its packets ([`crate::transmit::Routing`]).
        route: Out QpRoute,
    }
);
