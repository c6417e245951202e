//! Finds the last atomic that operates on a word of host memory.
use hca_hdl::prelude::*;

/// Numbers the atomics that are under way, and finds the last one on a word of eight bytes.
///
/// A look-up takes five cycles with `address` unchanged. Atomics end in the order in which they began; a number is the
/// count of earlier atomics, modulo 64. Words fall into 2^12 classes. Two different words of one class are never under
/// way at once: the later one `waits`.
#[derive(LogicBlock, SmartDefault)]
pub struct AtomicWords {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Byte address of the word, a multiple of 8.
    pub address: Signal<In, Bits<64>>,
    /// High if an atomic is under way on the word. `address` must have been the same for five cycles, and no atomic may
    /// have begun meanwhile.
    pub found: Signal<Out, Bit>,
    /// Number of the last such atomic.
    pub found_number: Signal<Out, Bits<6>>,
    /// High if no atomic may begin on this word now; it has the delay of `found`.
    pub waits: Signal<Out, Bit>,
    /// High for one cycle when an atomic begins at `address`.
    pub begins: Signal<In, Bit>,
    /// Number of the atomic that begins.
    pub number: Signal<Out, Bits<6>>,
    /// High for one cycle when the oldest atomic has ended.
    pub ends: Signal<In, Bit>,

    /// For each class: number of the last atomic that began in it.
    #[default(BlockRam::without_collisions())]
    numbers: BlockRam<Bits<6>, 12>,
    /// For each number: word of the atomic that has it.
    #[default(BlockRam::without_collisions())]
    words: BlockRam<Bits<61>, 6>,
    candidate: Register<Bits<6>>,
    judged_number: Register<Bits<6>>,
    judged_word: Register<Bits<61>>,
    same_word: Register<Bit>,
    same_class: Register<Bit>,
    last_number: Register<Bits<6>>,
    begun: Register<Bits<7>>,
    ended: Register<Bits<7>>,
    was_found: Register<Bit>,
    found_before: Register<Bits<6>>,
    waited: Register<Bit>,
    class: Signal<Local, Bits<12>>,
    judged_class: Signal<Local, Bits<12>>,
    under_way: Signal<Local, Bits<7>>,
    ahead: Signal<Local, Bits<6>>,
    inside: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AtomicWords {
    fn update(&mut self) {
        clock!(self, clock, numbers, words);
        self.class.next = self.address.val().get_bits::<12>(3)
            ^ self.address.val().get_bits::<12>(15)
            ^ self.address.val().get_bits::<12>(27);

        // The class gives the last number, the number gives its word, and the word decides.
        self.numbers.read_address.next = self.class.val();
        self.words.read_address.next = self.numbers.read_data.val();
        self.candidate.d.next = self.numbers.read_data.val();
        self.judged_number.d.next = self.candidate.q.val();
        self.judged_word.d.next = self.words.read_data.val();
        self.judged_class.next = self.judged_word.q.val().get_bits::<12>(0)
            ^ self.judged_word.q.val().get_bits::<12>(12)
            ^ self.judged_word.q.val().get_bits::<12>(24);
        self.same_word.d.next = self.judged_word.q.val() == self.address.val().get_bits::<61>(3);
        self.same_class.d.next = self.judged_class.val() == self.class.val();
        self.last_number.d.next = self.judged_number.q.val();

        // A number that has been reused since belongs to another class, or its atomic has ended.
        self.under_way.next = self.begun.q.val() - self.ended.q.val();
        self.ahead.next = self.last_number.q.val() - self.ended.q.val().get_bits::<6>(0);
        self.inside.next = bit_cast::<7, 6>(self.ahead.val()) < self.under_way.val();
        self.was_found.d.next = self.inside.val() && self.same_word.q.val();
        self.found_before.d.next = self.last_number.q.val();
        self.found.next = self.was_found.q.val();
        self.found_number.next = self.found_before.q.val();
        self.waits.next = self.waited.q.val();
        self.waited.d.next = (self.inside.val() && self.same_class.q.val() && !self.same_word.q.val())
            || (self.under_way.val() >= 63);
        self.number.next = self.begun.q.val().get_bits::<6>(0);

        inputs!(self.numbers, write_enable: begins, write_address: class);
        self.numbers.write_data.next = self.begun.q.val().get_bits::<6>(0);
        self.words.write_enable.next = self.begins.val();
        self.words.write_address.next = self.begun.q.val().get_bits::<6>(0);
        self.words.write_data.next = self.address.val().get_bits::<61>(3);
        if self.begins.val() {
            self.begun.d.next = self.begun.q.val() + 1;
        }
        if self.ends.val() {
            self.ended.d.next = self.ended.q.val() + 1;
        }
        if self.reset.val() {
            clear!(self, begun, ended);
        }
    }
}
