//! Atomic operations on host memory (`protocol/responder.md` section 5).
use crate::primitive::{comment, dff_setup, ByteReverse, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum AtomicState {
    Idle,
    Read,
    Wait,
    Write,
    Settle,
}

/// One operation at a time: reads eight bytes when all writes before it are acknowledged, has what they become
/// written, and tells the original when that is acknowledged too.
///
/// Values are little-endian in host memory. `SB`: bits of a slot's number.
#[derive(LogicBlock, Default)]
pub struct Atomic<const SB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The oldest piece is an atomic's; stays until its write is taken.
    pub start: Signal<In, Bit>,
    /// A multiple of 8.
    pub address: Signal<In, Bits<64>>,
    /// No write is under way.
    pub quiet: Signal<In, Bit>,

    pub operand_valid: Signal<In, Bit>,
    pub operand_ready: Signal<Out, Bit>,
    /// FetchAdd; else CompareSwap.
    pub fetch_add: Signal<In, Bit>,
    pub compare: Signal<In, Bits<64>>,
    pub swap_add: Signal<In, Bits<64>>,
    pub slot: Signal<In, Bits<SB>>,

    pub read_request: Signal<Out, Bit>,
    pub read_ready: Signal<In, Bit>,
    pub read_address: Signal<Out, Bits<64>>,
    pub read_valid: Signal<In, Bit>,
    /// Byte 0 at the most significant end.
    pub read_data: Signal<In, Bits<64>>,

    pub write_valid: Signal<Out, Bit>,
    pub write_ready: Signal<In, Bit>,
    /// Nothing is to be written if not: a compare that failed leaves memory alone.
    pub changes: Signal<Out, Bit>,
    /// Byte 0 at the most significant end.
    pub write_data: Signal<Out, Bits<64>>,

    /// One pulse: the operation is done.
    pub done_valid: Signal<Out, Bit>,
    pub done_slot: Signal<Out, Bits<SB>>,
    /// What the memory held before.
    pub done_value: Signal<Out, Bits<64>>,

    state: Register<AtomicState>,
    original: Register<Bits<64>>,
    from_memory: ByteReverse<64>,
    to_memory: ByteReverse<64>,
}

impl<const SB: usize> Logic for Atomic<SB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module atomic");
        dff_setup!(self, clock, state, original);
        self.read_request.next = self.state.q.val() == AtomicState::Read;
        self.read_address.next = self.address.val();
        self.from_memory.i.next = self.read_data.val();

        self.write_valid.next = self.state.q.val() == AtomicState::Write;
        self.to_memory.i.next = self.swap_add.val();
        self.changes.next = self.original.q.val() == self.compare.val();
        if self.fetch_add.val() {
            self.to_memory.i.next = self.original.q.val() + self.swap_add.val();
            self.changes.next = true;
        }
        self.write_data.next = self.to_memory.o.val();

        self.operand_ready.next = false;
        self.done_valid.next = false;
        self.done_slot.next = self.slot.val();
        self.done_value.next = self.original.q.val();
        match self.state.q.val() {
            AtomicState::Idle => {
                if self.start.val() && self.quiet.val() && self.operand_valid.val() {
                    self.state.d.next = AtomicState::Read;
                }
            }
            AtomicState::Read => {
                if self.read_ready.val() {
                    self.state.d.next = AtomicState::Wait;
                }
            }
            AtomicState::Wait => {
                if self.read_valid.val() {
                    self.original.d.next = self.from_memory.o.val();
                    self.state.d.next = AtomicState::Write;
                }
            }
            AtomicState::Write => {
                if self.write_ready.val() {
                    self.state.d.next = AtomicState::Settle;
                }
            }
            AtomicState::Settle => {
                if self.quiet.val() {
                    self.operand_ready.next = true;
                    self.done_valid.next = true;
                    self.state.d.next = AtomicState::Idle;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = AtomicState::Idle;
        }
    }
}
