//! Packets whose headers wait to be decoded.
use hca_hdl::prelude::*;

record! {
    /// What the store keeps of an accepted packet beside its headers.
    pub struct AcceptedHeader {
        /// Slot of its headers.
        pub slot: Bits<4>,
        /// Its extended headers, as in `HeaderDecode::has`.
        pub has: Bits<8>,
        /// Bytes of its payload, pad not counted.
        pub payload: Bits<13>,
        /// Its arrival number.
        pub packet: Bits<32>,
    }
}
