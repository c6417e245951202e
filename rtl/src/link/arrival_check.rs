//! Decides which packets count for credits.
use crate::wire::VcrcCheck;
use hca_hdl::prelude::*;

/// Judges VCRC, end and length of a packet as it arrives (`protocol/link.md` section 9 rows 2 and 4): only a packet
/// that passes is added to ABR. The verdict follows four clocks after the last beat.
///
/// The packet is judged again, for its other faults too, when it leaves the buffer.
#[derive(LogicBlock, SmartDefault)]
pub struct ArrivalCheck<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High in a cycle with a beat ([`crate::wire::Ingress`]).
    pub valid: Signal<In, Bit>,
    /// High with the first beat of a packet.
    pub first: Signal<In, Bit>,
    /// High with the last beat of a packet.
    pub last: Signal<In, Bit>,
    /// The beat, byte 0 at the most significant end.
    pub data: Signal<In, Bits<W>>,
    /// Number of whole 32-bit words in the last beat of a packet; 16 reads as 0.
    pub end_word: Signal<In, Bits<4>>,
    /// Number of bytes in the last beat of a packet.
    pub count: Signal<In, Bits<7>>,
    /// Number of the beat in its packet, from 0 on.
    pub beat: Signal<In, Bits<11>>,
    /// High with the last beat of a packet that ends as bad.
    pub ends_bad: Signal<In, Bit>,
    /// VL of the packet, with its last beat.
    pub vl: Signal<In, Bits<4>>,
    /// Blocks of 64 bytes of the packet, with its last beat.
    pub blocks: Signal<In, Bits<7>>,
    /// High for one cycle, four clocks after the last beat, when the packet counts for credits.
    pub received: Signal<Out, Bit>,
    /// While `received` is high: VL of that packet.
    pub received_vl: Signal<Out, Bits<4>>,
    /// While `received` is high: blocks of that packet.
    pub received_blocks: Signal<Out, Bits<7>>,
    vcrc: VcrcCheck<W>,
    /// Fields of the LRH of the packet under way: LNH 2, PktLen 11.
    header: Register<Bits<13>>,
    // First clock after the last beat: bytes that came, and PktLen.
    ended: Register<Bit>,
    total: Register<Bits<18>>,
    fields: Register<Bits<13>>,
    bad: Register<Bit>,
    place: Register<Bits<11>>,
    // Second clock: their comparison.
    compared: Register<Bit>,
    other_length: Register<Bit>,
    wrong_length: Register<Bit>,
    compared_place: Register<Bits<11>>,
    // `sound` is known a clock before the VCRC's verdict; `counts` joins the two.
    sound: Register<Bit>,
    sound_place: Register<Bits<11>>,
    counts: Register<Bit>,
    counted_place: Register<Bits<11>>,
    front: Signal<Local, Bits<48>>,
    current: Signal<Local, Bits<13>>,
    words: Signal<Local, Bits<11>>,
    #[default(constant((W / 8).trailing_zeros()))]
    byte_shift: Constant<Bits<3>>,
    #[default(constant(W - 48))]
    to_front: Constant<Bits<10>>,
}

#[kernel]
impl<const W: usize> Logic for ArrivalCheck<W> {
    fn update(&mut self) {
        clock!(self, clock, vcrc);
        inputs!(self.vcrc, valid, first, data, end_word);

        self.front.next = (self.data.val() >> self.to_front.val()).get_bits::<48>(0);
        self.current.next = self.header.q.val();
        if self.first.val() {
            self.current.next = (bit_cast::<13, 2>(self.front.val().get_bits::<2>(32)) << 11)
                | bit_cast::<13, 11>(self.front.val().get_bits::<11>(0));
        }
        if self.valid.val() {
            self.header.d.next = self.current.val();
        }
        self.ended.d.next = self.valid.val() && self.last.val();
        self.total.d.next = (bit_cast::<18, 11>(self.beat.val()) << self.byte_shift.val())
            + bit_cast::<18, 7>(self.count.val());
        self.fields.d.next = self.current.val();
        self.bad.d.next = self.ends_bad.val();
        // VL 4, blocks 7.
        self.place.d.next = (bit_cast::<11, 4>(self.vl.val()) << 7) | bit_cast::<11, 7>(self.blocks.val());

        self.words.next = self.fields.q.val().get_bits::<11>(0);
        self.compared.d.next = self.ended.q.val() && !self.bad.q.val();
        self.other_length.d.next =
            self.total.q.val() != ((bit_cast::<18, 11>(self.words.val()) << 2) | bits::<18>(2));
        self.wrong_length.d.next = (self.words.val() < 5)
            || (self.words.val() > 1055)
            || (self.fields.q.val().get_bit(12) && (self.words.val() < 6))
            || (self.fields.q.val().get_bits::<2>(11).all() && (self.words.val() < 16));
        self.compared_place.d.next = self.place.q.val();

        self.sound.d.next = self.compared.q.val() && !self.other_length.q.val() && !self.wrong_length.q.val();
        self.sound_place.d.next = self.compared_place.q.val();
        self.counts.d.next = self.sound.q.val() && self.vcrc.ok.val();
        self.counted_place.d.next = self.sound_place.q.val();
        self.received.next = self.counts.q.val();
        self.received_vl.next = self.counted_place.q.val().get_bits::<4>(7);
        self.received_blocks.next = self.counted_place.q.val().get_bits::<7>(0);
        if self.reset.val() {
            clear!(self, ended, compared, sound, counts);
        }
    }
}
