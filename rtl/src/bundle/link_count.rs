//! Events of arriving packets that a native port counts.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Events at the link, each field but the last two high for one cycle for a packet (`protocol/link.md` section 9).
    /// The port's own packets are not counted.
    LinkCountSource to LinkCountSink {
        /// High for one cycle when a packet is discarded for an error of the link (`PORT_RCV_ERRORS`).
        faulty: Out Bit,
        /// High for one cycle when a packet was ended as bad by its sender (`PORT_RCV_REMOTE_PHYSICAL_ERRORS`).
        ended_bad: Out Bit,
        /// High for one cycle when a packet finds no room in the buffer of its data VL (`EXCESSIVE_BUFFER_OVERRUN`);
        /// `faulty` is high, too.
        overran: Out Bit,
        /// High for one cycle when a packet finds no room in the buffer of VL 15 (`VL15_DROPPED`).
        management_overran: Out Bit,
        /// High for one cycle when a packet is received without an error of the link (`PORT_RCV_PKTS`).
        received: Out Bit,
        /// With `received`: number of 32-bit words of the packet from LRH to ICRC (`PORT_RCV_DATA`).
        words: Out Bits<11>,
        /// With `received`: high for a multicast packet, by its DLID.
        multicast: Out Bit,
    }
);
