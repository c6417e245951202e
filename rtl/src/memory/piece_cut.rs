//! Cuts the pieces of a packet where its network header ends.
use hca_hdl::primitive::{comment, constant, dff_setup, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// The first 40 bytes of a packet of kind `KIND_PREFIXED` are its network header, which the link gives before the
/// payload: a piece that goes beyond them becomes two. Other pieces pass.
#[derive(LogicBlock, SmartDefault)]
pub struct PieceCut {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while a piece is offered.
    pub valid: Signal<In, Bit>,
    /// High in the cycle in which it is taken.
    pub ready: Signal<Out, Bit>,
    /// Address in host memory that the piece is written to.
    pub address: Signal<In, Bits<64>>,
    /// Bytes of the piece, 0 to 4096.
    pub length: Signal<In, Bits<13>>,
    /// `KIND_*` of [`super::PieceQueue`].
    pub kind: Signal<In, Bits<2>>,
    /// High with the last piece of a packet.
    pub last: Signal<In, Bit>,

    /// High while a piece that does not cross the end of the network header is offered.
    pub cut_valid: Signal<Out, Bit>,
    /// High in the cycle in which the cut piece is taken.
    pub cut_ready: Signal<In, Bit>,
    /// Address in host memory that the cut piece is written to.
    pub cut_address: Signal<Out, Bits<64>>,
    /// Bytes of the cut piece, 0 to 4096.
    pub cut_length: Signal<Out, Bits<13>>,
    /// High for the eight bytes of an atomic.
    pub cut_atomic: Signal<Out, Bit>,
    /// High for a piece of the network header.
    pub cut_prefix: Signal<Out, Bit>,
    /// High with the last piece of the network header or of the payload.
    pub cut_last: Signal<Out, Bit>,
    /// High with the last piece of a packet.
    pub cut_ends: Signal<Out, Bit>,

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

impl Logic for PieceCut {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module piece_cut");
        dff_setup!(self, clock, goes_on, left, rests, rest_address, rest_length, rest_last);
        self.wanted.next = self.left.q.val();
        if !self.goes_on.q.val() {
            self.wanted.next = bits::<13>(0);
            if self.kind.val().get_bit(1) {
                self.wanted.next = self.prefix_bytes.val();
            }
        }
        self.crosses.next = self.wanted.val().any() && (self.length.val() > self.wanted.val());
        self.cut_valid.next = self.valid.val() || self.rests.q.val();
        self.cut_address.next = self.address.val();
        self.cut_length.next = self.length.val();
        if self.crosses.val() {
            self.cut_length.next = self.wanted.val();
        }
        self.cut_atomic.next = self.kind.val().get_bit(0);
        self.cut_prefix.next = self.wanted.val().any();
        self.cut_last.next =
            self.last.val() || (self.wanted.val().any() && (self.length.val() >= self.wanted.val()));
        self.cut_ends.next = self.last.val() && !self.crosses.val();
        self.ready.next = self.cut_ready.val() && !self.rests.q.val();
        if self.rests.q.val() {
            self.cut_address.next = self.rest_address.q.val();
            self.cut_length.next = self.rest_length.q.val();
            self.cut_atomic.next = false;
            self.cut_prefix.next = false;
            self.cut_last.next = self.rest_last.q.val();
            self.cut_ends.next = self.rest_last.q.val();
        }
        if self.cut_ready.val() {
            self.rests.d.next = false;
        }
        if self.cut_ready.val() && self.valid.val() && !self.rests.q.val() {
            self.goes_on.d.next = !self.last.val();
            self.left.d.next = self.wanted.val() - self.length.val();
            if self.length.val() >= self.wanted.val() {
                self.left.d.next = bits::<13>(0);
            }
            self.rests.d.next = self.crosses.val();
            self.rest_address.d.next = self.address.val() + bit_cast::<64, 13>(self.wanted.val());
            self.rest_length.d.next = self.length.val() - self.wanted.val();
            self.rest_last.d.next = self.last.val();
        }
        if self.reset.val() {
            self.goes_on.d.next = false;
            self.rests.d.next = false;
        }
    }
}
