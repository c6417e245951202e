//! Which VLs of a port have room for packets.
use hca_hdl::prelude::*;

record! {
    /// The room of the queues before a link, as [`super::LaneRoom`] says it to an engine. First field at the least
    /// significant end of the 93 bits.
    pub struct LaneHolds {
        /// High while packets wait in queues of their VLs.
        pub active: Bit,
        /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
        pub sl_to_vl: Bits<64>,
        /// Number of data VLs that are operational, from VL 0 on.
        pub data_vls: Bits<4>,
        /// Bit `n`: high if VL `n` has no room for a packet of less than 1024 bytes of payload.
        pub short: Bits<8>,
        /// Bit `n`: high if VL `n` has no room for a packet of any length.
        pub long: Bits<8>,
        /// Bit `n`: high if VL `n` has no room for an ack.
        pub ack: Bits<8>,
    }
}
