//! What a walk takes of an SGE, before protection allows it.
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 16 bits.
    pub struct JudgedPiece {
        /// High if the walk takes bytes of the SGE.
        pub takes: Bit,
        /// High if the walk ends with this SGE.
        pub ends: Bit,
        /// High if the list is at fault ([`super::walker::FAULT_LIST`]).
        pub list_fault: Bit,
        /// Number of bytes that the walk takes.
        pub length: Bits<13>,
    }
}
