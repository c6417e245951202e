//! State that the responder keeps for a queue pair (`protocol/responder.md`, first lines): a row of block RAM.
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 273 bits.
    pub struct ResponderContext {
        /// `host::command::STATE_*`.
        pub state: Bits<3>,
        /// In state Error: high if StateChanged was reported, so the receive queue may be flushed.
        pub reported: Bit,
        /// Expected PSN.
        pub epsn: Bits<24>,
        /// Message sequence number: number of messages completed, modulo 2^24.
        pub msn: Bits<24>,
        /// Index of the next receive WQE to take, modulo 2^16.
        pub consumer: Bits<16>,
        /// High if a Send has begun and not ended; its WQE is `consumer` - 1.
        pub open_send: Bit,
        /// High if a Write has begun and not ended.
        pub open_write: Bit,
        /// High if a NAK went out and ePSN has not come since.
        pub nak_outstanding: Bit,
        /// PSN of the last Send or Write packet executed, with which a duplicate of one is answered (section 6).
        pub acked_psn: Bits<24>,
        /// Bytes of the open message so far.
        pub received: Bits<32>,
        /// Address at which the open Write continues.
        pub write_va: Bits<64>,
        /// R_Key of the open Write.
        pub write_key: Bits<32>,
        /// Bytes that the open Write still has to bring.
        pub write_left: Bits<32>,
        /// Reads and atomics accepted, modulo 32; the low four bits name the next slot.
        pub taken: Bits<5>,
        /// Number of slots that hold an operation, up to 16.
        pub stored: Bits<5>,
        /// Credit code of the latest positive answer (`protocol/credit_table.csv`).
        pub advertised: Bits<5>,
        /// High if there was no positive answer since RTR.
        pub unanswered: Bit,
        /// UC: high if an abandoned Send has given WQE `consumer` - 1 back, and the next message that needs one uses
        /// it.
        pub holds: Bit,
        /// High if the outstanding NAK is an RNR NAK.
        pub rnr_outstanding: Bit,
    }
}
