//! Which piece is written next.
use super::atomic::Atomic;
use crate::primitive::{comment, dff_setup, ByteReverse, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Takes the pieces of both sides packet by packet in order of arrival, gives the link its payload commands, and has
/// atomics done before what is behind them.
///
/// A piece a clock. `SB`: bits of an atomic slot's number.
#[derive(LogicBlock)]
pub struct PieceSelect<const SB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// One for each packet: it is a response, so the requester's.
    pub order_valid: Signal<In, Bit>,
    pub order_ready: Signal<Out, Bit>,
    pub order_response: Signal<In, Bit>,

    pub responder_valid: Signal<In, Bit>,
    pub responder_ready: Signal<Out, Bit>,
    pub responder_address: Signal<In, Bits<64>>,
    pub responder_length: Signal<In, Bits<13>>,
    pub responder_kind: Signal<In, Bits<2>>,
    pub responder_last: Signal<In, Bit>,
    pub requester_valid: Signal<In, Bit>,
    pub requester_ready: Signal<Out, Bit>,
    pub requester_address: Signal<In, Bits<64>>,
    pub requester_length: Signal<In, Bits<13>>,
    pub requester_kind: Signal<In, Bits<2>>,
    pub requester_last: Signal<In, Bit>,

    pub operand_valid: Signal<In, Bit>,
    pub operand_ready: Signal<Out, Bit>,
    pub fetch_add: Signal<In, Bit>,
    pub compare: Signal<In, Bits<64>>,
    pub swap_add: Signal<In, Bits<64>>,
    pub slot: Signal<In, Bits<SB>>,
    pub done_valid: Signal<Out, Bit>,
    pub done_slot: Signal<Out, Bits<SB>>,
    pub done_value: Signal<Out, Bits<64>>,
    pub original_valid: Signal<In, Bit>,
    pub original_ready: Signal<Out, Bit>,
    pub original: Signal<In, Bits<64>>,
    pub read_request: Signal<Out, Bit>,
    pub read_ready: Signal<In, Bit>,
    pub read_address: Signal<Out, Bits<64>>,
    pub read_valid: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<64>>,

    pub command_valid: Signal<Out, Bit>,
    pub command_ready: Signal<In, Bit>,
    pub command_discard: Signal<Out, Bit>,

    /// No write of an earlier piece is under way.
    pub quiet: Signal<In, Bit>,
    pub piece_ready: Signal<In, Bit>,
    /// Only when ready.
    pub piece_valid: Signal<Out, Bit>,
    /// Of the requester, not of the responder.
    pub piece_requester: Signal<Out, Bit>,
    /// Ends its packet.
    pub piece_last: Signal<Out, Bit>,
    pub piece_address: Signal<Out, Bits<64>>,
    /// Bytes to write, 0 to 4096.
    pub piece_length: Signal<Out, Bits<13>>,
    /// `value` is written, not payload.
    pub piece_value: Signal<Out, Bit>,
    /// Byte 0 at the most significant end.
    pub value: Signal<Out, Bits<64>>,

    orders: Fifo<1, 6>,
    originals: Fifo<64, 4>,
    atomic: Atomic<SB>,
    to_memory: ByteReverse<64>,
    begins: Register<Bit>,

    response: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    length: Signal<Local, Bits<13>>,
    is_atomic: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    value_there: Signal<Local, Bit>,
    proceeds: Signal<Local, Bit>,
    take: Signal<Local, Bit>,

    atomic_bytes: Constant<Bits<13>>,
}

impl<const SB: usize> Default for PieceSelect<SB> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            order_valid: Default::default(),
            order_ready: Default::default(),
            order_response: Default::default(),
            responder_valid: Default::default(),
            responder_ready: Default::default(),
            responder_address: Default::default(),
            responder_length: Default::default(),
            responder_kind: Default::default(),
            responder_last: Default::default(),
            requester_valid: Default::default(),
            requester_ready: Default::default(),
            requester_address: Default::default(),
            requester_length: Default::default(),
            requester_kind: Default::default(),
            requester_last: Default::default(),
            operand_valid: Default::default(),
            operand_ready: Default::default(),
            fetch_add: Default::default(),
            compare: Default::default(),
            swap_add: Default::default(),
            slot: Default::default(),
            done_valid: Default::default(),
            done_slot: Default::default(),
            done_value: Default::default(),
            original_valid: Default::default(),
            original_ready: Default::default(),
            original: Default::default(),
            read_request: Default::default(),
            read_ready: Default::default(),
            read_address: Default::default(),
            read_valid: Default::default(),
            read_data: Default::default(),
            command_valid: Default::default(),
            command_ready: Default::default(),
            command_discard: Default::default(),
            quiet: Default::default(),
            piece_ready: Default::default(),
            piece_valid: Default::default(),
            piece_requester: Default::default(),
            piece_last: Default::default(),
            piece_address: Default::default(),
            piece_length: Default::default(),
            piece_value: Default::default(),
            value: Default::default(),
            orders: Default::default(),
            originals: Default::default(),
            atomic: Default::default(),
            to_memory: Default::default(),
            begins: Register::new(true),
            response: Default::default(),
            valid: Default::default(),
            length: Default::default(),
            is_atomic: Default::default(),
            last: Default::default(),
            value_there: Default::default(),
            proceeds: Default::default(),
            take: Default::default(),
            atomic_bytes: Constant::new(8usize.to_bits()),
        }
    }
}

