//! AXI4-Stream as a bundle.
use crate::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Packets as AXI4-Stream. Byte 0 of a packet is in bits 7:0 of its first beat. `W` is the number of bits of a
    /// beat, `K` = `W` / 8.
    StreamSource to StreamSink<W, K> {
        /// Data of the beat.
        tdata: Out Bits<W>,
        /// Bit i is high if byte i of `tdata` belongs to the packet. All bits are high except in the last beat of a
        /// packet.
        tkeep: Out Bits<K>,
        /// High in the last beat of a packet.
        tlast: Out Bit,
        /// High while a beat is offered.
        tvalid: Out Bit,
        /// High in a cycle in which an offered beat is taken.
        tready: In Bit,
    }
);
