//! AXI4-Stream.
use crate::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Packets as AXI4-Stream: byte 0 of a packet in bits 7:0 of its first beat. `W`: bits of a beat, `K` = `W` / 8.
    StreamSource to StreamSink<W, K> {
        /// The beat.
        tdata: Out Bits<W>,
        /// One bit for each byte of `tdata`; all are 1 but in a packet's last beat.
        tkeep: Out Bits<K>,
        /// High in the last beat of a packet.
        tlast: Out Bit,
        /// High while a beat is offered.
        tvalid: Out Bit,
        /// High in a cycle in which an offered beat is taken.
        tready: In Bit,
    }
);
