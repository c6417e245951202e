//! The order in which packets leave admission.
use hca_hdl::prelude::*;

record! {
    /// What the receive side keeps of a packet that was handed on, in the order of arrival.
    pub struct ArrivalOrder {
        /// High if the packet went to the requester.
        pub response: Bit,
        /// Index of its QP.
        pub index: Bits<12>,
        /// High if its payload is needed again, for the next copy.
        pub keeps: Bit,
    }
}
