//! Merges requests and responses, each with the pieces of its payload, into one order.
use super::TransmitPacket;
use crate::bundle::{PieceSource, PlannedPieceSink};
use hca_hdl::prelude::*;

/// Takes packets of both sides in turn, and passes on the pieces of one packet before those of the next.
///
/// A packet with payload has pieces, the last of them marked; they may come after it. A packet without payload has
/// none: a piece of length 0 is discarded.
#[derive(LogicBlock, Default)]
pub struct Intake {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Request packets.
    pub request: OfferSink<TransmitPacket>,
    /// High if the request has payload.
    pub request_carries: Signal<In, Bit>,
    /// High if a request is valid in the next cycle.
    pub request_comes: Signal<In, Bit>,
    /// Pieces of the payload of requests.
    pub request_piece: PlannedPieceSink,

    /// Read responses and atomic acks.
    pub response: OfferSink<TransmitPacket>,
    /// High if the response has payload.
    pub response_carries: Signal<In, Bit>,
    /// High if a response is valid in the next cycle.
    pub response_comes: Signal<In, Bit>,
    /// Pieces of the payload of responses.
    pub response_piece: PlannedPieceSink,

    /// Packets of both sides in turn.
    pub packet: OfferSource<TransmitPacket>,
    /// High if the packet has payload.
    pub packet_carries: Signal<Out, Bit>,
    /// Pieces of these packets.
    pub piece: PieceSource,

    /// High while pieces of a packet that was taken are still to come.
    gathers: Register<Bit>,
    /// High if that packet is a response.
    gathers_response: Register<Bit>,
    response_next: Register<Bit>,
    /// High if the response goes first in this clock: no request is valid, or it is the response's turn.
    takes_response: Register<Bit>,

    in_turn: Signal<Local, Bit>,
    payload: Signal<Local, Bit>,
    pieces_pass: Signal<Local, Bit>,
    of_response: Signal<Local, Bit>,
    request_empty: Signal<Local, Bit>,
    response_empty: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Intake {
    fn update(&mut self) {
        // Packets.
        self.packet.item.next = self.request.item.val();
        self.payload.next = self.request_carries.val();
        if self.takes_response.q.val() {
            self.packet.item.next = self.response.item.val();
            self.payload.next = self.response_carries.val();
        }
        self.packet_carries.next = self.payload.val();
        self.packet.valid.next =
            (self.request.valid.val() || self.response.valid.val()) && !self.gathers.q.val();
        self.request.ready.next =
            self.packet.ready.val() && !self.gathers.q.val() && !self.takes_response.q.val();
        self.response.ready.next =
            self.packet.ready.val() && !self.gathers.q.val() && self.takes_response.q.val();

        // Pieces, from the clock on in which their packet is taken.
        self.of_response.next = self.takes_response.q.val();
        self.pieces_pass.next = (self.request.valid.val() || self.response.valid.val())
            && self.packet.ready.val()
            && self.payload.val();
        if self.gathers.q.val() {
            self.of_response.next = self.gathers_response.q.val();
            self.pieces_pass.next = true;
        }
        self.request_empty.next = self.request_piece.nothing.val();
        self.response_empty.next = self.response_piece.nothing.val();
        self.passes.next =
            self.pieces_pass.val() && self.request_piece.valid.val() && !self.request_empty.val();
        inputs!(self.piece, address: request_piece.address, length: request_piece.length);
        self.ends.next = self.request_piece.last.val();
        if self.of_response.val() {
            self.passes.next =
                self.pieces_pass.val() && self.response_piece.valid.val() && !self.response_empty.val();
            inputs!(self.piece, address: response_piece.address, length: response_piece.length);
            self.ends.next = self.response_piece.last.val();
        }
        inputs!(self.piece, valid: passes, last: ends);
        self.request_piece.ready.next = self.request_empty.val()
            || (self.pieces_pass.val() && !self.of_response.val() && self.piece.ready.val());
        self.response_piece.ready.next = self.response_empty.val()
            || (self.pieces_pass.val() && self.of_response.val() && self.piece.ready.val());

        if self.pieces_pass.val() {
            self.gathers.d.next = !(self.passes.val() && self.ends.val() && self.piece.ready.val());
            self.gathers_response.d.next = self.of_response.val();
        }
        self.in_turn.next = self.response_next.q.val();
        if self.packet.ready.val() && !self.gathers.q.val() {
            self.in_turn.next = !self.takes_response.q.val();
        }
        self.response_next.d.next = self.in_turn.val() && !self.reset.val();
        self.takes_response.d.next = self.response_comes.val()
            && ((self.in_turn.val() && !self.reset.val()) || !self.request_comes.val());
        if self.reset.val() {
            self.gathers.d.next = false;
        }
    }
}
