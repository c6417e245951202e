//! Turns beats of a packet into beats of its payload.
use hca_hdl::prelude::*;

/// Shifts payload so that its byte 0 is the first of a beat, as fast as the packet comes in.
///
/// A beat of payload is made of two successive beats of the packet, or of the last one alone, and leaves when the
/// second has come, or a clock after the last; beats of two packets never mix. `aligned_valid` follows two clocks after
/// the beat of the packet that ends it. The beat after a packet's last may hold no payload; `PacketBuffer` keeps only
/// as many beats as the packet has.
#[derive(LogicBlock, SmartDefault)]
pub struct PayloadAlign<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for each cycle that brings a beat of the packet.
    pub valid: Signal<In, Bit>,
    /// High with the packet's last beat.
    pub last: Signal<In, Bit>,
    /// The whole 32-bit words of the packet in this beat.
    pub body: Signal<In, Bits<W>>,
    /// Number of 32-bit words before the payload, from the packet's first.
    pub start: Signal<In, Bits<5>>,
    /// High if payload began in this beat or an earlier one.
    pub carries: Signal<In, Bit>,
    /// High for each cycle in which a beat of payload leaves.
    pub aligned_valid: Signal<Out, Bit>,
    /// A beat of payload, byte 0 at the most significant end.
    pub aligned: Signal<Out, Bits<W>>,
    // By up to three words.
    little: Register<Bits<W>>,
    little_turn: Register<Bits<4>>,
    little_valid: Register<Bit>,
    little_last: Register<Bit>,
    little_carries: Register<Bit>,
    // By up to twelve more.
    turned: Register<Bits<W>>,
    turn: Register<Bits<4>>,
    turned_valid: Register<Bit>,
    turned_last: Register<Bit>,
    turned_carries: Register<Bit>,
    // The beat before.
    former: Register<Bits<W>>,
    former_turn: Register<Bits<4>>,
    former_last: Register<Bit>,
    former_carries: Register<Bit>,
    words: Signal<Local, Bits<4>>,
    by_one: Signal<Local, Bits<W>>,
    by_two: Signal<Local, Bits<W>>,
    by_four: Signal<Local, Bits<W>>,
    by_eight: Signal<Local, Bits<W>>,
    from_former: Signal<Local, Bits<W>>,
    #[default(constant(W / 32 - 1))]
    word_mask: Constant<Bits<5>>,
    // A turn by whole beats changes nothing.
    #[default(constant(32 % W))]
    left_one: Constant<Bits<10>>,
    #[default(constant(64 % W))]
    left_two: Constant<Bits<10>>,
    #[default(constant(128 % W))]
    left_four: Constant<Bits<10>>,
    #[default(constant(256 % W))]
    left_eight: Constant<Bits<10>>,
    #[default(constant(W - 32 % W))]
    right_one: Constant<Bits<10>>,
    #[default(constant(W - 64 % W))]
    right_two: Constant<Bits<10>>,
    #[default(constant(W - 128 % W))]
    right_four: Constant<Bits<10>>,
    #[default(constant(W - 256 % W))]
    right_eight: Constant<Bits<10>>,
    #[default(Constant::new(!Bits::<W>::default()))]
    ones: Constant<Bits<W>>,
}

#[kernel]
impl<const W: usize> Logic for PayloadAlign<W> {
    fn update(&mut self) {
        self.words.next = bit_cast::<4, 5>(self.start.val() & self.word_mask.val());
        self.little_turn.d.next = self.words.val();
        self.little_valid.d.next = self.valid.val();
        self.little_last.d.next = self.last.val();
        self.little_carries.d.next = self.carries.val();
        self.by_one.next = self.body.val();
        if self.words.val().get_bit(0) {
            self.by_one.next =
                (self.body.val() << self.left_one.val()) | (self.body.val() >> self.right_one.val());
        }
        self.by_two.next = self.by_one.val();
        if self.words.val().get_bit(1) {
            self.by_two.next =
                (self.by_one.val() << self.left_two.val()) | (self.by_one.val() >> self.right_two.val());
        }
        self.little.d.next = self.by_two.val();

        self.turn.d.next = self.little_turn.q.val();
        self.turned_valid.d.next = self.little_valid.q.val();
        self.turned_last.d.next = self.little_last.q.val();
        self.turned_carries.d.next = self.little_carries.q.val();
        self.by_four.next = self.little.q.val();
        if self.little_turn.q.val().get_bit(2) {
            self.by_four.next = (self.little.q.val() << self.left_four.val())
                | (self.little.q.val() >> self.right_four.val());
        }
        self.by_eight.next = self.by_four.val();
        if self.little_turn.q.val().get_bit(3) {
            self.by_eight.next = (self.by_four.val() << self.left_eight.val())
                | (self.by_four.val() >> self.right_eight.val());
        }
        self.turned.d.next = self.by_eight.val();

        // Words that a turn took off the front come at the end: they belong to the beat before.
        self.from_former.next = self.ones.val() << (bit_cast::<9, 4>(self.former_turn.q.val()) << 5);
        self.aligned.next =
            (self.former.q.val() & self.from_former.val()) | (self.turned.q.val() & !self.from_former.val());
        self.aligned_valid.next =
            self.former_carries.q.val() && (self.turned_valid.q.val() || self.former_last.q.val());
        if self.former_last.q.val() {
            self.former_last.d.next = false;
            self.former_carries.d.next = false;
        }
        if self.turned_valid.q.val() {
            self.former.d.next = self.turned.q.val();
            self.former_turn.d.next = self.turn.q.val();
            self.former_last.d.next = self.turned_last.q.val();
            self.former_carries.d.next = self.turned_carries.q.val();
        }
        if self.reset.val() {
            clear!(self, little_valid, turned_valid, former_last, former_carries);
        }
    }
}
