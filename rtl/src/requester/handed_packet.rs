//! Requests of unreliable services that have departed.
use hca_hdl::prelude::*;

record! {
    /// What [`Emissions`](super::Emissions) keeps of a request of an unreliable service until it is handed to the link.
    /// First field at the least significant end of the 41 bits.
    pub struct HandedPacket {
        /// PSN after the last one that the packet takes.
        pub next_psn: Bits<24>,
        /// Index of the queue pair, zero-extended.
        pub index: Bits<16>,
        /// High if the packet is discarded, and so is handed to no link.
        pub discarded: Bit,
    }
}
