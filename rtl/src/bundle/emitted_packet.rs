//! Packets that leave the engines for the link.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// A packet of any kind has entered the routing. `QB`: log2 of the number of queue pairs.
    EmittedPacketSource to EmittedPacketSink<QB> {
        /// Index of the queue pair of this side that the packet belongs to.
        index: Out Bits<QB>,
        /// Kind of the packet (`transmit::KIND_*`).
        kind: Out Bits<2>,
        /// PSN of the packet.
        psn: Out Bits<24>,
        /// High for the last packet of a read response.
        last: Out Bit,
        /// High if the packet is not sent.
        discard: Out Bit,
    }
);
