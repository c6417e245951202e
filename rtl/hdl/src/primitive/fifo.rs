//! A short queue in distributed RAM.
use crate::bundle::{OfferSink, OfferSource};
use crate::primitive::{clock, comment, dff_setup, LutRam, Register};
use crate::record::RecordField;
use rust_hdl_core::prelude::*;

/// A queue of 2^`A` words of type `T` in distributed RAM. A word that enters an empty queue is at `read` one clock
/// after its write.
///
/// The outputs depend only on registers, so that chained queues form no long path. `reset` empties the queue.
#[derive(LogicBlock, Default)]
pub struct Fifo<T: RecordField, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Words that enter the queue. `ready` is high while it has room.
    pub write: OfferSink<T>,
    /// Words that leave the queue, the oldest first.
    pub read: OfferSource<T>,
    memory: LutRam<T, A>,
    head: Register<Bits<A>>,
    tail: Register<Bits<A>>,
    filled: Register<Bit>,
    full: Register<Bit>,
    enters: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

impl<T: RecordField, const A: usize> Logic for Fifo<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module fifo");
        dff_setup!(self, clock, head, tail, filled, full);
        clock!(self, clock, memory);

        self.write.ready.next = !self.full.q.val();
        self.read.valid.next = self.filled.q.val();
        self.enters.next = self.write.valid.val() & !self.full.q.val();
        self.leaves.next = self.read.ready.val() & self.filled.q.val();

        // Whether a word moves in is known late in the clock. The next place is unused, so it is written in any case.
        self.memory.write_enable.next = !self.full.q.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.write_data.next = self.write.item.val();
        self.memory.read_address_a.next = self.head.q.val();
        self.memory.read_address_b.next = self.head.q.val();
        self.read.item.next = self.memory.read_data_a.val();

        if self.enters.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.leaves.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        if self.enters.val() & !self.leaves.val() {
            self.filled.d.next = true;
            self.full.d.next = (self.tail.q.val() + 1) == self.head.q.val();
        }
        if self.leaves.val() & !self.enters.val() {
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
