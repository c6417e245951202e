//! The words that commands take and return.
use hca_hdl::prelude::*;
use hca_host::command::modify_qp;

/// `ARGUMENT`: all words at once for the engines, and one at a time for software and the current command.
#[derive(LogicBlock, SmartDefault)]
pub struct ArgumentRegisters {
    pub clock: Signal<In, Clock>,
    /// High for one cycle when software writes a word; never with `answer_valid`.
    pub write_valid: Signal<In, Bit>,
    /// Index of the word that software writes.
    pub write_index: Signal<In, Bits<5>>,
    /// The word that software writes.
    pub write_data: Signal<In, Bits<32>>,
    /// High for one cycle when the current command writes a word.
    pub answer_valid: Signal<In, Bit>,
    /// Index of the word that the current command writes.
    pub answer_index: Signal<In, Bits<5>>,
    /// The word that the current command writes.
    pub answer: Signal<In, Bits<32>>,
    /// Index of the word that software reads.
    pub read_index: Signal<In, Bits<5>>,
    /// The word that `read_index` names.
    pub read_data: Signal<Out, Bits<32>>,
    /// Index of the word that the current command reads.
    pub word_index: Signal<In, Bits<5>>,
    /// The word that `word_index` names.
    pub word: Signal<Out, Bits<32>>,
    /// Word 25, `Q_KEY`.
    pub q_key: Signal<Out, Bits<32>>,
    /// Word `n` of the first 24 at bits `32 * (23 - n) + 31 : 32 * (23 - n)`.
    pub row: Signal<Out, Bits<768>>,

    words: LutRam<Bits<32>, 5>,
    #[default(array_init::array_init(|_| Default::default()))]
    parallel: [Register<Bits<32>>; 24],
    q_key_word: Register<Bits<32>>,
    joined: Concat<32, 24, 768>,
    enable: Signal<Local, Bit>,
    index: Signal<Local, Bits<5>>,
    data: Signal<Local, Bits<32>>,
    #[default(constant(modify_qp::Q_KEY))]
    a_q_key: Constant<Bits<5>>,
}

#[kernel]
impl Logic for ArgumentRegisters {
    fn update(&mut self) {
        clock!(self, clock, words);
        self.enable.next = self.write_valid.val() || self.answer_valid.val();
        self.index.next = self.write_index.val();
        self.data.next = self.write_data.val();
        if self.answer_valid.val() {
            self.index.next = self.answer_index.val();
            self.data.next = self.answer.val();
        }
        inputs!(self.words, write_enable: enable, write_address: index, write_data: data);
        self.words.read_address_a.next = self.read_index.val();
        self.read_data.next = self.words.read_data_a.val();
        self.words.read_address_b.next = self.word_index.val();
        self.word.next = self.words.read_data_b.val();
        for i in 0..24 {
            dff_setup!(self, clock, parallel[i]);
            // Each index is compared by itself: which write it is settles late in the clock.
            if (self.answer_valid.val() && (self.answer_index.val() == i.to_bits::<5>()))
                || (self.write_valid.val() && (self.write_index.val() == i.to_bits::<5>()))
            {
                self.parallel[i].d.next = self.data.val();
            }
            self.joined.i[i].next = self.parallel[i].q.val();
        }
        self.row.next = self.joined.o.val();
        if self.enable.val() && (self.index.val() == self.a_q_key.val()) {
            self.q_key_word.d.next = self.data.val();
        }
        self.q_key.next = self.q_key_word.q.val();
    }
}
