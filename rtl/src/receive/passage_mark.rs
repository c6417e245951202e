//! What goes beside a header from the replicator to admission.
use hca_hdl::prelude::*;

record! {
    /// Every field is 0 for a packet that is not addressed to a group.
    pub struct PassageMark {
        /// High if the packet is addressed to a multicast group.
        pub grouped: Bit,
        /// High for a copy for a member of the group, whose QPN stands in the header.
        pub copy: Bit,
        /// High if another copy follows: the payload is needed again.
        pub keeps: Bit,
        /// High if the packet has no copy and is dropped.
        pub refused: Bit,
        /// With `refused`: reason of the drop (`host::retire::drop`), or 0 if the packet is dropped without a report.
        pub reason: Bits<8>,
    }
}
