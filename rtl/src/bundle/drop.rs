//! Packets that are dropped.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// A packet is dropped.
    DropSource to DropSink {
        /// Why it is dropped (`host::retire::drop`).
        reason: Out Bits<8>,
        /// High if the packet came by port 2.
        port: Out Bit,
    }
);
