//! Stores the network headers of packets until their payload is read.
use hca_hdl::prelude::*;

/// Keeps the 40 bytes that a datagram has in front of its payload (`protocol/ud.md` section 3.2) of up to 64 packets,
/// as words of a beat each. The slot of a refused packet is free once those before it are read.
///
/// A word is stored as soon as the beats that hold it have arrived; every datagram with such a header has enough of
/// them. One of `IB` and `ROCE` is 1.
#[derive(LogicBlock, SmartDefault)]
pub struct NetworkStore<const W: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for each cycle that brings a beat.
    pub valid: Signal<In, Bit>,
    /// Number of that beat in its packet, from 0.
    pub beat: Signal<In, Bits<11>>,
    /// High for one cycle when a packet has ended: the cycle after its last beat.
    pub ended: Signal<In, Bit>,
    /// First 120 bytes of the packet, as far as they had arrived in the cycle before, byte 0 at the most significant
    /// end.
    pub flat: Signal<In, Bits<960>>,
    /// High if that packet has the long network header (GRH or IPv6).
    pub long: Signal<In, Bit>,
    /// High for one cycle with the verdict on the oldest packet that has none.
    pub judged: Signal<In, Bit>,
    /// Slot of that packet.
    pub slot: Signal<Out, Bits<6>>,
    /// High if an accepted packet waits for its payload to be read.
    pub waits: Signal<In, Bit>,
    /// Slot of the oldest accepted packet whose payload is not read.
    pub oldest: Signal<In, Bits<6>>,
    /// Number of the word of that slot that is read, from 0.
    pub part: Signal<In, Bits<3>>,
    /// The word that `oldest` and `part` named in the cycle before, byte 0 at the most significant end; the last one
    /// ends with zeros.
    pub word: Signal<Out, Bits<W>>,
    /// High while there is room for 12 more packets; registered.
    pub open: Signal<Out, Bit>,
    #[default(BlockRam::without_collisions())]
    memory: BlockRam<Bits<W>, 9>,
    /// Slot of the next packet to end.
    tail: Register<Bits<6>>,
    /// Slot of the next packet to be judged.
    judging: Register<Bits<6>>,
    roomy: Register<Bit>,
    arrived: Register<Bit>,
    arrived_beat: Register<Bits<11>>,
    used: Signal<Local, Bits<6>>,
    header: Signal<Local, Bits<320>>,
    shifted: Signal<Local, Bits<320>>,
    stores: Signal<Local, Bits<11>>,
    #[default(constant(first_beat(W / 8, ROCE == 1)))]
    first_beat: Constant<Bits<11>>,
    #[default(constant(320usize.div_ceil(W)))]
    words: Constant<Bits<11>>,
    #[default(constant(W.trailing_zeros()))]
    word_shift: Constant<Bits<9>>,
    #[default(constant(320usize.saturating_sub(W)))]
    right: Constant<Bits<9>>,
    #[default(constant(W.saturating_sub(320)))]
    left: Constant<Bits<9>>,
}

/// Number of the beat with which word 0 is stored and after which each beat completes one more, of beats of `bytes`.
fn first_beat(bytes: usize, roce: bool) -> usize {
    // The GRH begins at byte 8, an IPv6 header at 16, and the last 20 bytes are those of an IPv4 header at 16.
    let header = if roce { 16 } else { 8 };
    (0..40usize.div_ceil(bytes))
        .map(|word| (header + 40.min((word + 1) * bytes) - 1) / bytes - word)
        .max()
        .unwrap_or(0)
}

#[kernel]
impl<const W: usize, const IB: usize, const ROCE: usize> Logic for NetworkStore<W, IB, ROCE> {
    fn update(&mut self) {
        clock!(self, clock, memory);
        // The GRH, from bit 895 down; without meaning for a packet that has none.
        for _i in 0..IB {
            self.header.next = self.flat.val().get_bits::<320>(576);
        }
        // IP, from bit 831 down; an IPv4 header comes behind 20 bytes of zero.
        for _i in 0..ROCE {
            self.header.next = bit_cast::<320, 160>(self.flat.val().get_bits::<160>(672));
            if self.long.val() {
                self.header.next = self.flat.val().get_bits::<320>(512);
            }
        }
        self.arrived.d.next = self.valid.val();
        self.arrived_beat.d.next = self.beat.val();
        self.stores.next = self.arrived_beat.q.val() - self.first_beat.val();
        self.memory.write_enable.next = self.arrived.q.val() && (self.stores.val() < self.words.val());
        self.memory.write_address.next =
            (bit_cast::<9, 6>(self.tail.q.val()) << 3) | bit_cast::<9, 3>(self.stores.val().get_bits::<3>(0));
        self.shifted.next = self.header.val()
            << (bit_cast::<9, 3>(self.stores.val().get_bits::<3>(0)) << self.word_shift.val());
        self.memory.write_data.next =
            bit_cast::<W, 320>(self.shifted.val() >> self.right.val()) << self.left.val();
        if self.ended.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.judged.val() {
            self.judging.d.next = self.judging.q.val() + 1;
        }
        self.slot.next = self.judging.q.val();
        self.memory.read_address.next =
            (bit_cast::<9, 6>(self.oldest.val()) << 3) | bit_cast::<9, 3>(self.part.val());
        self.word.next = self.memory.read_data.val();
        self.used.next = self.tail.q.val() - self.judging.q.val();
        if self.waits.val() {
            self.used.next = self.tail.q.val() - self.oldest.val();
        }
        self.roomy.d.next = self.used.val() < 48;
        self.open.next = self.roomy.q.val();
        if self.reset.val() {
            self.tail.d.next = 0.into();
            self.judging.d.next = 0.into();
            clear!(self, roomy, arrived);
        }
    }
}
