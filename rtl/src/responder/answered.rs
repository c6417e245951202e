//! How many Reads and atomics of each queue pair have left to their last packet.
use crate::primitive::{comment, dff_setup, BlockRam, Fifo, LutRam, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum CountState {
    Idle,
    /// The oldest owed one's last PSN is read.
    Read,
    Compare,
}

/// Counts answers, oldest first, by the PSN of the last packet; those of replays fit no operation that is owed.
///
/// `RA` = `QB` + 4.
#[derive(LogicBlock)]
pub struct AnswerCount<const QB: usize, const RA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Pulse: an operation is accepted, `accept_taken` before it, modulo 32.
    pub accept_valid: Signal<In, Bit>,
    pub accept_index: Signal<In, Bits<QB>>,
    pub accept_taken: Signal<In, Bits<5>>,
    pub accept_last_psn: Signal<In, Bits<24>>,
    /// Pulse: the QP has taken and answered none.
    pub clear_valid: Signal<In, Bit>,
    pub clear_index: Signal<In, Bits<QB>>,

    /// Pulse: the packet of this PSN, the last of its answer, has left.
    pub answered_valid: Signal<In, Bit>,
    pub answered_index: Signal<In, Bits<QB>>,
    pub answered_psn: Signal<In, Bits<24>>,

    /// Answers, modulo 32.
    pub lookup_index: Signal<In, Bits<QB>>,
    pub lookup: Signal<Out, Bits<5>>,
    /// Every answer of an earlier clock is counted; a clock later at most than that is so.
    pub settled: Signal<Out, Bit>,

    /// Index 16 | PSN 24.
    answers: Fifo<40, 4>,
    last_psns: BlockRam<24, RA>,
    taken: LutRam<5, QB>,
    counts: LutRam<5, QB>,
    /// Of the oldest owed one, from `Compare` on.
    last_psn: Register<Bits<24>>,
    state: Register<CountState>,
    /// Answers were waiting, or came, a clock ago.
    waited: Register<Bit>,
    index: Signal<Local, Bits<QB>>,
    count: Signal<Local, Bits<5>>,
    owes: Signal<Local, Bit>,
    counts_one: Signal<Local, Bit>,
}

impl<const QB: usize, const RA: usize> Default for AnswerCount<QB, RA> {
    fn default() -> Self {
        assert_eq!(RA, QB + 4);
        AnswerCount {
            clock: Default::default(),
            reset: Default::default(),
            accept_valid: Default::default(),
            accept_index: Default::default(),
            accept_taken: Default::default(),
            accept_last_psn: Default::default(),
            clear_valid: Default::default(),
            clear_index: Default::default(),
            answered_valid: Default::default(),
            answered_index: Default::default(),
            answered_psn: Default::default(),
            lookup_index: Default::default(),
            lookup: Default::default(),
            settled: Default::default(),
            answers: Default::default(),
            last_psns: Default::default(),
            taken: Default::default(),
            counts: Default::default(),
            last_psn: Default::default(),
            state: Register::new(CountState::Idle),
            waited: Default::default(),
            index: Default::default(),
            count: Default::default(),
            owes: Default::default(),
            counts_one: Default::default(),
        }
    }
}

impl<const QB: usize, const RA: usize> Logic for AnswerCount<QB, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module answer_count");
        dff_setup!(self, clock, last_psn, state, waited);
        self.answers.clock.next = self.clock.val();
        self.answers.reset.next = self.reset.val();
        self.last_psns.clock.next = self.clock.val();
        self.taken.clock.next = self.clock.val();
        self.counts.clock.next = self.clock.val();

        self.answers.write_valid.next = self.answered_valid.val();
        self.answers.write_data.next = (bit_cast::<40, QB>(self.answered_index.val()) << 24)
            | bit_cast::<40, 24>(self.answered_psn.val());
        self.index.next = self.answers.read_data.val().get_bits::<QB>(24);

        self.last_psns.write_enable.next = self.accept_valid.val();
        self.last_psns.write_address.next = (bit_cast::<RA, QB>(self.accept_index.val()) << 4)
            | bit_cast::<RA, 4>(self.accept_taken.val().get_bits::<4>(0));
        self.last_psns.write_data.next = self.accept_last_psn.val();
        self.taken.write_enable.next = self.accept_valid.val();
        self.taken.write_address.next = self.accept_index.val();
        self.taken.write_data.next = self.accept_taken.val() + 1;

        self.taken.read_address_a.next = self.index.val();
        self.taken.read_address_b.next = self.index.val();
        self.counts.read_address_a.next = self.index.val();
        self.counts.read_address_b.next = self.lookup_index.val();
        self.lookup.next = self.counts.read_data_b.val();
        self.count.next = self.counts.read_data_a.val();
        self.owes.next = self.taken.read_data_a.val() != self.count.val();
        self.last_psns.read_address.next = (bit_cast::<RA, QB>(self.index.val()) << 4)
            | bit_cast::<RA, 4>(self.count.val().get_bits::<4>(0));

        self.last_psn.d.next = self.last_psns.read_data.val();
        self.waited.d.next = self.answered_valid.val() || self.answers.read_valid.val();
        self.settled.next = !self.waited.q.val();
        self.answers.read_ready.next = false;
        self.counts_one.next = false;
        match self.state.q.val() {
            CountState::Idle => {
                if self.answers.read_valid.val() && !self.clear_valid.val() {
                    self.state.d.next = CountState::Read;
                }
            }
            CountState::Read => {
                self.state.d.next = CountState::Compare;
            }
            CountState::Compare => {
                if !self.clear_valid.val() {
                    self.answers.read_ready.next = true;
                    self.counts_one.next = self.owes.val()
                        && (self.last_psn.q.val() == self.answers.read_data.val().get_bits::<24>(0));
                    self.state.d.next = CountState::Idle;
                }
            }
        }
        self.counts.write_enable.next = self.counts_one.val();
        self.counts.write_address.next = self.index.val();
        self.counts.write_data.next = self.count.val() + 1;
        if self.clear_valid.val() {
            self.counts.write_enable.next = true;
            self.counts.write_address.next = self.clear_index.val();
            self.counts.write_data.next = bits::<5>(0);
            self.taken.write_enable.next = true;
            self.taken.write_address.next = self.clear_index.val();
            self.taken.write_data.next = bits::<5>(0);
        }
        if self.reset.val() {
            self.state.d.next = CountState::Idle;
        }
    }
}
