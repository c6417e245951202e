//! Selects the piece that is written next.
use super::{AlignedPiece, AnnouncedPiece, CutPiece, ResponsePiece};
use crate::bundle::PayloadCommandSource;
use hca_hdl::prelude::*;

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

    /// Pieces of the responder.
    pub responder: OfferSink<CutPiece>,
    /// Pieces of the requester.
    pub requester: OfferSink<ResponsePiece>,

    /// Original values of the requester's atomics, in the order of their pieces.
    pub original: OfferSink<Bits<64>>,
    /// Requests the payload of the oldest packet, or drops it.
    pub command: PayloadCommandSource,

    /// High while a piece can be taken.
    pub piece_ready: Signal<In, Bit>,
    /// High for one cycle for each piece, only with `piece_ready`.
    pub piece_valid: Signal<Out, Bit>,
    /// The piece, for the block that announces its bursts.
    pub announced: Signal<Out, AnnouncedPiece>,
    /// The piece, for the block that aligns its bytes.
    pub aligned: Signal<Out, AlignedPiece>,
    /// With `aligned.value`: the value, byte 0 at the most significant end.
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
    address: Signal<Local, Bits<64>>,
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

#[kernel]
impl Logic for PieceSelect {
    fn update(&mut self) {
        clock_and_reset!(self, orders, commands, originals);
        self.orders.write.valid.next = self.order_valid.val();
        self.orders.write.item.next = (bit_cast::<2, 1>(self.order_keeps.val().into()) << 1)
            | bit_cast::<2, 1>(self.order_response.val().into());
        self.order_ready.next = self.orders.write.ready.val();
        OfferSink::<Bits<64>>::link(&mut self.original, &mut self.originals.write);

        // The oldest piece.
        self.response.next = self.order.q.val();
        self.valid.next = self.ordered.q.val() && self.responder.valid.val();
        self.address.next = self.responder.item.val().address;
        self.length.next = self.responder.item.val().length;
        self.without_payload.next = self.responder.item.val().atomic;
        self.last.next = self.responder.item.val().last;
        self.ends.next = self.responder.item.val().ends;
        self.prefix.next = self.responder.item.val().prefix;
        self.waits.next = false;
        if self.response.val() {
            self.valid.next = self.ordered.q.val() && self.requester.valid.val();
            self.address.next = self.requester.item.val().address;
            self.length.next = self.requester.item.val().length;
            self.without_payload.next = self.requester.item.val().kind.get_bit(0);
            self.last.next = self.requester.item.val().last;
            self.ends.next = self.requester.item.val().last;
            self.prefix.next = false;
            self.waits.next = self.requester.item.val().kind.get_bit(0) && !self.originals.read.valid.val();
        }
        self.proceeds.next = self.valid.val() && self.piece_ready.val() && !self.waits.val();
        self.commands.write.valid.next = self.proceeds.val() && !self.goes_on.q.val();
        self.commands.write.item.next = (bit_cast::<3, 1>(self.keeps.q.val().into()) << 2)
            | (bit_cast::<3, 1>(self.prefix.val().into()) << 1)
            | bit_cast::<3, 1>((self.without_payload.val() || !self.length.val().any()).into());
        self.command.keeps.next = self.commands.read.item.val().get_bit(2);
        self.command.prefix.next = self.commands.read.item.val().get_bit(1);
        self.command.valid.next = self.commands.read.valid.val();
        self.command.discard.next = self.commands.read.item.val().get_bit(0);
        self.commands.read.ready.next = self.command.ready.val();
        self.take.next = self.proceeds.val() && (self.goes_on.q.val() || self.commands.write.ready.val());
        self.responder.ready.next = self.take.val() && !self.response.val();
        self.requester.ready.next = self.take.val() && self.response.val();
        self.next_order.next = !self.ordered.q.val() || (self.take.val() && self.ends.val());
        self.orders.read.ready.next = self.next_order.val();
        if self.next_order.val() {
            self.ordered.d.next = self.orders.read.valid.val();
            self.order.d.next = self.orders.read.item.val().get_bit(0);
            self.keeps.d.next = self.orders.read.item.val().get_bit(1);
        }
        self.originals.read.ready.next = self.take.val() && self.response.val() && self.without_payload.val();
        if self.take.val() {
            self.goes_on.d.next = !self.last.val();
        }
        self.piece_valid.next = self.take.val();
        self.announced.next.address = self.address.val();
        self.announced.next.length = self.length.val();
        self.announced.next.last = self.ends.val();
        self.announced.next.requester = self.response.val();
        self.announced.next.atomic = self.without_payload.val() && !self.response.val();
        self.aligned.next.address = self.address.val().get_bits::<10>(0);
        self.aligned.next.length = self.length.val();
        self.aligned.next.last = self.last.val();
        self.aligned.next.value = self.without_payload.val() && self.response.val();
        self.to_memory.i.next = self.originals.read.item.val();
        self.value.next = self.to_memory.o.val();

        if self.reset.val() {
            clear!(self, goes_on, ordered);
        }
    }
}
