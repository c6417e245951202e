//! A request packet whose payload has to be found.
use hca_hdl::prelude::*;

record! {
    /// Where the payload of a request packet is, for [`RequestGather`](super::RequestGather). First field at the least
    /// significant end of the 415 bits.
    pub struct GatherJob {
        /// Index of the QP, zero-extended.
        pub index: Bits<16>,
        /// Index of the WQE, modulo 2^16.
        pub wqe: Bits<16>,
        /// Bytes of the message before the packet.
        pub offset: Bits<32>,
        /// Bytes of payload.
        pub length: Bits<13>,
        /// PSN of the packet.
        pub psn: Bits<24>,
        /// PSN after the last that the packet takes.
        pub next_psn: Bits<24>,
        /// Protection domain of the QP.
        pub pd: Bits<24>,
        /// Number of SGEs.
        pub count: Bits<8>,
        /// High if the SGEs are in a list in host memory.
        pub indirect: Bit,
        /// High if the keys are not checked.
        pub unchecked: Bit,
        /// SGEs that the WQE holds; if `indirect`, the first one holds the address of the list.
        pub list: Bits<256>,
    }
}
