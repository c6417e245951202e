//! What the hardware remembers of a completion queue: a row of block RAM.
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// First field at the least significant end of the 102 bits.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct CqContext {
    /// Ring, 64-byte aligned.
    pub base: Bits<64>,
    /// log2 of its CQEs.
    pub log_size: Bits<4>,
    /// CQEs written, modulo 2^16.
    pub producer: Bits<16>,
    /// CQEs polled, as far as software's doorbells say, modulo 2^16.
    pub consumer: Bits<16>,
    /// Created and not destroyed.
    pub exists: Bit,
    /// A completion found no room (`protocol/qp_cq.md` section 6).
    pub failed: Bit,
}

/// A row's bits as a context.
#[derive(LogicBlock, Default)]
pub struct CqContextFields {
    pub row: Signal<In, Bits<102>>,
    pub context: Signal<Out, CqContext>,
}

impl Logic for CqContextFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module cq_context_fields");
        self.context.next.base = self.row.val().get_bits::<64>(0);
        self.context.next.log_size = self.row.val().get_bits::<4>(64);
        self.context.next.producer = self.row.val().get_bits::<16>(68);
        self.context.next.consumer = self.row.val().get_bits::<16>(84);
        self.context.next.exists = self.row.val().get_bit(100);
        self.context.next.failed = self.row.val().get_bit(101);
    }
}
