//! Reads of WQEs from host memory.
use hca_hdl::prelude::*;

record! {
    /// What is kept of a read of consecutive entries of a work queue until its last beat.
    pub struct WqeRead {
        /// Index of the QP.
        pub index: Bits<12>,
        /// Index behind the last entry.
        pub end: Bits<16>,
        /// Slot of the first entry.
        pub slot: Bits<8>,
        /// Epoch of the queue when it was read.
        pub epoch: Bits<4>,
    }
}
