//! Atomic operations on host memory (`protocol/responder.md` section 5).
use super::atomic_operation::AtomicOperation;
use super::atomic_words::AtomicWords;
use super::{AtomicJob, AtomicWord, BegunAtomic, OperatedAtomic};
use crate::bundle::{AtomicDoneSource, WordReadSource};
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum AtomicState {
    /// Waits until the operands and the original value of the oldest operation have arrived.
    Wait,
    /// The original value is taken from memory, or from the result of an earlier operation.
    Original,
    /// The result is computed.
    Operate,
    /// The result is offered to the memory bus, and the operation leaves.
    Write,
}

/// Carries out many operations at a time, in order: each reads its eight bytes, writes the result, and ends when the
/// write is acknowledged.
///
/// An operation behind another one on the same word takes that one's result instead of reading. It takes an operation
/// every six cycles or faster: at most 16 of them while the memory has not answered, and as many more while it has not
/// acknowledged. Values are little-endian in host memory. `SB`: bits of a slot's number.
#[derive(LogicBlock, Default)]
pub struct Atomic<const SB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Byte addresses of atomics that may begin, all earlier writes being in memory: multiples of 8. An address must
    /// have been stable for five cycles when it is offered.
    pub target: OfferSink<Bits<64>>,
    /// Operands of the atomics; they are taken as their atomic begins.
    pub job: OfferSink<AtomicJob>,

    /// Reads of the words. An operation whose read failed ends in error and writes nothing.
    pub read: WordReadSource,

    /// High while the write of a word is offered.
    pub write_valid: Signal<Out, Bit>,
    /// High in a cycle in which the write is taken.
    pub write_ready: Signal<In, Bit>,
    /// Byte address of the word, a multiple of 8.
    pub write_address: Signal<Out, Bits<64>>,
    /// The word, byte 0 at the most significant end.
    pub write_data: Signal<Out, Bits<64>>,
    /// High for one cycle when the oldest write is answered.
    pub acknowledged: Signal<In, Bit>,
    /// With `acknowledged`: high if host memory answered with an error, so that the write may be missing.
    pub acknowledged_error: Signal<In, Bit>,

    /// High for one cycle when an atomic is done.
    pub done: AtomicDoneSource<SB>,

    words: AtomicWords,
    reads: Fifo<Bits<64>, 1>,
    begun: Fifo<BegunAtomic, 4>,
    /// An [`AtomicWord`] for each word read.
    found: Fifo<AtomicWord, 4>,
    /// The [`AtomicWord`] that is the result of each operation, by its number.
    results: BlockRam<AtomicWord, 6>,
    operation: AtomicOperation,
    operated: Fifo<OperatedAtomic, 4>,
    /// One error bit for each acknowledged write that no operation has counted yet.
    errors: Fifo<Bits<1>, 4>,
    failed: Register<Bit>,
    state: Register<AtomicState>,
    original: Register<Bits<64>>,
    result: Register<Bits<64>>,
    changes: Register<Bit>,
    // The operands of the oldest operation.
    adds: Register<Bit>,
    compares_with: Register<Bits<64>>,
    operand: Register<Bits<64>>,
    from_memory: ByteReverse<64>,
    to_memory: ByteReverse<64>,

    begins: Signal<Local, Bit>,
    oldest: Signal<Local, BegunAtomic>,
    oldest_word: Signal<Local, AtomicWord>,
    takes_result: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
}

