//! Whose WQEs a send queue holds.
use hca_hdl::prelude::*;

record! {
    /// The numbers of a QP that stand in the CQEs of its send queue.
    pub struct WqeOwner {
        /// CQ of the send queue.
        pub cqn: Bits<16>,
        /// QPN of the QP.
        pub qpn: Bits<24>,
    }
}
