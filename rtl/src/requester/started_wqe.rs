//! Send WQEs that have started.
use hca_hdl::prelude::*;

record! {
    /// What the completer keeps of a WQE until it completes. First field at the least significant end of the 65 bits.
    pub struct StartedWqe {
        /// Byte count of its CQE if the WQE succeeds.
        pub bytes: Bits<32>,
        /// High if the success of the WQE writes a CQE.
        pub signaled: Bit,
        /// Operation of its CQE (`host::cqe`).
        pub operation: Bits<8>,
        /// Last PSN of the WQE.
        pub psn: Bits<24>,
    }
}
