//! What the retire port says about a decision.
use hca_hdl::prelude::*;

record! {
    /// A decision, as the retire port shows it ([`hca_host::retire`]). First field at the least significant end of the
    /// 96 bits. A field that the kind does not name is 0.
    pub struct RetireRecord {
        /// Arrival number of the packet, index of the WQE, or what else the kind says.
        pub index: Bits<32>,
        /// PSN, or the CQN of a completion.
        pub psn: Bits<24>,
        /// QPN, or what else the kind says.
        pub qpn: Bits<24>,
        /// Its meaning depends on the kind.
        pub code: Bits<8>,
        /// One of [`hca_host::retire::kind`].
        pub kind: Bits<8>,
    }
}
