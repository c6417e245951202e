//! Packets whose payload could not be read.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// A packet that left with a wrong CRC because host memory did not give its payload.
    DataFaultSource to DataFaultSink {
        /// High while one is offered.
        valid: Out Bit,
        /// High in a cycle in which the offered one is taken.
        ready: In Bit,
        /// Number of its queue pair.
        qpn: Out Bits<24>,
        /// Its PSN.
        psn: Out Bits<24>,
        /// High if it is a read response.
        response: Out Bit,
        /// High if it is the first fault of its queue pair, which then still answers.
        first: In Bit,
    }
);
