//! A short queue in distributed RAM.
use crate::primitive::{clock, comment, dff_setup, LutRam, Register};
use crate::record::RecordField;
use rust_hdl_core::prelude::*;

/// A queue of 2^`A` words of type `T` in distributed RAM. A word that enters an empty queue is at `read_data` one clock
/// after its write.
///
/// A word moves in when `write_valid` and `write_ready` are high, and out when `read_valid` and `read_ready` are high.
/// `write_ready`, `read_valid` and `read_data` depend only on registers, so that chained queues form no long path.
/// `reset` empties the queue.
#[derive(LogicBlock, Default)]
pub struct Fifo<T: RecordField, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Word that is offered to the queue.
    pub write_data: Signal<In, T>,
    /// High while that word is offered.
    pub write_valid: Signal<In, Bit>,
    /// High while the queue has room for a word.
    pub write_ready: Signal<Out, Bit>,
    /// Oldest word of the queue.
    pub read_data: Signal<Out, T>,
    /// High while that word is offered.
    pub read_valid: Signal<Out, Bit>,
    /// High in a cycle in which that word is taken, if it is offered.
    pub read_ready: Signal<In, Bit>,
    memory: LutRam<T, A>,
    head: Register<Bits<A>>,
    tail: Register<Bits<A>>,
    filled: Register<Bit>,
    full: Register<Bit>,
    write: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
}

impl<T: RecordField, const A: usize> Logic for Fifo<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module fifo");
        dff_setup!(self, clock, head, tail, filled, full);
        clock!(self, clock, memory);

        self.write_ready.next = !self.full.q.val();
        self.read_valid.next = self.filled.q.val();
        self.write.next = self.write_valid.val() & !self.full.q.val();
        self.read.next = self.read_ready.val() & self.filled.q.val();

        // Whether a word moves in is known late in the clock. The next place is unused, so it is written in any case.
        self.memory.write_enable.next = !self.full.q.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.write_data.next = self.write_data.val();
        self.memory.read_address_a.next = self.head.q.val();
        self.memory.read_address_b.next = self.head.q.val();
        self.read_data.next = self.memory.read_data_a.val();

        if self.write.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.read.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        if self.write.val() & !self.read.val() {
            self.filled.d.next = true;
            self.full.d.next = (self.tail.q.val() + 1) == self.head.q.val();
        }
        if self.read.val() & !self.write.val() {
            self.filled.d.next = (self.head.q.val() + 1) != self.tail.q.val();
            self.full.d.next = false;
        }
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.filled.d.next = false;
            self.full.d.next = false;
        }
    }
}
