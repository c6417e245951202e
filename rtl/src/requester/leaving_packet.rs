//! Request packets on the transmit path.
use hca_hdl::prelude::*;

record! {
    /// What [`Emissions`](super::Emissions) keeps of a request on its way to the link. First field at the least
    /// significant end of the 41 bits.
    pub struct LeavingPacket {
        /// PSN after the last one that the packet takes.
        pub next_psn: Bits<24>,
        /// Index of the queue pair, zero-extended.
        pub index: Bits<16>,
        /// High if no ack is awaited for the packet because its service is unreliable.
        pub unreliable: Bit,
    }
}
