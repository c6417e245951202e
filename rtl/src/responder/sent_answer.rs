//! Answers that have left.
use hca_hdl::prelude::*;

record! {
    /// A packet that may be the last of an answer, until it is counted.
    pub struct SentAnswer {
        /// PSN of the packet.
        pub psn: Bits<24>,
        /// Index of its QP.
        pub index: Bits<16>,
    }
}
