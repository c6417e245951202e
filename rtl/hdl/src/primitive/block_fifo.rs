//! A long queue in block RAM.
use crate::bundle::{OfferSink, OfferSource};
use crate::primitive::{clock, comment, dff_setup, BlockRam, Register};
use crate::record::RecordField;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// A queue of 2^`A` words of type `T` in block RAM, with a front register. One word moves in and one out in each clock;
/// a word's `read.valid` is high three clocks after its write.
///
/// The outputs are registers. `reset` empties the queue.
#[derive(LogicBlock, SmartDefault)]
pub struct BlockFifo<T: RecordField, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Words that enter the queue. `ready` is high while it has room.
    pub write: OfferSink<T>,
    /// Words that leave the queue, the oldest first.
    pub read: OfferSource<T>,
    #[default(BlockRam::without_collisions())]
    memory: BlockRam<T, A>,
    head: Register<Bits<A>>,
    #[default(Register::new(1.into()))]
    after_head: Register<Bits<A>>,
    tail: Register<Bits<A>>,
    full: Register<Bit>,
    fetched: Register<Bit>,
    front_valid: Register<Bit>,
    front: Register<T>,
    enters: Signal<Local, Bit>,
    shift: Signal<Local, Bit>,
}

impl<T: RecordField, const A: usize> Logic for BlockFifo<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module block_fifo");
        dff_setup!(self, clock, head, after_head, tail, full, fetched, front_valid, front);
        clock!(self, clock, memory);

        self.write.ready.next = !self.full.q.val();
        self.read.valid.next = self.front_valid.q.val();
        self.read.item.next = self.front.q.val();
        self.enters.next = self.write.valid.val() & !self.full.q.val();
        // The fetched word moves into the front register.
        self.shift.next = self.fetched.q.val() & (self.read.ready.val() | !self.front_valid.q.val());

        self.memory.write_enable.next = self.enters.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.write_data.next = self.write.item.val();
        if self.enters.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }

        // A word written in this clock is fetched in the next one at the earliest.
        self.memory.read_address.next = self.head.q.val();
        self.fetched.d.next = (self.head.q.val() != self.tail.q.val()) | self.full.q.val();
        if self.shift.val() {
            self.memory.read_address.next = self.after_head.q.val();
            self.fetched.d.next = self.after_head.q.val() != self.tail.q.val();
            self.head.d.next = self.after_head.q.val();
            self.after_head.d.next = self.after_head.q.val() + 1;
        }
        if self.enters.val() & !self.shift.val() {
            self.full.d.next = (self.tail.q.val() + 1) == self.head.q.val();
        }
        if self.shift.val() & !self.enters.val() {
            self.full.d.next = false;
        }

        if self.read.ready.val() {
            self.front_valid.d.next = false;
        }
        if self.shift.val() {
            self.front_valid.d.next = true;
            self.front.d.next = self.memory.read_data.val();
        }
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.after_head.d.next = 1.into();
            self.tail.d.next = 0.into();
            self.full.d.next = false;
            self.fetched.d.next = false;
            self.front_valid.d.next = false;
        }
    }
}
