//! Joins pieces of any length and alignment to one aligned stream.
use super::JoinedPiece;
use hca_hdl::prelude::*;

/// Cuts each piece out of the bus beats that hold it and puts the pieces of a packet end to end.
///
/// Takes a beat of the bus and delivers a beat of the stream a cycle; byte 0 is at the most significant end of both.
/// `W`: bits of the stream; `M`: bits of the bus, `W` or 2 `W`; `A` = `W` + `M`.
#[derive(LogicBlock, SmartDefault)]
pub struct PieceJoin<const W: usize, const M: usize, const A: usize> {
    #[default(provided(
        A == W + M && (M == W || M == 2 * W) && M <= 512,
        "the generics contradict each other"
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The pieces.
    pub piece: OfferSink<JoinedPiece>,

    /// Beats of the bus. Those of all pieces come in order.
    pub beat: OfferSink<Bits<M>>,

    /// Beats of payload. Each packet has ceil(bytes / (`W` / 8)) beats; the bytes behind its end are undefined.
    pub payload: OfferSource<Bits<W>>,

    /// High while the beats of a piece come in.
    active: Register<Bit>,
    /// Byte of its next beat at which the piece goes on.
    offset: Register<Bits<6>>,
    /// Number of bytes from the start of its next beat to the end of the piece.
    reach: Register<Bits<13>>,
    /// High if the piece is the last of its packet.
    last: Register<Bit>,

    /// High while `cut` holds bytes.
    cut_valid: Register<Bit>,
    /// Bytes of the piece in one beat, shifted to the most significant end.
    cut: Register<Bits<M>>,
    /// Number of these bytes.
    cut_bytes: Register<Bits<8>>,
    /// High if they end the packet.
    cut_last: Register<Bit>,

    /// Bytes of one packet that wait for the stream, from the most significant end.
    window: Register<Bits<A>>,
    /// Number of bytes in the window.
    filled: Register<Bits<8>>,
    /// High if the window holds at least one beat.
    whole: Register<Bit>,
    /// High if the window holds more than one beat.
    above: Register<Bit>,
    /// High if the window holds at least two beats.
    two: Register<Bit>,
    /// High if the packet's last byte is in the window.
    complete: Register<Bit>,

    ends_piece: Signal<Local, Bit>,
    take_beat: Signal<Local, Bit>,
    final_beat: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    vacant: Signal<Local, Bit>,
    take_cut: Signal<Local, Bit>,
    kept_bytes: Signal<Local, Bits<8>>,
    joined_bytes: Signal<Local, Bits<8>>,
    kept: Signal<Local, Bits<W>>,
    place: Signal<Local, Bits<10>>,

    #[default(constant(M / 8))]
    bus_bytes: Constant<Bits<13>>,
    #[default(constant(W / 8))]
    stream_bytes: Constant<Bits<8>>,
    #[default(constant(W / 4))]
    two_beats: Constant<Bits<8>>,
    #[default(constant(W))]
    width: Constant<Bits<10>>,
    #[default(constant(M))]
    bus_width: Constant<Bits<10>>,
    #[default(Constant::new(!Bits::<W>::default()))]
    ones: Constant<Bits<W>>,
    #[default(constant(W / 8 - 1))]
    within_beat: Constant<Bits<8>>,
}

