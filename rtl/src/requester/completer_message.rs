//! Messages of the requester for its completer.
use hca_hdl::prelude::*;

record! {
    /// How far a queue pair has come. First field at the least significant end of the 66 bits.
    pub struct CompleterMessage {
        /// Number of packets of the requester whose writes come before the completions, modulo 2^16.
        pub fence: Bits<16>,
        /// Status of a failure (`host::cqe`).
        pub status: Bits<8>,
        /// Every PSN before this one is done.
        pub bound: Bits<24>,
        /// `ADVANCE`, `FAIL` or `FLUSH` of [`completer`](super::completer).
        pub kind: Bits<2>,
        /// Index of the queue pair, zero-extended.
        pub index: Bits<16>,
    }
}
