//! Turns the stream port into beats of packets.
use super::keep_count::KeepCount;
use hca_hdl::prelude::*;

/// Takes beats from the stream while `open`, turns them to network order, and counts them.
///
/// Ethernet frames (`ROCE`) get two zero bytes in front: the Ethernet header then has 16 bytes, and everything from the
/// IP header on is aligned to whole words. A legal frame needs no extra beat for this; bytes that would need one are
/// cut off. All outputs are registered, except `next_valid` and `next_body`; all but the last three describe one beat
/// while `valid`.
#[derive(LogicBlock, SmartDefault)]
pub struct Ingress<const W: usize, const K: usize, const IB: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The stream of the link, byte 0 of a packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// High with a beat of the port's own packet ([`super::Loopback`]).
    pub own: Signal<In, Bit>,
    /// High while there is room for some beats more than those under way; the input must come from registers.
    pub open: Signal<In, Bit>,
    /// High for each cycle that brings a beat.
    pub valid: Signal<Out, Bit>,
    /// High with a beat of the port's own packet.
    pub taken_own: Signal<Out, Bit>,
    /// The beat as it came, in network order, with zeros beyond the packet's end.
    pub data: Signal<Out, Bits<W>>,
    /// The whole 32-bit words of the packet in this beat, zeros beyond them: no VCRC, no odd bytes of padding.
    pub body: Signal<Out, Bits<W>>,
    /// Number of whole words in a last beat; 16 reads as 0.
    pub end_word: Signal<Out, Bits<4>>,
    /// High with the packet's last beat.
    pub last: Signal<Out, Bit>,
    /// High with the packet's first beat.
    pub first: Signal<Out, Bit>,
    /// Number of the beat in its packet, from 0; counts up to 2047 and stays there.
    pub beat: Signal<Out, Bits<11>>,
    /// Number of bytes of a last beat as it arrived, 0 to `K`.
    pub count: Signal<Out, Bits<7>>,
    /// `beat` of the next cycle, if a beat is taken in this one.
    pub upcoming: Signal<Out, Bits<11>>,
    /// `valid` of the next cycle.
    pub next_valid: Signal<Out, Bit>,
    /// `body` of the next cycle.
    pub next_body: Signal<Out, Bits<W>>,
    bytes: Concat<8, K, W>,
    body_mask: Concat<8, K, W>,
    keep_count: KeepCount<K>,
    taken: Register<Bit>,
    is_own: Register<Bit>,
    taken_data: Register<Bits<W>>,
    taken_body: Register<Bits<W>>,
    taken_end: Register<Bits<4>>,
    taken_last: Register<Bit>,
    taken_first: Register<Bit>,
    taken_beat: Register<Bits<11>>,
    taken_count: Register<Bits<7>>,
    next_beat: Register<Bits<11>>,
    carried: Register<Bits<16>>,
    take: Signal<Local, Bit>,
    keep: Signal<Local, Bits<K>>,
    placed: Signal<Local, Bits<W>>,
    placed_keep: Signal<Local, Bits<K>>,
    placed_count: Signal<Local, Bits<7>>,
    whole: Signal<Local, Bits<K>>,
    whole_pair: Signal<Local, Bits<K>>,
    whole_word: Signal<Local, Bits<K>>,
    #[default(
        Constant::new( ((0..K).step_by(4)).fold(Bits::default(), |mask: Bits<K>, bit| mask.replace_bit(bit, true)), )
    )]
    word_starts: Constant<Bits<K>>,
    #[default(constant(W - 16))]
    to_front: Constant<Bits<10>>,
}

#[kernel]
impl<const W: usize, const K: usize, const IB: usize, const ROCE: usize> Logic for Ingress<W, K, IB, ROCE> {
    fn update(&mut self) {
        self.s_axis.tready.next = self.open.val();
        self.take.next = self.s_axis.tvalid.val() && self.open.val();

        // Only a last beat may be partial.
        self.keep.next = !bits::<K>(0);
        if self.s_axis.tlast.val() {
            self.keep.next = self.s_axis.tkeep.val();
        }
        self.keep_count.keep.next = self.keep.val();
        for i in 0..K {
            self.bytes.i[i].next = 0.into();
            if self.keep.val().get_bit(i) {
                self.bytes.i[i].next = self.s_axis.tdata.val().get_bits::<8>(i * 8);
            }
        }
        for _i in 0..IB {
            self.placed.next = self.bytes.o.val();
            self.placed_keep.next = self.keep.val();
            self.placed_count.next = self.keep_count.count.val();
        }
        for _i in 0..ROCE {
            self.placed.next =
                (self.bytes.o.val() >> 16) | (bit_cast::<W, 16>(self.carried.q.val()) << self.to_front.val());
            self.placed_keep.next = (self.keep.val() << 2) | 3;
            self.placed_count.next = self.keep_count.count.val() + 2;
        }
        // A word is whole if its last byte is there.
        self.whole.next = (self.placed_keep.val() >> 3) & self.word_starts.val();
        self.whole_pair.next = self.whole.val() | (self.whole.val() << 1);
        self.whole_word.next = self.whole_pair.val() | (self.whole_pair.val() << 2);
        for i in 0..K {
            self.body_mask.i[i].next = 0.into();
            if self.whole_word.val().get_bit(i) {
                self.body_mask.i[i].next = 0xFF.into();
            }
        }

        self.taken.d.next = self.take.val();
        self.is_own.d.next = self.own.val();
        self.taken_data.d.next = self.bytes.o.val();
        self.taken_body.d.next = self.placed.val() & self.body_mask.o.val();
        self.next_valid.next = self.take.val();
        self.next_body.next = self.placed.val() & self.body_mask.o.val();
        self.taken_end.d.next = self.placed_count.val().get_bits::<4>(2);
        self.taken_last.d.next = self.s_axis.tlast.val();
        self.taken_count.d.next = self.keep_count.count.val();
        self.taken_beat.d.next = self.next_beat.q.val();
        self.taken_first.d.next = self.next_beat.q.val() == 0;
        if self.take.val() {
            self.carried.d.next = self.bytes.o.val().get_bits::<16>(0);
            if !self.next_beat.q.val().all() {
                self.next_beat.d.next = self.next_beat.q.val() + 1;
            }
            if self.s_axis.tlast.val() {
                self.next_beat.d.next = 0.into();
                self.carried.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.taken.d.next = false;
            self.next_beat.d.next = 0.into();
            self.carried.d.next = 0.into();
        }
        self.valid.next = self.taken.q.val();
        self.taken_own.next = self.is_own.q.val();
        self.data.next = self.taken_data.q.val();
        self.body.next = self.taken_body.q.val();
        self.end_word.next = self.taken_end.q.val();
        self.last.next = self.taken_last.q.val();
        self.first.next = self.taken_first.q.val();
        self.beat.next = self.taken_beat.q.val();
        self.count.next = self.taken_count.q.val();
        self.upcoming.next = self.next_beat.q.val();
    }
}
