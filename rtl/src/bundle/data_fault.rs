//! Packets whose payload could not be read.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// A packet that left with a wrong CRC because host memory failed the read of its payload.
    DataFaultSource to DataFaultSink {
        /// QPN of its queue pair.
        qpn: Out Bits<24>,
        /// PSN of the packet.
        psn: Out Bits<24>,
        /// High if the packet is a read response.
        response: Out Bit,
        /// High if the packet is a request of an unreliable service.
        unreliable: Out Bit,
        /// High if this is the first fault of the queue pair, which then still answers.
        first: In Bit,
    }
);
