//! Counts, for each queue pair, the Reads and atomics whose answers have left to their last packet.
use super::SentAnswer;
use crate::bundle::QpPulseSink;
use hca_hdl::prelude::*;

/// Counts answers, oldest first, by the PSN of their last packet; the answer to a replay matches no operation that
/// still owes its answer.
///
/// An answer takes three cycles: the count of its QP is read, then the last PSN of the oldest operation that owes its
/// answer, and in the third cycle the answer counts or not. The next answer begins in that third cycle, because the
/// count that is written is forwarded to it: one answer is taken every other cycle.
///
/// `RA` = `QB` + 4.
#[derive(LogicBlock, SmartDefault)]
pub struct AnswerCount<const QB: usize, const RA: usize> {
    #[default(provided(RA == QB + 4, "RA == QB + 4"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when an operation is accepted.
    pub accept_valid: Signal<In, Bit>,
    /// QP of that operation.
    pub accept_index: Signal<In, Bits<QB>>,
    /// Number of operations of the QP that were accepted before this one, modulo 32.
    pub accept_taken: Signal<In, Bits<5>>,
    /// PSN of the last packet of the answer to this operation.
    pub accept_last_psn: Signal<In, Bits<24>>,
    /// High for one cycle, at most every other cycle, when the QP starts anew: no operation accepted, none answered.
    pub clear: QpPulseSink<QB>,

    /// High for one cycle when the last packet of an answer has left. Up to 16 may come at once, but no more than one
    /// every other cycle in the long run, as [`crate::transmit::Routing`] takes them.
    pub answered_valid: Signal<In, Bit>,
    /// QP of that answer.
    pub answered_index: Signal<In, Bits<QB>>,
    /// PSN of that packet.
    pub answered_psn: Signal<In, Bits<24>>,

    /// QP whose count `lookup` shows.
    pub lookup_index: Signal<In, Bits<QB>>,
    /// Number of operations of QP `lookup_index` that are answered, modulo 32.
    pub lookup: Signal<Out, Bits<5>>,
    /// High if every answer that left in an earlier cycle is counted and every QP cleared; rises at most one cycle
    /// late.
    pub settled: Signal<Out, Bit>,

    /// The answers that wait. It is never full, since one leaves it every other cycle.
    answers: Fifo<SentAnswer, 4>,
    last_psns: BlockRam<Bits<24>, RA>,
    taken: LutRam<Bits<5>, QB>,
    counts: LutRam<Bits<5>, QB>,
    /// QP of the answer that is being counted.
    index: Register<Bits<QB>>,
    /// PSN of the last packet of that answer.
    psn: Register<Bits<24>>,
    /// Number of operations that its QP had accepted before.
    took: Register<Bits<5>>,
    /// Number of operations that its QP had answered before.
    answered: Register<Bits<5>>,
    /// High while the last PSN of the oldest operation that owes its answer is read.
    fetches: Register<Bit>,
    compares: Register<Bit>,
    /// Bits in which that PSN and the answer's differ.
    differs: Register<Bits<24>>,
    /// High while a QP is to be cleared; it waits until no answer needs the write port.
    clears: Register<Bit>,
    /// QP that is to be cleared.
    clears_index: Register<Bits<QB>>,
    /// High if an answer is not counted yet, or a QP is not cleared.
    waits: Register<Bit>,
    next_index: Signal<Local, Bits<QB>>,
    clears_more: Signal<Local, Bit>,
    count: Signal<Local, Bits<5>>,
    writes: Signal<Local, Bit>,
    written_index: Signal<Local, Bits<QB>>,
    written: Signal<Local, Bits<5>>,
}

#[kernel]
impl<const QB: usize, const RA: usize> Logic for AnswerCount<QB, RA> {
    fn update(&mut self) {
        clock!(self, clock, answers, last_psns, taken, counts);
        self.answers.reset.next = self.reset.val();

        self.last_psns.write_enable.next = self.accept_valid.val();
        self.last_psns.write_address.next = (bit_cast::<RA, QB>(self.accept_index.val()) << 4)
            | bit_cast::<RA, 4>(self.accept_taken.val().get_bits::<4>(0));
        self.last_psns.write_data.next = self.accept_last_psn.val();
        inputs!(self.taken, write_enable: accept_valid, write_address: accept_index);
        self.taken.write_data.next = self.accept_taken.val() + 1;
        if self.clear.valid.val() {
            self.taken.write_enable.next = true;
            self.taken.write_address.next = self.clear.index.val();
            self.taken.write_data.next = bits::<5>(0);
        }

        self.answers.write.valid.next = self.answered_valid.val();
        self.answers.write.item.next.psn = self.answered_psn.val();
        self.answers.write.item.next.index = bit_cast::<16, QB>(self.answered_index.val());
        self.answers.read.ready.next = !self.fetches.q.val();
        self.next_index.next = self.answers.read.item.val().index.get_bits::<QB>(0);

        // Last: the answer counts, or a QP is cleared.
        self.writes.next = self.clears.q.val();
        self.written_index.next = self.clears_index.q.val();
        self.written.next = bits::<5>(0);
        if self.compares.q.val() {
            self.writes.next = (self.took.q.val() != self.answered.q.val()) && !self.differs.q.val().any();
            self.written_index.next = self.index.q.val();
            self.written.next = self.answered.q.val() + 1;
        }
        inputs!(self.counts, write_enable: writes, write_address: written_index, write_data: written);

        // First.
        inputs!(self.taken, read_address_a: next_index, read_address_b: next_index);
        self.counts.read_address_a.next = self.next_index.val();
        self.count.next = self.counts.read_data_a.val();
        if self.writes.val() && (self.written_index.val() == self.next_index.val()) {
            self.count.next = self.written.val();
        }
        self.last_psns.read_address.next = (bit_cast::<RA, QB>(self.next_index.val()) << 4)
            | bit_cast::<RA, 4>(self.count.val().get_bits::<4>(0));
        self.fetches.d.next = self.answers.read.valid.val() && !self.fetches.q.val();
        if !self.fetches.q.val() {
            self.index.d.next = self.next_index.val();
            self.psn.d.next = self.answers.read.item.val().psn;
            self.took.d.next = self.taken.read_data_a.val();
            self.answered.d.next = self.count.val();
        }

        // A clock later. The answer does not count if its QP is cleared meanwhile.
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
            || self.answers.read.valid.val()
            || self.fetches.q.val()
            || self.clears_more.val();
        self.settled.next = !self.waits.q.val();

        if self.reset.val() {
            clear!(self, fetches, compares, clears, waits);
        }
    }
}
