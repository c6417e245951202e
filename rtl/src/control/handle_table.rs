//! Stores the words of address handles, for queries, and which handles exist.
use hca_hdl::prelude::*;
use hca_host::command::modify_qp as words;

/// Each handle has 16 rows of 32 bits. The row of a word is the low four bits of its index into `ARGUMENT`; no two
/// words of an address share them. An address has no word `DEST_QPN`, so bit 0 of that row is high while the handle
/// exists. `AB`: index bits of a handle; `A` = `AB` + 4.
#[derive(LogicBlock, SmartDefault)]
pub struct HandleTable<const AB: usize, const A: usize> {
    #[default(provided(A == AB + 4, "A == AB + 4"))]
    pub clock: Signal<In, Clock>,
    /// Index of the handle.
    pub index: Signal<In, Bits<AB>>,
    /// Index of the word into `ARGUMENT`.
    pub word: Signal<In, Bits<5>>,
    /// High to read whether the handle exists, not the word.
    pub asks: Signal<In, Bit>,
    /// High if the address has such a word.
    pub holds: Signal<Out, Bit>,
    /// The word, two clocks after `index` and `word`.
    pub data: Signal<Out, Bits<32>>,
    /// High if the handle exists, two clocks after `index` and `asks`.
    pub exists: Signal<Out, Bit>,
    /// High for one cycle to store `write_data` as the word.
    pub write_valid: Signal<In, Bit>,
    /// The word that is stored.
    pub write_data: Signal<In, Bits<32>>,
    /// High for one cycle when the handle is created.
    pub creates: Signal<In, Bit>,
    /// High for one cycle when the handle is destroyed.
    pub destroys: Signal<In, Bit>,
    memory: BlockRam<Bits<32>, A>,
    /// The word at the output of the block RAM, one cycle later. Registered for timing: it settles late in the clock.
    shown: Register<Bits<32>>,
    #[default(constant(words::DEST_QPN))]
    exists_word: Constant<Bits<4>>,
    #[default(constant(words::ADDRESS))]
    address: Constant<Bits<5>>,
    #[default(constant(words::P_KEY))]
    port: Constant<Bits<5>>,
    #[default(constant(words::GRH))]
    first_global: Constant<Bits<5>>,
    #[default(constant(words::MAC_LOW))]
    last_global: Constant<Bits<5>>,
    #[default(constant(words::PD))]
    pd: Constant<Bits<5>>,
}

#[kernel]
impl<const AB: usize, const A: usize> Logic for HandleTable<AB, A> {
    fn update(&mut self) {
        clock!(self, clock, memory);
        self.holds.next = (self.word.val() == self.address.val())
            || (self.word.val() == self.port.val())
            || ((self.word.val() >= self.first_global.val()) && (self.word.val() <= self.last_global.val()))
            || (self.word.val() == self.pd.val());
        self.memory.read_address.next =
            (bit_cast::<A, AB>(self.index.val()) << 4) | bit_cast::<A, 4>(self.word.val().get_bits::<4>(0));
        if self.asks.val() {
            self.memory.read_address.next =
                (bit_cast::<A, AB>(self.index.val()) << 4) | bit_cast::<A, 4>(self.exists_word.val());
        }
        self.shown.d.next = self.memory.read_data.val();
        self.data.next = self.shown.q.val();
        self.exists.next = self.shown.q.val().get_bit(0);
        self.memory.write_enable.next =
            (self.write_valid.val() && self.holds.val()) || self.creates.val() || self.destroys.val();
        self.memory.write_address.next =
            (bit_cast::<A, AB>(self.index.val()) << 4) | bit_cast::<A, 4>(self.word.val().get_bits::<4>(0));
        self.memory.write_data.next = self.write_data.val();
        if self.creates.val() || self.destroys.val() {
            self.memory.write_address.next =
                (bit_cast::<A, AB>(self.index.val()) << 4) | bit_cast::<A, 4>(self.exists_word.val());
            self.memory.write_data.next = bit_cast::<32, 1>(self.creates.val().into());
        }
    }
}
