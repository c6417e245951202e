//! Selects the piece that is written next.
use crate::bundle::PayloadCommandSource;
use hca_hdl::bundle::OfferSink;
use hca_hdl::primitive::{clock, comment, dff_setup, kernel, ByteReverse, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Takes the pieces of both sides packet by packet in order of arrival, and gives the link its payload commands.
///
/// Takes a piece a cycle.
#[derive(LogicBlock, Default)]
pub struct PieceSelect {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while an entry is offered: one for each packet, in arrival order.
    pub order_valid: Signal<In, Bit>,
    /// High in a cycle in which the entry is taken.
    pub order_ready: Signal<Out, Bit>,
    /// High if the packet is a response, whose pieces come from the requester.
    pub order_response: Signal<In, Bit>,
    /// High if the payload is needed again, for the next packet.
    pub order_keeps: Signal<In, Bit>,

    /// High while a piece of the responder is offered.
    pub responder_valid: Signal<In, Bit>,
    /// High in a cycle in which that piece is taken.
    pub responder_ready: Signal<Out, Bit>,
    /// Byte address of that piece.
    pub responder_address: Signal<In, Bits<64>>,
    /// Number of bytes of that piece, 0 to 4096.
    pub responder_length: Signal<In, Bits<13>>,
    /// High if an atomic operates on the eight bytes of that piece.
    pub responder_atomic: Signal<In, Bit>,
    /// High for a piece of the packet's network header.
    pub responder_prefix: Signal<In, Bit>,
    /// High with the last piece of the network header or of the payload.
    pub responder_last: Signal<In, Bit>,
    /// High with the last piece of a packet.
    pub responder_ends: Signal<In, Bit>,
    /// High while a piece of the requester is offered.
    pub requester_valid: Signal<In, Bit>,
    /// High in a cycle in which that piece is taken.
    pub requester_ready: Signal<Out, Bit>,
    /// Byte address of that piece.
    pub requester_address: Signal<In, Bits<64>>,
    /// Number of bytes of that piece, 0 to 4096.
    pub requester_length: Signal<In, Bits<13>>,
    /// `KIND_*` of [`super::PieceQueue`]: `KIND_ATOMIC` if an original value is written.
    pub requester_kind: Signal<In, Bits<2>>,
    /// High with the last piece of a packet.
    pub requester_last: Signal<In, Bit>,

    /// Original values of the requester's atomics, in the order of their pieces.
    pub original: OfferSink<Bits<64>>,
    /// Requests the payload of the oldest packet, or drops it.
    pub command: PayloadCommandSource,

    /// High while a piece can be taken.
    pub piece_ready: Signal<In, Bit>,
    /// High for one cycle for each piece, only with `piece_ready`.
    pub piece_valid: Signal<Out, Bit>,
    /// High for a piece of the requester, low for one of the responder.
    pub piece_requester: Signal<Out, Bit>,
    /// High with the last piece of a network header or of a payload.
    pub piece_last: Signal<Out, Bit>,
    /// High with the last piece of a packet.
    pub piece_ends: Signal<Out, Bit>,
    /// Byte address of the piece.
    pub piece_address: Signal<Out, Bits<64>>,
    /// Number of bytes to write, 0 to 4096.
    pub piece_length: Signal<Out, Bits<13>>,
    /// High for a piece of the responder whose eight bytes an atomic operates on; they are not written.
    pub piece_atomic: Signal<Out, Bit>,
    /// High if `value` is written, not payload.
    pub piece_value: Signal<Out, Bit>,
    /// With `piece_value`: the value, byte 0 at the most significant end.
    pub value: Signal<Out, Bits<64>>,

    /// Keeps 1 | response 1, from the most significant end.
    orders: Fifo<Bits<2>, 6>,
    originals: Fifo<Bits<64>, 4>,
    to_memory: ByteReverse<64>,
    /// High if the packet of the oldest piece is a response.
    order: Register<Bit>,
    /// High if the payload of that packet is needed again.
    keeps: Register<Bit>,
    ordered: Register<Bit>,
    /// Payload commands: keeps 1 | network header 1 | discard 1, from the most significant end. A packet's first piece
    /// need not wait for the link to take its command.
    commands: Fifo<Bits<3>, 2>,
    /// High between the first and the last piece of a network header or of a payload.
    goes_on: Register<Bit>,

    response: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    length: Signal<Local, Bits<13>>,
    without_payload: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    prefix: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    proceeds: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    next_order: Signal<Local, Bit>,
}

impl Logic for PieceSelect {
    #[kernel]
    fn update(&mut self) {
        comment!("@module piece_select");
        dff_setup!(self, clock, goes_on, order, keeps, ordered);
        clock!(self, clock, orders, commands, originals);
        reset!(self, reset, orders, commands, originals);
        self.orders.write_valid.next = self.order_valid.val();
        self.orders.write_data.next = (bit_cast::<2, 1>(self.order_keeps.val().into()) << 1)
            | bit_cast::<2, 1>(self.order_response.val().into());
        self.order_ready.next = self.orders.write_ready.val();
        self.originals.write_valid.next = self.original.valid.val();
        self.originals.write_data.next = self.original.item.val();
        self.original.ready.next = self.originals.write_ready.val();

        // The oldest piece.
        self.response.next = self.order.q.val();
        self.valid.next = self.ordered.q.val() && self.responder_valid.val();
        self.piece_address.next = self.responder_address.val();
        self.length.next = self.responder_length.val();
        self.without_payload.next = self.responder_atomic.val();
        self.last.next = self.responder_last.val();
        self.ends.next = self.responder_ends.val();
        self.prefix.next = self.responder_prefix.val();
        self.waits.next = false;
        if self.response.val() {
            self.valid.next = self.ordered.q.val() && self.requester_valid.val();
            self.piece_address.next = self.requester_address.val();
            self.length.next = self.requester_length.val();
            self.without_payload.next = self.requester_kind.val().get_bit(0);
            self.last.next = self.requester_last.val();
            self.ends.next = self.requester_last.val();
            self.prefix.next = false;
            self.waits.next = self.requester_kind.val().get_bit(0) && !self.originals.read_valid.val();
        }
        self.proceeds.next = self.valid.val() && self.piece_ready.val() && !self.waits.val();
        self.commands.write_valid.next = self.proceeds.val() && !self.goes_on.q.val();
        self.commands.write_data.next = (bit_cast::<3, 1>(self.keeps.q.val().into()) << 2)
            | (bit_cast::<3, 1>(self.prefix.val().into()) << 1)
            | bit_cast::<3, 1>((self.without_payload.val() || !self.length.val().any()).into());
        self.command.keeps.next = self.commands.read_data.val().get_bit(2);
        self.command.prefix.next = self.commands.read_data.val().get_bit(1);
        self.command.valid.next = self.commands.read_valid.val();
        self.command.discard.next = self.commands.read_data.val().get_bit(0);
        self.commands.read_ready.next = self.command.ready.val();
        self.take.next = self.proceeds.val() && (self.goes_on.q.val() || self.commands.write_ready.val());
        self.responder_ready.next = self.take.val() && !self.response.val();
        self.requester_ready.next = self.take.val() && self.response.val();
        self.next_order.next = !self.ordered.q.val() || (self.take.val() && self.ends.val());
        self.orders.read_ready.next = self.next_order.val();
        if self.next_order.val() {
            self.ordered.d.next = self.orders.read_valid.val();
            self.order.d.next = self.orders.read_data.val().get_bit(0);
            self.keeps.d.next = self.orders.read_data.val().get_bit(1);
        }
        self.originals.read_ready.next = self.take.val() && self.response.val() && self.without_payload.val();
        if self.take.val() {
            self.goes_on.d.next = !self.last.val();
        }
        self.piece_valid.next = self.take.val();
        self.piece_length.next = self.length.val();
        self.piece_requester.next = self.response.val();
        self.piece_last.next = self.last.val();
        self.piece_ends.next = self.ends.val();
        self.piece_atomic.next = self.without_payload.val() && !self.response.val();
        self.piece_value.next = self.without_payload.val() && self.response.val();
        self.to_memory.i.next = self.originals.read_data.val();
        self.value.next = self.to_memory.o.val();

        if self.reset.val() {
            self.goes_on.d.next = false;
            self.ordered.d.next = false;
        }
    }
}
