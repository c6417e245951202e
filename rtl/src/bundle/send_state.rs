//! What the state of a native port means to its send side.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// From the state of the port ([`crate::control::PortState`]) to the send side.
    SendStateSource to SendStateSink {
        /// High while packets on VL 15 are sent.
        management: Out Bit,
        /// High while packets on data VLs are sent.
        data: Out Bit,
        /// High for one cycle when the send side enters Init.
        enters_init: Out Bit,
        /// High while the send side is in Init: flow-control packets leave with Op 1.
        initialises: Out Bit,
        /// High while the send side is in Armed or Active: flow-control packets leave with Op 0.
        runs: Out Bit,
    }
);
