//! What a native port counts of the packets that arrive.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Counted at the link, each field but the last high for one cycle for a packet (`protocol/link.md` section 9). The
    /// port's own packets count nowhere.
    LinkCountSource to LinkCountSink {
        /// Discarded for an error of the link (`PORT_RCV_ERRORS`).
        faulty: Out Bit,
        /// Ended as bad (`PORT_RCV_REMOTE_PHYSICAL_ERRORS`).
        ended_bad: Out Bit,
        /// No room in the buffer of its data VL (`EXCESSIVE_BUFFER_OVERRUN`); `faulty` is high, too.
        overran: Out Bit,
        /// No room in the buffer of VL 15 (`VL15_DROPPED`).
        management_overran: Out Bit,
        /// Received without an error of the link (`PORT_RCV_PKTS`).
        received: Out Bit,
        /// With `received`: 32-bit words from LRH to ICRC (`PORT_RCV_DATA`).
        words: Out Bits<11>,
    }
);
