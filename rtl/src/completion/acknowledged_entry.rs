//! Ring entries that host memory has acknowledged.
use hca_hdl::prelude::*;

record! {
    /// An [`EntryUnderWay`](super::EntryUnderWay) with the answer of host memory.
    pub struct AcknowledgedEntry {
        /// CQ of a CQE.
        pub cq: Bits<12>,
        /// High for a CQE whose completion is solicited.
        pub solicited: Bit,
        /// High for an EQE.
        pub event: Bit,
        /// High if it was acknowledged with an error.
        pub error: Bit,
    }
}
