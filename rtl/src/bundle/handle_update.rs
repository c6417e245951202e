//! Commands about address handles, for the engines.
use super::pulse;
use crate::context::QpRoute;
use crate::datagram::HandleRow;
use hca_hdl::prelude::*;

pulse!(
    /// The new rows of an address handle. `AB`: log2 of the number of address handles.
    HandleUpdateSource to HandleUpdateSink<AB> {
        /// Index of the handle.
        index: Out Bits<AB>,
        /// The requester's part of the address handle.
        row: Out HandleRow,
        /// Addresses for packets that name the handle ([`crate::transmit::Routing`]).
        route: Out QpRoute,
    }
);
