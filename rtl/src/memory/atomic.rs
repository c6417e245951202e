//! Atomic operations on host memory (`protocol/responder.md` section 5).
use super::atomic_operation::AtomicOperation;
use super::atomic_words::AtomicWords;
use crate::bundle::{AtomicDoneSource, WordReadSource};
use hca_hdl::primitive::{clock, comment, dff_setup, kernel, BlockRam, ByteReverse, Fifo, Register};
use rust_hdl_core::prelude::*;

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

    /// High while an atomic may begin, all earlier writes being in memory; `address` must have been stable for five
    /// cycles.
    pub valid: Signal<In, Bit>,
    /// High in a cycle in which an atomic can begin.
    pub ready: Signal<Out, Bit>,
    /// Byte address of the atomic, a multiple of 8.
    pub address: Signal<In, Bits<64>>,
    /// High while the operands of the atomic that begins are offered.
    pub operand_valid: Signal<In, Bit>,
    /// High in a cycle in which the operands are taken: the atomic begins.
    pub operand_ready: Signal<Out, Bit>,
    /// High for FetchAdd, low for CompareSwap.
    pub fetch_add: Signal<In, Bit>,
    /// Value that CompareSwap compares memory with.
    pub compare: Signal<In, Bits<64>>,
    /// Value that CompareSwap writes or FetchAdd adds.
    pub swap_add: Signal<In, Bits<64>>,
    /// Slot that `done_slot` returns.
    pub slot: Signal<In, Bits<SB>>,

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
    reads: Fifo<64, 1>,
    /// Word 61 | fetch and add 1 | takes a result 1 | number of the operation whose result it takes 6 | own number 6 |
    /// slot 16 | compare 64 | swap or add 64, from the most significant end.
    begun: Fifo<219, 4>,
    /// Error 1 | word 64, of each word read.
    found: Fifo<65, 4>,
    /// Error 1 | word 64, by number of the operation.
    results: BlockRam<65, 6>,
    operation: AtomicOperation,
    /// Error 1 | writes 1 | slot 16 | original 64, from the most significant end.
    operated: Fifo<82, 4>,
    /// One error bit for each acknowledged write that no operation has counted yet.
    errors: Fifo<1, 4>,
    failed: Register<Bit>,
    state: Register<AtomicState>,
    original: Register<Bits<64>>,
    result: Register<Bits<64>>,
    changes: Register<Bit>,
    /// Fetch and add 1 | compare 64 | swap or add 64, from the most significant end.
    operands: Register<Bits<129>>,
    from_memory: ByteReverse<64>,
    to_memory: ByteReverse<64>,

    begins: Signal<Local, Bit>,
    oldest: Signal<Local, Bits<219>>,
    takes_result: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
}

