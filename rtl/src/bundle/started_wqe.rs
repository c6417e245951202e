//! Send WQEs that start.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// A send WQE starts, and this is what its CQE needs ([`crate::requester::Completer`]). `QB`: log2 of the number of
    /// queue pairs.
    StartedWqeSource to StartedWqeSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// Index of the WQE, modulo 2^16.
        wqe: Out Bits<16>,
        /// Last PSN of the WQE.
        psn: Out Bits<24>,
        /// Operation of its CQE (`host::cqe`).
        operation: Out Bits<8>,
        /// High if the success of the WQE writes a CQE.
        signaled: Out Bit,
        /// Byte count of the CQE if the WQE succeeds.
        bytes: Out Bits<32>,
    }
);
