//! Commands about address handles, for the engines.
use super::pulse;
use crate::context::QpRoute;
use crate::datagram::HandleRow;
use rust_hdl_core::prelude::*;

pulse!(
    /// The new rows of an address handle. `AB`: log2 of the number of address handles.
    HandleUpdateSource to HandleUpdateSink<AB> {
        /// Index of the handle.
        index: Out Bits<AB>,
        /// What decides on a packet.
        row: Out HandleRow,
        /// Addresses for its packets ([`crate::transmit::Routing`]).
        route: Out QpRoute,
    }
);
