//! What the responder of a queue pair remembers (`protocol/responder.md`, first lines).
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// Names the fields of a row, and packs them again.
#[derive(LogicBlock, Default)]
pub struct ResponderRow {
    pub row: Signal<In, Bits<194>>,
    pub epsn: Signal<Out, Bits<24>>,
    pub msn: Signal<Out, Bits<24>>,
    /// Next receive WQE to take, modulo 2^16.
    pub consumer: Signal<Out, Bits<16>>,
    /// A Send has begun and not ended; the rest of the row is its receive WQE.
    pub open: Signal<Out, Bit>,
    /// A sequence or RNR NAK went out and ePSN has not come since.
    pub nak_outstanding: Signal<Out, Bit>,
    /// Bytes of the open message so far.
    pub received: Signal<Out, Bits<32>>,
    pub buffer_address: Signal<Out, Bits<64>>,
    /// Bytes.
    pub buffer_length: Signal<Out, Bits<32>>,

    pub new_epsn: Signal<In, Bits<24>>,
    pub new_msn: Signal<In, Bits<24>>,
    pub new_consumer: Signal<In, Bits<16>>,
    pub new_open: Signal<In, Bit>,
    pub new_nak_outstanding: Signal<In, Bit>,
    pub new_received: Signal<In, Bits<32>>,
    pub new_buffer_address: Signal<In, Bits<64>>,
    pub new_buffer_length: Signal<In, Bits<32>>,
    pub new_row: Signal<Out, Bits<194>>,
}

impl Logic for ResponderRow {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module responder_row");
        self.epsn.next = self.row.val().get_bits::<24>(0);
        self.msn.next = self.row.val().get_bits::<24>(24);
        self.consumer.next = self.row.val().get_bits::<16>(48);
        self.open.next = self.row.val().get_bit(64);
        self.nak_outstanding.next = self.row.val().get_bit(65);
        self.received.next = self.row.val().get_bits::<32>(66);
        self.buffer_address.next = self.row.val().get_bits::<64>(98);
        self.buffer_length.next = self.row.val().get_bits::<32>(162);
        self.new_row.next = bit_cast::<194, 24>(self.new_epsn.val())
            | (bit_cast::<194, 24>(self.new_msn.val()) << 24)
            | (bit_cast::<194, 16>(self.new_consumer.val()) << 48)
            | (bit_cast::<194, 1>(self.new_open.val().into()) << 64)
            | (bit_cast::<194, 1>(self.new_nak_outstanding.val().into()) << 65)
            | (bit_cast::<194, 32>(self.new_received.val()) << 66)
            | (bit_cast::<194, 64>(self.new_buffer_address.val()) << 98)
            | (bit_cast::<194, 32>(self.new_buffer_length.val()) << 162);
    }
}