impl<const SB: usize> Logic for PieceSelect<SB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module piece_select");
        dff_setup!(self, clock, begins);
        self.orders.clock.next = self.clock.val();
        self.orders.reset.next = self.reset.val();
        self.originals.clock.next = self.clock.val();
        self.originals.reset.next = self.reset.val();
        self.atomic.clock.next = self.clock.val();
        self.atomic.reset.next = self.reset.val();
        self.orders.write_valid.next = self.order_valid.val();
        self.orders.write_data.next = self.order_response.val().into();
        self.order_ready.next = self.orders.write_ready.val();
        self.originals.write_valid.next = self.original_valid.val();
        self.originals.write_data.next = self.original.val();
        self.original_ready.next = self.originals.write_ready.val();

        // The oldest piece. An atomic's becomes a write once it is known what to write; that may be nothing.
        self.response.next = self.orders.read_data.val().get_bit(0);
        self.valid.next = self.orders.read_valid.val() && self.responder_valid.val();
        self.piece_address.next = self.responder_address.val();
        self.length.next = self.responder_length.val();
        self.is_atomic.next = self.responder_kind.val().get_bit(0);
        self.last.next = self.responder_last.val();
        self.value_there.next = self.atomic.write_valid.val();
        self.piece_length.next = self.responder_length.val();
        if self.responder_kind.val().get_bit(0) {
            self.piece_length.next = bits::<13>(0);
            if self.atomic.changes.val() {
                self.piece_length.next = self.atomic_bytes.val();
            }
        }
        self.value.next = self.atomic.write_data.val();
        self.to_memory.i.next = self.originals.read_data.val();
        if self.response.val() {
            self.valid.next = self.orders.read_valid.val() && self.requester_valid.val();
            self.piece_address.next = self.requester_address.val();
            self.length.next = self.requester_length.val();
            self.is_atomic.next = self.requester_kind.val().get_bit(0);
            self.last.next = self.requester_last.val();
            self.value_there.next = self.originals.read_valid.val();
            self.piece_length.next = self.requester_length.val();
            self.value.next = self.to_memory.o.val();
        }
        self.proceeds.next =
            self.valid.val() && self.piece_ready.val() && (!self.is_atomic.val() || self.value_there.val());
        self.command_valid.next = self.proceeds.val() && self.begins.q.val();
        self.command_discard.next = self.is_atomic.val() || !self.length.val().any();
        self.take.next = self.proceeds.val() && (!self.begins.q.val() || self.command_ready.val());
        self.responder_ready.next = self.take.val() && !self.response.val();
        self.requester_ready.next = self.take.val() && self.response.val();
        self.orders.read_ready.next = self.take.val() && self.last.val();
        self.originals.read_ready.next = self.take.val() && self.response.val() && self.is_atomic.val();
        if self.take.val() {
            self.begins.d.next = self.last.val();
        }
        self.piece_valid.next = self.take.val();
        self.piece_requester.next = self.response.val();
        self.piece_last.next = self.last.val();
        self.piece_value.next = self.is_atomic.val();

        self.atomic.start.next = self.orders.read_valid.val()
            && !self.orders.read_data.val().get_bit(0)
            && self.responder_valid.val()
            && self.responder_kind.val().get_bit(0);
        self.atomic.address.next = self.responder_address.val();
        self.atomic.quiet.next = self.quiet.val();
        self.atomic.operand_valid.next = self.operand_valid.val();
        self.operand_ready.next = self.atomic.operand_ready.val();
        self.atomic.fetch_add.next = self.fetch_add.val();
        self.atomic.compare.next = self.compare.val();
        self.atomic.swap_add.next = self.swap_add.val();
        self.atomic.slot.next = self.slot.val();
        self.read_request.next = self.atomic.read_request.val();
        self.atomic.read_ready.next = self.read_ready.val();
        self.read_address.next = self.atomic.read_address.val();
        self.atomic.read_valid.next = self.read_valid.val();
        self.atomic.read_data.next = self.read_data.val();
        self.atomic.write_ready.next = self.take.val() && !self.response.val() && self.is_atomic.val();
        self.done_valid.next = self.atomic.done_valid.val();
        self.done_slot.next = self.atomic.done_slot.val();
        self.done_value.next = self.atomic.done_value.val();

        if self.reset.val() {
            self.begins.d.next = true;
        }
    }
}
