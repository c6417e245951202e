//! A Read or atomic that has been sent.
use hca_hdl::prelude::*;

record! {
    /// What the requester keeps of a Read or atomic until its responses come. First field at the least significant end
    /// of the 97 bits.
    pub struct ReadSpan {
        /// High for an atomic, low for a Read.
        pub atomic: Bit,
        /// Bytes of the Read.
        pub length: Bits<32>,
        /// Index of its WQE.
        pub wqe: Bits<16>,
        /// PSN of its last response.
        pub last: Bits<24>,
        /// PSN of its first response.
        pub first: Bits<24>,
    }
}
