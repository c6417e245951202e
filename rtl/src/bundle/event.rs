//! Events for software.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// Events that become EQEs ([`crate::event::EventQueue`]). `N`: bits of the number.
    EventSource to EventSink<N> {
        /// Kind of the event (`host::eqe`).
        kind: Out Bits<8>,
        /// What the event is of: the index of a CQ, the QPN of a queue pair, or 1 for port 2 and 0 for port 1.
        number: Out Bits<N>,
    }
);
