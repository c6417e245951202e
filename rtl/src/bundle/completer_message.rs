//! Messages of the requester for its completer.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// How far a queue pair has come, for its completions ([`crate::requester::Completer`]). `QB`: log2 of the number
    /// of queue pairs.
    CompleterMessageSource to CompleterMessageSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// `ADVANCE`, `FAIL` or `FLUSH` of the completer ([`crate::requester`]).
        kind: Out Bits<2>,
        /// Every PSN before this one is done.
        bound: Out Bits<24>,
        /// Status of a failure (`host::cqe`).
        status: Out Bits<8>,
        /// Number of packets of the requester whose writes come before the completions, modulo 2^16.
        fence: Out Bits<16>,
    }
);
