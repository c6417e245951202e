//! Which VLs have room for packets.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// From the queues before the link ([`crate::link::LaneRoom`]) to an engine, which makes no packet for a VL that
    /// has no room for it: so a VL without credits holds up no other.
    LaneHoldSource to LaneHoldSink {
        /// High while packets wait in queues of their VLs.
        active: Out Bit,
        /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
        sl_to_vl: Out Bits<64>,
        /// Number of data VLs that are operational, from VL 0 on.
        data_vls: Out Bits<4>,
        /// Bit `n`: high if VL `n` has no room for a packet of less than 1024 bytes of payload.
        short: Out Bits<8>,
        /// Bit `n`: high if VL `n` has no room for a packet of any length.
        long: Out Bits<8>,
        /// Bit `n`: high if VL `n` has no room for an ack.
        ack: Out Bits<8>,
    }
);
