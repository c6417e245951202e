//! Ring entries on their way to host memory.
use hca_hdl::prelude::*;

record! {
    /// What is kept of an entry until it is acknowledged.
    pub struct EntryUnderWay {
        /// CQ of a CQE.
        pub cq: Bits<12>,
        /// High for a CQE whose completion is solicited.
        pub solicited: Bit,
        /// High for an EQE; the other fields are 0.
        pub event: Bit,
    }
}
