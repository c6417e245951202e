//! Cuts the pieces of a packet where its network header ends.
use super::CutPiece;
use crate::bundle::WritePieceSink;
use hca_hdl::prelude::*;

/// The first 40 bytes of a packet of kind `KIND_PREFIXED` are its network header, which the link gives before the
/// payload: a piece that goes beyond them becomes two. Other pieces pass.
#[derive(LogicBlock, SmartDefault)]
pub struct PieceCut {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Pieces of packets.
    pub piece: WritePieceSink,
    /// Pieces that do not cross the end of the network header.
    pub cut: OfferSource<CutPiece>,

    /// High between the first and the last piece of a packet.
    goes_on: Register<Bit>,
    /// Bytes of the network header that are still to come.
    left: Register<Bits<13>>,
    /// High if the part of a piece beyond the network header is offered.
    rests: Register<Bit>,
    rest_address: Register<Bits<64>>,
    rest_length: Register<Bits<13>>,
    rest_last: Register<Bit>,
    wanted: Signal<Local, Bits<13>>,
    crosses: Signal<Local, Bit>,
    #[default(constant(40))]
    prefix_bytes: Constant<Bits<13>>,
}

#[kernel]
impl Logic for PieceCut {
    fn update(&mut self) {
        self.wanted.next = self.left.q.val();
        if !self.goes_on.q.val() {
            self.wanted.next = bits::<13>(0);
            if self.piece.kind.val().get_bit(1) {
                self.wanted.next = self.prefix_bytes.val();
            }
        }
        self.crosses.next = self.wanted.val().any() && (self.piece.length.val() > self.wanted.val());
        self.cut.valid.next = self.piece.valid.val() || self.rests.q.val();
        self.cut.item.next.address = self.piece.address.val();
        self.cut.item.next.length = self.piece.length.val();
        if self.crosses.val() {
            self.cut.item.next.length = self.wanted.val();
        }
        self.cut.item.next.atomic = self.piece.kind.val().get_bit(0);
        self.cut.item.next.prefix = self.wanted.val().any();
        self.cut.item.next.last = self.piece.last.val()
            || (self.wanted.val().any() && (self.piece.length.val() >= self.wanted.val()));
        self.cut.item.next.ends = self.piece.last.val() && !self.crosses.val();
        self.piece.ready.next = self.cut.ready.val() && !self.rests.q.val();
        if self.rests.q.val() {
            self.cut.item.next.address = self.rest_address.q.val();
            self.cut.item.next.length = self.rest_length.q.val();
            self.cut.item.next.atomic = false;
            self.cut.item.next.prefix = false;
            self.cut.item.next.last = self.rest_last.q.val();
            self.cut.item.next.ends = self.rest_last.q.val();
        }
        if self.cut.ready.val() {
            self.rests.d.next = false;
        }
        if self.cut.ready.val() && self.piece.valid.val() && !self.rests.q.val() {
            self.goes_on.d.next = !self.piece.last.val();
            self.left.d.next = self.wanted.val() - self.piece.length.val();
            if self.piece.length.val() >= self.wanted.val() {
                self.left.d.next = bits::<13>(0);
            }
            self.rests.d.next = self.crosses.val();
            self.rest_address.d.next = self.piece.address.val() + bit_cast::<64, 13>(self.wanted.val());
            self.rest_length.d.next = self.piece.length.val() - self.wanted.val();
            self.rest_last.d.next = self.piece.last.val();
        }
        if self.reset.val() {
            clear!(self, goes_on, rests);
        }
    }
}
