//! State that the responder keeps for a queue pair (`protocol/responder.md`, first lines): a row of block RAM.
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// First field at the least significant end of the 271 bits.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct ResponderContext {
    /// `host::command::STATE_*`.
    pub state: Bits<3>,
    /// In state Error: StateChanged was reported, so the receive queue may be flushed.
    pub reported: Bit,
    pub epsn: Bits<24>,
    pub msn: Bits<24>,
    /// Index of the next receive WQE to take, modulo 2^16.
    pub consumer: Bits<16>,
    /// A Send has begun and not ended; its WQE is `consumer` - 1.
    pub open_send: Bit,
    /// A Write has begun and not ended.
    pub open_write: Bit,
    /// A NAK went out and ePSN has not come since.
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
    pub told: Bits<5>,
    /// There was no positive answer since RTR.
    pub unanswered: Bit,
}

/// Unpacks a row into a context.
#[derive(LogicBlock, Default)]
pub struct ContextFields {
    pub row: Signal<In, Bits<271>>,
    pub context: Signal<Out, ResponderContext>,
}

impl Logic for ContextFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module responder_context_fields");
        self.context.next.state = self.row.val().get_bits::<3>(0);
        self.context.next.reported = self.row.val().get_bit(3);
        self.context.next.epsn = self.row.val().get_bits::<24>(4);
        self.context.next.msn = self.row.val().get_bits::<24>(28);
        self.context.next.consumer = self.row.val().get_bits::<16>(52);
        self.context.next.open_send = self.row.val().get_bit(68);
        self.context.next.open_write = self.row.val().get_bit(69);
        self.context.next.nak_outstanding = self.row.val().get_bit(70);
        self.context.next.acked_psn = self.row.val().get_bits::<24>(71);
        self.context.next.received = self.row.val().get_bits::<32>(95);
        self.context.next.write_va = self.row.val().get_bits::<64>(127);
        self.context.next.write_key = self.row.val().get_bits::<32>(191);
        self.context.next.write_left = self.row.val().get_bits::<32>(223);
        self.context.next.taken = self.row.val().get_bits::<5>(255);
        self.context.next.stored = self.row.val().get_bits::<5>(260);
        self.context.next.told = self.row.val().get_bits::<5>(265);
        self.context.next.unanswered = self.row.val().get_bit(270);
    }
}
