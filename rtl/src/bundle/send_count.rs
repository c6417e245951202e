//! Events of departing packets that a native port counts.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// Events of packets that leave for the link, or are to leave (`protocol/link.md` section 10). Link packets are not
    /// counted.
    SendCountSource to SendCountSink {
        /// High for one cycle for each packet that the state of the port, the VL of its SL, or the active MTU does not
        /// let leave (`PORT_XMIT_DISCARDS`).
        discarded: Out Bit,
        /// High for one cycle for each datagram that is too long to become a packet (`PORT_XMIT_DISCARDS`).
        unsent: Out Bit,
        /// High for one cycle for each packet that has left for the link (`PORT_XMIT_PKTS`).
        left: Out Bit,
        /// With `left`: number of 32-bit words of the packet from LRH to ICRC (`PORT_XMIT_DATA`).
        words: Out Bits<11>,
        /// With `left`: high for a multicast packet, by its DLID.
        multicast: Out Bit,
        /// High while a packet waits for credits or arbitration, and none is under way (`PORT_XMIT_WAIT`).
        waits: Out Bit,
    }
);