#[kernel]
impl<const SB: usize> Logic for Atomic<SB> {
    fn update(&mut self) {
        clock_and_reset!(self, errors, words, reads, begun, found, operated);
        clock!(self, clock, results);

        // Begin: read, or wait for the result of the last operation on this word.
        self.words.address.next = self.target.item.val();
        self.target.ready.next = self.job.valid.val()
            && self.begun.write.ready.val()
            && self.reads.write.ready.val()
            && !self.words.waits.val();
        self.begins.next = self.target.valid.val()
            && self.job.valid.val()
            && self.begun.write.ready.val()
            && self.reads.write.ready.val()
            && !self.words.waits.val();
        self.words.begins.next = self.begins.val();
        self.job.ready.next = self.begins.val();
        self.reads.write.valid.next = self.begins.val() && !self.words.found.val();
        self.reads.write.item.next = self.target.item.val();
        self.begun.write.valid.next = self.begins.val();
        self.begun.write.item.next.word = self.target.item.val().get_bits::<61>(3);
        self.begun.write.item.next.fetch_add = self.job.item.val().fetch_add;
        self.begun.write.item.next.takes_result = self.words.found.val();
        self.begun.write.item.next.source = self.words.found_number.val();
        self.begun.write.item.next.number = self.words.number.val();
        self.begun.write.item.next.slot = bit_cast::<16, SB>(self.job.item.val().slot.get_bits::<SB>(0));
        self.begun.write.item.next.compare = self.job.item.val().compare;
        self.begun.write.item.next.swap_add = self.job.item.val().swap_add;
        self.read.request.next = self.reads.read.valid.val();
        self.read.address.next = self.reads.read.item.val();
        self.reads.read.ready.next = self.read.ready.val();
        // There is always room: no more is read than has begun.
        self.found.write.valid.next = self.read.valid.val();
        self.found.write.item.next.error = self.read.error.val();
        self.found.write.item.next.word = self.read.data.val();

        // Operate, one after another.
        self.oldest.next = self.begun.read.item.val();
        self.oldest_word.next = self.found.read.item.val();
        self.takes_result.next = self.oldest.val().takes_result;
        self.results.read_address.next = self.oldest.val().source;
        self.from_memory.i.next = self.oldest_word.val().word;
        self.adds.d.next = self.oldest.val().fetch_add;
        self.compares_with.d.next = self.oldest.val().compare;
        self.operand.d.next = self.oldest.val().swap_add;
        inputs!(self.operation, fetch_add: adds.q, compare: compares_with.q, swap_add: operand.q);
        self.operation.original.next = self.original.q.val();
        self.result.d.next = self.operation.result.val();
        self.changes.d.next = self.operation.changes.val() && !self.failed.q.val();
        self.write_valid.next = false;
        self.write_address.next = bit_cast::<64, 61>(self.oldest.val().word) << 3;
        self.to_memory.i.next = self.result.q.val();
        self.write_data.next = self.to_memory.o.val();
        self.leaves.next = false;
        match self.state.q.val() {
            AtomicState::Wait => {
                if self.begun.read.valid.val() && (self.takes_result.val() || self.found.read.valid.val()) {
                    self.state.d.next = AtomicState::Original;
                }
            }
            AtomicState::Original => {
                self.original.d.next = self.from_memory.o.val();
                self.failed.d.next = self.oldest_word.val().error;
                if self.takes_result.val() {
                    self.original.d.next = self.results.read_data.val().word;
                    self.failed.d.next = self.results.read_data.val().error;
                }
                self.state.d.next = AtomicState::Operate;
            }
            AtomicState::Operate => {
                self.state.d.next = AtomicState::Write;
            }
            AtomicState::Write => {
                self.write_valid.next = self.changes.q.val() && self.operated.write.ready.val();
                self.leaves.next =
                    self.operated.write.ready.val() && (!self.changes.q.val() || self.write_ready.val());
                if self.leaves.val() {
                    self.state.d.next = AtomicState::Wait;
                }
            }
        }
        self.begun.read.ready.next = self.leaves.val();
        self.found.read.ready.next = self.leaves.val() && !self.takes_result.val();
        self.results.write_enable.next = self.leaves.val();
        self.results.write_address.next = self.oldest.val().number;
        self.results.write_data.next.error = self.failed.q.val();
        self.results.write_data.next.word = self.result.q.val();
        self.operated.write.valid.next = self.leaves.val();
        self.operated.write.item.next.failed = self.failed.q.val();
        self.operated.write.item.next.writes = self.changes.q.val();
        self.operated.write.item.next.slot = self.oldest.val().slot;
        self.operated.write.item.next.original = self.original.q.val();

        // End, in order.
        self.counts.next = self.operated.read.valid.val()
            && self.operated.read.item.val().writes
            && self.errors.read.valid.val();
        self.ends.next =
            self.counts.val() || (self.operated.read.valid.val() && !self.operated.read.item.val().writes);
        self.operated.read.ready.next = self.ends.val();
        self.words.ends.next = self.ends.val();
        self.errors.write.valid.next = self.acknowledged.val();
        self.errors.write.item.next = self.acknowledged_error.val().into();
        self.errors.read.ready.next = self.counts.val();
        self.done.valid.next = self.ends.val();
        self.done.error.next =
            self.operated.read.item.val().failed || (self.counts.val() && self.errors.read.item.val().any());
        self.done.slot.next = self.operated.read.item.val().slot.get_bits::<SB>(0);
        self.done.value.next = self.operated.read.item.val().original;
        if self.reset.val() {
            self.state.d.next = AtomicState::Wait;
        }
    }
}
