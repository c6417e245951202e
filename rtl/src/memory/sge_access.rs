//! An SGE on its way to the check of what a walk needs of it.
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 175 bits.
    pub struct SgeAccess {
        /// High if the walk ends without a look at any SGE; then only `refused` counts.
        pub ends_now: Bit,
        /// High if the list is malformed.
        pub refused: Bit,
        /// High if the SGE is the last of its list.
        pub at_end: Bit,
        /// High if the SGE stands in a list in host memory.
        pub listed: Bit,
        /// High if the key is ignored and `start` is an address of host memory.
        pub exempt: Bit,
        /// High if all of the SGE is checked, not only the bytes of the walk.
        pub whole: Bit,
        /// `memory::protection::RIGHT_*`.
        pub right: Bits<3>,
        /// Protection domain of the walk.
        pub pd: Bits<24>,
        /// L_Key or R_Key of the SGE.
        pub key: Bits<32>,
        /// Address of the first byte that the walk has not passed.
        pub start: Bits<64>,
        /// Number of bytes from there to the end of the SGE, modulo 2^13.
        pub bytes: Bits<13>,
        /// High if there are 2^13 such bytes or more.
        pub large: Bit,
        /// Number of bytes of the whole SGE.
        pub entire_bytes: Bits<32>,
    }
}