#[kernel]
impl<const W: usize, const M: usize, const A: usize> Logic for PieceJoin<W, M, A> {
    fn update(&mut self) {
        // Towards the stream. New bytes are added when less than one beat is left.
        self.final_beat.next = self.complete.q.val() && !self.above.q.val();
        self.payload.valid.next = self.whole.q.val() || self.complete.q.val();
        self.payload.item.next = bit_cast::<W, A>(self.window.q.val() >> self.bus_width.val());
        self.leaves.next = (self.whole.q.val() || self.complete.q.val()) && self.payload.ready.val();
        self.vacant.next = !self.whole.q.val() || (self.payload.ready.val() && !self.two.q.val());
        if self.complete.q.val() {
            self.vacant.next = self.payload.ready.val() && self.final_beat.val();
        }
        self.take_cut.next = self.cut_valid.q.val() && self.vacant.val();

        self.kept_bytes.next = self.filled.q.val() & self.within_beat.val();
        if self.complete.q.val() {
            self.kept_bytes.next = 0.into();
        }
        self.joined_bytes.next = self.kept_bytes.val() + self.cut_bytes.q.val();
        self.place.next = bit_cast::<10, 8>(self.kept_bytes.val()) << 3;
        self.kept.next = bit_cast::<W, A>(self.window.q.val() >> self.bus_width.val());
        if self.whole.q.val() {
            self.kept.next =
                bit_cast::<W, A>((self.window.q.val() << self.width.val()) >> self.bus_width.val());
        }
        if self.leaves.val() {
            self.window.d.next = self.window.q.val() << self.width.val();
            self.filled.d.next = self.filled.q.val() - self.stream_bytes.val();
            // The window never holds three beats.
            self.whole.d.next = self.two.q.val();
            self.above.d.next = self.filled.q.val() > self.two_beats.val();
            self.two.d.next = false;
            if self.final_beat.val() {
                self.filled.d.next = 0.into();
                self.whole.d.next = false;
                self.above.d.next = false;
                self.complete.d.next = false;
            }
        }
        if self.take_cut.val() {
            self.window.d.next = (bit_cast::<A, W>(self.kept.val() & !(self.ones.val() >> self.place.val()))
                << self.bus_width.val())
                | ((bit_cast::<A, M>(self.cut.q.val()) << self.width.val()) >> self.place.val());
            self.filled.d.next = self.joined_bytes.val();
            self.whole.d.next = self.joined_bytes.val() >= self.stream_bytes.val();
            self.above.d.next = self.joined_bytes.val() > self.stream_bytes.val();
            self.two.d.next = self.joined_bytes.val() >= self.two_beats.val();
            self.complete.d.next = self.cut_last.q.val();
        }

        // From the bus.
        self.ends_piece.next = self.reach.q.val() <= self.bus_bytes.val();
        self.take_beat.next =
            self.active.q.val() && self.beat.valid.val() && (!self.cut_valid.q.val() || self.vacant.val());
        self.beat.ready.next = self.active.q.val() && (!self.cut_valid.q.val() || self.vacant.val());
        if self.take_cut.val() {
            self.cut_valid.d.next = false;
        }
        if self.take_beat.val() {
            self.cut_valid.d.next = true;
            self.cut.d.next = self.beat.item.val() << (bit_cast::<10, 6>(self.offset.q.val()) << 3);
            self.cut_bytes.d.next =
                bit_cast::<8, 13>(self.bus_bytes.val()) - bit_cast::<8, 6>(self.offset.q.val());
            self.cut_last.d.next = false;
            if self.ends_piece.val() {
                self.cut_bytes.d.next =
                    bit_cast::<8, 13>(self.reach.q.val()) - bit_cast::<8, 6>(self.offset.q.val());
                self.cut_last.d.next = self.last.q.val();
                self.active.d.next = false;
            }
            self.offset.d.next = 0.into();
            self.reach.d.next = self.reach.q.val() - self.bus_bytes.val();
        }
        self.piece.ready.next = !self.active.q.val() || (self.take_beat.val() && self.ends_piece.val());
        if self.piece.valid.val() && (!self.active.q.val() || (self.take_beat.val() && self.ends_piece.val()))
        {
            self.active.d.next = true;
            self.offset.d.next = self.piece.item.val().offset;
            self.reach.d.next =
                self.piece.item.val().length + bit_cast::<13, 6>(self.piece.item.val().offset);
            self.last.d.next = self.piece.item.val().last;
        }

        if self.reset.val() {
            self.filled.d.next = 0.into();
            clear!(self, active, cut_valid, whole, above, two, complete);
        }
    }
}
