//! Parts of a packet on their way to host memory.
use hca_hdl::prelude::*;

record! {
    /// What is awaited next before a packet counts as written.
    pub struct WrittenPart {
        /// High if it is the last part of its packet.
        pub last: Bit,
        /// High if a burst has to be acknowledged.
        pub burst: Bit,
        /// High if an atomic operation has to end.
        pub atomic: Bit,
    }
}