impl<const SB: usize> Logic for Atomic<SB> {
    #[kernel]
    fn update(&mut self) {
        comment!("@module atomic");
        dff_setup!(self, clock, state, original, result, changes, failed, operands);
        clock!(self, clock, errors, words, reads, begun, found, results, operated);
        reset!(self, reset, errors, words, reads, begun, found, operated);

        // Begin: read, or wait for the result of the last operation on this word.
        self.words.address.next = self.address.val();
        self.ready.next = self.operand_valid.val()
            && self.begun.write_ready.val()
            && self.reads.write_ready.val()
            && !self.words.waits.val();
        self.begins.next = self.valid.val()
            && self.operand_valid.val()
            && self.begun.write_ready.val()
            && self.reads.write_ready.val()
            && !self.words.waits.val();
        self.words.begins.next = self.begins.val();
        self.operand_ready.next = self.begins.val();
        self.reads.write_valid.next = self.begins.val() && !self.words.found.val();
        self.reads.write_data.next = self.address.val();
        self.begun.write_valid.next = self.begins.val();
        self.begun.write_data.next = (bit_cast::<219, 61>(self.address.val().get_bits::<61>(3)) << 158)
            | (bit_cast::<219, 1>(self.fetch_add.val().into()) << 157)
            | (bit_cast::<219, 1>(self.words.found.val().into()) << 156)
            | (bit_cast::<219, 6>(self.words.found_number.val()) << 150)
            | (bit_cast::<219, 6>(self.words.number.val()) << 144)
            | (bit_cast::<219, SB>(self.slot.val()) << 128)
            | (bit_cast::<219, 64>(self.compare.val()) << 64)
            | bit_cast::<219, 64>(self.swap_add.val());
        self.read.request.next = self.reads.read_valid.val();
        self.read.address.next = self.reads.read_data.val();
        self.reads.read_ready.next = self.read.ready.val();
        // There is always room: no more is read than has begun.
        self.found.write_valid.next = self.read.valid.val();
        self.found.write_data.next = (bit_cast::<65, 1>(self.read.error.val().into()) << 64)
            | bit_cast::<65, 64>(self.read.data.val());

        // Operate, one after another.
        self.oldest.next = self.begun.read_data.val();
        self.takes_result.next = self.oldest.val().get_bit(156);
        self.results.read_address.next = self.oldest.val().get_bits::<6>(150);
        self.from_memory.i.next = self.found.read_data.val().get_bits::<64>(0);
        self.operands.d.next = bit_cast::<129, 128>(self.oldest.val().get_bits::<128>(0))
            | (bit_cast::<129, 1>(self.oldest.val().get_bit(157).into()) << 128);
        self.operation.fetch_add.next = self.operands.q.val().get_bit(128);
        self.operation.compare.next = self.operands.q.val().get_bits::<64>(64);
        self.operation.swap_add.next = self.operands.q.val().get_bits::<64>(0);
        self.operation.original.next = self.original.q.val();
        self.result.d.next = self.operation.result.val();
        self.changes.d.next = self.operation.changes.val() && !self.failed.q.val();
        self.write_valid.next = false;
        self.write_address.next = bit_cast::<64, 61>(self.oldest.val().get_bits::<61>(158)) << 3;
        self.to_memory.i.next = self.result.q.val();
        self.write_data.next = self.to_memory.o.val();
        self.leaves.next = false;
        match self.state.q.val() {
            AtomicState::Wait => {
                if self.begun.read_valid.val() && (self.takes_result.val() || self.found.read_valid.val()) {
                    self.state.d.next = AtomicState::Original;
                }
            }
            AtomicState::Original => {
                self.original.d.next = self.from_memory.o.val();
                self.failed.d.next = self.found.read_data.val().get_bit(64);
                if self.takes_result.val() {
                    self.original.d.next = self.results.read_data.val().get_bits::<64>(0);
                    self.failed.d.next = self.results.read_data.val().get_bit(64);
                }
                self.state.d.next = AtomicState::Operate;
            }
            AtomicState::Operate => {
                self.state.d.next = AtomicState::Write;
            }
            AtomicState::Write => {
                self.write_valid.next = self.changes.q.val() && self.operated.write_ready.val();
                self.leaves.next =
                    self.operated.write_ready.val() && (!self.changes.q.val() || self.write_ready.val());
                if self.leaves.val() {
                    self.state.d.next = AtomicState::Wait;
                }
            }
        }
        self.begun.read_ready.next = self.leaves.val();
        self.found.read_ready.next = self.leaves.val() && !self.takes_result.val();
        self.results.write_enable.next = self.leaves.val();
        self.results.write_address.next = self.oldest.val().get_bits::<6>(144);
        self.results.write_data.next =
            (bit_cast::<65, 1>(self.failed.q.val().into()) << 64) | bit_cast::<65, 64>(self.result.q.val());
        self.operated.write_valid.next = self.leaves.val();
        self.operated.write_data.next = (bit_cast::<82, 1>(self.failed.q.val().into()) << 81)
            | (bit_cast::<82, 1>(self.changes.q.val().into()) << 80)
            | (bit_cast::<82, 16>(self.oldest.val().get_bits::<16>(128)) << 64)
            | bit_cast::<82, 64>(self.original.q.val());

        // End, in order.
        self.counts.next = self.operated.read_valid.val()
            && self.operated.read_data.val().get_bit(80)
            && self.errors.read_valid.val();
        self.ends.next = self.counts.val()
            || (self.operated.read_valid.val() && !self.operated.read_data.val().get_bit(80));
        self.operated.read_ready.next = self.ends.val();
        self.words.ends.next = self.ends.val();
        self.errors.write_valid.next = self.acknowledged.val();
        self.errors.write_data.next = self.acknowledged_error.val().into();
        self.errors.read_ready.next = self.counts.val();
        self.done.valid.next = self.ends.val();
        self.done.error.next = self.operated.read_data.val().get_bit(81)
            || (self.counts.val() && self.errors.read_data.val().any());
        self.done.slot.next = self.operated.read_data.val().get_bits::<SB>(64);
        self.done.value.next = self.operated.read_data.val().get_bits::<64>(0);
        if self.reset.val() {
            self.state.d.next = AtomicState::Wait;
        }
    }
}
