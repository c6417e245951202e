//! What the state of a native port means to its receive side.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// From the state of the port ([`crate::control::PortState`]) to the receive side.
    ReceiveStateSource to ReceiveStateSink {
        /// High while no beat may come in, because the receive side is to take the state.
        hold: Out Bit,
        /// High in a cycle in which the receive side judges no packet, so that it reports no drop three cycles later.
        free: In Bit,
        /// High while packets on VL 15 are accepted.
        accepts_management: Out Bit,
        /// High while packets on data VLs are accepted.
        accepts_data: Out Bit,
        /// High while the receive side is Down.
        down: Out Bit,
        /// High for one cycle when a packet on a data VL has passed the checks of the link, one cycle after it was
        /// judged.
        heard: In Bit,
    }
);
