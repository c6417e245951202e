//! Beats of packets in block RAM.
use hca_hdl::prelude::*;

/// A queue of words of `D` bits, at most 2^`A`, that hands out whole packets: a word comes out once its packet is
/// complete, and a packet under way can be written anew from its start.
///
/// One word a clock in and out; three clocks from a packet's last word to its first one's `read_valid`. `read_valid`
/// and `read_data` are registers. `reset` empties it.
#[derive(LogicBlock, SmartDefault)]
pub struct BeatStore<const D: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle for each word; always taken.
    pub write_valid: Signal<In, Bit>,
    /// The word.
    pub write_data: Signal<In, Bits<D>>,
    /// With `write_valid`: high if the word takes the place of all that was written of its packet.
    pub write_anew: Signal<In, Bit>,
    /// With `write_valid`: high with the packet's last word.
    pub write_last: Signal<In, Bit>,
    /// High while there may be room for no more than 8 words; registered.
    pub full: Signal<Out, Bit>,
    /// High if the store holds nothing but a packet under way.
    pub empty: Signal<Out, Bit>,
    /// The word that comes out next.
    pub read_data: Signal<Out, Bits<D>>,
    /// High while that word is offered.
    pub read_valid: Signal<Out, Bit>,
    /// High in a cycle in which that word is taken.
    pub read_ready: Signal<In, Bit>,
    #[default(BlockRam::without_collisions())]
    memory: BlockRam<Bits<D>, A>,
    head: Register<Bits<A>>,
    #[default(Register::new(1.into()))]
    after_head: Register<Bits<A>>,
    /// Where the packet under way starts.
    start: Register<Bits<A>>,
    tail: Register<Bits<A>>,
    is_full: Register<Bit>,
    fetched: Register<Bit>,
    front_valid: Register<Bit>,
    front: Register<Bits<D>>,
    place: Signal<Local, Bits<A>>,
    after_place: Signal<Local, Bits<A>>,
    used: Signal<Local, Bits<A>>,
    shift: Signal<Local, Bit>,
    /// Where the last word of the memory is.
    #[default(constant((1usize << A) - 1))]
    end: Constant<Bits<A>>,
    /// Number of addresses behind it.
    #[default(constant(0))]
    beyond: Constant<Bits<A>>,
    #[default(constant((1usize << A) - 10))]
    almost_full: Constant<Bits<A>>,
}

impl<const D: usize, const A: usize> BeatStore<D, A> {
    /// For `words` words.
    ///
    /// # Panics
    /// With fewer than 16, or more than 2^`A`.
    pub fn new(words: usize) -> Self {
        assert!(words >= 16, "{words} words");
        Self {
            memory: BlockRam::without_collisions().shortened(words),
            end: constant(words - 1),
            beyond: constant((1usize << A) - words),
            almost_full: constant(words - 10),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const D: usize, const A: usize> Logic for BeatStore<D, A> {
    fn update(&mut self) {
        clock!(self, clock, memory);

        self.place.next = self.tail.q.val();
        if self.write_anew.val() {
            self.place.next = self.start.q.val();
        }
        inputs!(self.memory, write_enable: write_valid, write_address: place, write_data);
        self.after_place.next = self.place.val() + 1;
        if self.place.val() == self.end.val() {
            self.after_place.next = 0.into();
        }
        if self.write_valid.val() {
            self.tail.d.next = self.after_place.val();
            if self.write_last.val() {
                self.start.d.next = self.after_place.val();
            }
        }
        self.used.next = self.tail.q.val() - self.head.q.val();
        if self.tail.q.val() < self.head.q.val() {
            self.used.next = self.tail.q.val() - self.head.q.val() - self.beyond.val();
        }
        self.is_full.d.next = self.used.val() >= self.almost_full.val();
        self.full.next = self.is_full.q.val();

        // The fetched word moves into the front register. A word written in this clock is fetched in the next one at
        // the earliest.
        self.shift.next = self.fetched.q.val() && (self.read_ready.val() || !self.front_valid.q.val());
        self.memory.read_address.next = self.head.q.val();
        self.fetched.d.next = self.head.q.val() != self.start.q.val();
        if self.shift.val() {
            self.memory.read_address.next = self.after_head.q.val();
            self.fetched.d.next = self.after_head.q.val() != self.start.q.val();
            self.head.d.next = self.after_head.q.val();
            self.after_head.d.next = self.after_head.q.val() + 1;
            if self.after_head.q.val() == self.end.val() {
                self.after_head.d.next = 0.into();
            }
        }
        if self.read_ready.val() {
            self.front_valid.d.next = false;
        }
        if self.shift.val() {
            self.front_valid.d.next = true;
            self.front.d.next = self.memory.read_data.val();
        }
        self.read_valid.next = self.front_valid.q.val();
        self.read_data.next = self.front.q.val();
        self.empty.next = (self.head.q.val() == self.start.q.val()) && !self.front_valid.q.val();
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.after_head.d.next = 1.into();
            self.start.d.next = 0.into();
            self.tail.d.next = 0.into();
            clear!(self, is_full, fetched, front_valid);
        }
    }
}
