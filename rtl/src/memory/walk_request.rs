//! A request to a [`super::Walker`].
use hca_hdl::prelude::*;

record! {
    /// A part of a list of SGEs. First field at the least significant end of the 340 bits.
    pub struct WalkRequest {
        /// SGE 0 and SGE 1 as in a WQE (`host::wqe`); for an indirect list, SGE 0 holds the address of the list.
        pub list: Bits<256>,
        /// Number of SGEs.
        pub count: Bits<8>,
        /// High if the SGEs are in a list in host memory.
        pub indirect: Bit,
        /// Bytes of the list's data before the first byte of the request.
        pub offset: Bits<32>,
        /// Bytes of the request, 0 to 4096. With 0, nothing is looked up, unless `entire`.
        pub length: Bits<13>,
        /// High if all of SGE 0 is checked, not only the bytes of the request; with `count` 1 and `offset` 0.
        pub entire: Bit,
        /// `memory::protection::RIGHT_*`.
        pub right: Bits<3>,
        /// Protection domain of the request.
        pub pd: Bits<24>,
        /// High if the request is the only one of its message: a list that is kept from an earlier message does not
        /// serve it.
        pub alone: Bit,
        /// High if keys are ignored and addresses are those of host memory.
        pub unchecked: Bit,
    }
}
