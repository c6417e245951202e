//! Which WQE and which Read an event of a QP needs.
use hca_hdl::prelude::*;

record! {
    /// The part of a [`RequesterRow`](super::RequesterRow) that addresses what is read beside it.
    pub struct FetchSlots {
        /// Slot of the WQE of the next packet.
        pub current: Bits<6>,
        /// Slot of the WQE of the oldest Read or atomic that is not answered.
        pub read_wqe: Bits<6>,
        /// Place in its ring of the oldest Read or atomic that is not answered.
        pub read_head: Bits<4>,
    }
}
