//! How many Reads and atomics of each queue pair have left to their last packet.
use crate::bundle::QpPulseSink;
use hca_hdl::primitive::{clock, comment, dff_setup, provided, BlockRam, Fifo, LutRam, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Counts answers, oldest first, by the PSN of the last packet; those of replays fit no operation that is owed.
///
/// The count of an answer's QP is read, a clock later the PSN of the oldest owed one, and in the third it counts or not.
/// In that the next answer begins, for it has the count as it is written: every other clock one is taken.
///
/// `RA` = `QB` + 4.
#[derive(LogicBlock, SmartDefault)]
pub struct AnswerCount<const QB: usize, const RA: usize> {
    #[default(provided(RA == QB + 4, "RA == QB + 4"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Pulse: an operation is accepted, `accept_taken` before it, modulo 32.
    pub accept_valid: Signal<In, Bit>,
    pub accept_index: Signal<In, Bits<QB>>,
    pub accept_taken: Signal<In, Bits<5>>,
    pub accept_last_psn: Signal<In, Bits<24>>,
    /// Pulse, every other clock at most: the QP has taken and answered none.
    pub clear: QpPulseSink<QB>,

    /// Pulse: the packet of this PSN, the last of its answer, has left. Up to 16 may come at once, but no more than one
    /// every other clock in the long run, as [`crate::transmit::Routing`] takes them.
    pub answered_valid: Signal<In, Bit>,
    pub answered_index: Signal<In, Bits<QB>>,
    pub answered_psn: Signal<In, Bits<24>>,

    /// Answers, modulo 32.
    pub lookup_index: Signal<In, Bits<QB>>,
    pub lookup: Signal<Out, Bits<5>>,
    /// Every answer of an earlier clock is counted, and every QP cleared; a clock later at most than that is so.
    pub settled: Signal<Out, Bit>,

    /// Index 16 | PSN 24. Never full, for one leaves it every other clock.
    answers: Fifo<40, 4>,
    last_psns: BlockRam<24, RA>,
    taken: LutRam<5, QB>,
    counts: LutRam<5, QB>,
    // The answer in hand, and what its QP had taken and answered before it.
    index: Register<Bits<QB>>,
    psn: Register<Bits<24>>,
    took: Register<Bits<5>>,
    answered: Register<Bits<5>>,
    /// The last PSN of the oldest owed one is there.
    fetches: Register<Bit>,
    compares: Register<Bit>,
    /// Where that and the answer's PSN differ.
    differs: Register<Bits<24>>,
    // The QP whose count is cleared, once no answer needs the write port.
    clears: Register<Bit>,
    clears_index: Register<Bits<QB>>,
    /// An answer is not counted yet, or a QP not cleared.
    waits: Register<Bit>,
    next_index: Signal<Local, Bits<QB>>,
    clears_more: Signal<Local, Bit>,
    count: Signal<Local, Bits<5>>,
    writes: Signal<Local, Bit>,
    written_index: Signal<Local, Bits<QB>>,
    written: Signal<Local, Bits<5>>,
}

impl<const QB: usize, const RA: usize> Logic for AnswerCount<QB, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module answer_count");
        dff_setup!(
            self, clock, index, psn, took, answered, fetches, compares, differs, clears, clears_index, waits
        );
        clock!(self, clock, answers, last_psns, taken, counts);
        self.answers.reset.next = self.reset.val();

        self.last_psns.write_enable.next = self.accept_valid.val();
        self.last_psns.write_address.next = (bit_cast::<RA, QB>(self.accept_index.val()) << 4)
            | bit_cast::<RA, 4>(self.accept_taken.val().get_bits::<4>(0));
        self.last_psns.write_data.next = self.accept_last_psn.val();
        self.taken.write_enable.next = self.accept_valid.val();
        self.taken.write_address.next = self.accept_index.val();
        self.taken.write_data.next = self.accept_taken.val() + 1;
        if self.clear.valid.val() {
            self.taken.write_enable.next = true;
            self.taken.write_address.next = self.clear.index.val();
            self.taken.write_data.next = bits::<5>(0);
        }

        self.answers.write_valid.next = self.answered_valid.val();
        self.answers.write_data.next = (bit_cast::<40, QB>(self.answered_index.val()) << 24)
            | bit_cast::<40, 24>(self.answered_psn.val());
        self.answers.read_ready.next = !self.fetches.q.val();
        self.next_index.next = self.answers.read_data.val().get_bits::<QB>(24);

        // Last: the answer counts, or a QP is cleared.
        self.writes.next = self.clears.q.val();
        self.written_index.next = self.clears_index.q.val();
        self.written.next = bits::<5>(0);
        if self.compares.q.val() {
            self.writes.next = (self.took.q.val() != self.answered.q.val()) && !self.differs.q.val().any();
            self.written_index.next = self.index.q.val();
            self.written.next = self.answered.q.val() + 1;
        }
        self.counts.write_enable.next = self.writes.val();
        self.counts.write_address.next = self.written_index.val();
        self.counts.write_data.next = self.written.val();

        // First.
        self.taken.read_address_a.next = self.next_index.val();
        self.taken.read_address_b.next = self.next_index.val();
        self.counts.read_address_a.next = self.next_index.val();
        self.count.next = self.counts.read_data_a.val();
        if self.writes.val() && (self.written_index.val() == self.next_index.val()) {
            self.count.next = self.written.val();
        }
        self.last_psns.read_address.next = (bit_cast::<RA, QB>(self.next_index.val()) << 4)
            | bit_cast::<RA, 4>(self.count.val().get_bits::<4>(0));
        self.fetches.d.next = self.answers.read_valid.val() && !self.fetches.q.val();
        if !self.fetches.q.val() {
            self.index.d.next = self.next_index.val();
            self.psn.d.next = self.answers.read_data.val().get_bits::<24>(0);
            self.took.d.next = self.taken.read_data_a.val();
            self.answered.d.next = self.count.val();
        }

        // A clock later. What the QP had taken and answered is no more if the QP is cleared.
        self.differs.d.next = self.last_psns.read_data.val() ^ self.psn.q.val();
        self.compares.d.next = self.fetches.q.val()
            && !(self.clears.q.val() && (self.clears_index.q.val() == self.index.q.val()));

        self.clears_more.next = self.clear.valid.val() || (self.clears.q.val() && self.compares.q.val());
        self.clears.d.next = self.clears_more.val();
        if self.clear.valid.val() {
            self.clears_index.d.next = self.clear.index.val();
        }

        self.counts.read_address_b.next = self.lookup_index.val();
        self.lookup.next = self.counts.read_data_b.val();
        self.waits.d.next = self.answered_valid.val()
            || self.answers.read_valid.val()
            || self.fetches.q.val()
            || self.clears_more.val();
        self.settled.next = !self.waits.q.val();

        if self.reset.val() {
            self.fetches.d.next = false;
            self.compares.d.next = false;
            self.clears.d.next = false;
            self.waits.d.next = false;
        }
    }
}
