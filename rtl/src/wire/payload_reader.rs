//! Turns the buffer into the payload stream.
use hca_hdl::primitive::{clock, comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Streams or skips the payload of accepted packets, oldest first, by one command for each.
///
/// A command and a beat of payload can move in every clock. The buffer has `A` address bits.
#[derive(LogicBlock, SmartDefault)]
pub struct PayloadReader<const W: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet is accepted.
    pub accepted: Signal<In, Bit>,
    /// With `accepted`: number of its beats of payload.
    pub beats: Signal<In, Bits<10>>,
    pub command_valid: Signal<In, Bit>,
    /// High if the payload is not wanted.
    pub command_discard: Signal<In, Bit>,
    pub command_ready: Signal<Out, Bit>,
    pub read_address: Signal<Out, Bits<A>>,
    pub read_data: Signal<In, Bits<W>>,
    pub payload_data: Signal<Out, Bits<W>>,
    pub payload_last: Signal<Out, Bit>,
    pub payload_valid: Signal<Out, Bit>,
    pub payload_ready: Signal<In, Bit>,
    /// Address of the next beat to be read; all beats before it are free again.
    pub oldest: Signal<Out, Bits<A>>,
    /// High while there is room for 12 more packets; registered.
    pub open: Signal<Out, Bit>,
    packets: Fifo<10, 5>,
    waiting: Register<Bits<6>>,
    roomy: Register<Bit>,
    // The packet being read.
    active: Register<Bit>,
    read_at: Register<Bits<A>>,
    left: Register<Bits<10>>,
    // On their way out.
    fetched: Register<Bit>,
    fetched_last: Register<Bit>,
    #[default(Register::new(8.into()))]
    credits: Register<Bits<4>>,
    queue: Fifo<W, 3>,
    lasts: Fifo<1, 3>,
    issue: Signal<Local, Bit>,
    final_read: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    next_at: Signal<Local, Bits<A>>,
}

impl<const W: usize, const A: usize> Logic for PayloadReader<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module payload_reader");
        dff_setup!(self, clock, waiting, roomy, active, read_at, left, fetched, fetched_last, credits);
        clock!(self, clock, packets, queue, lasts);
        self.packets.reset.next = self.reset.val();
        self.queue.reset.next = self.reset.val();
        self.lasts.reset.next = self.reset.val();

        // Reads; the next packet's begin in the clock after the last of this one.
        self.issue.next = self.active.q.val() && (self.credits.q.val() != 0);
        self.final_read.next = self.issue.val() && (self.left.q.val() == 1);
        self.read_address.next = self.read_at.q.val();
        self.next_at.next = self.read_at.q.val();
        if self.issue.val() {
            self.next_at.next = self.read_at.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.final_read.val() {
            self.active.d.next = false;
        }

        // Commands.
        self.packets.write_data.next = self.beats.val();
        self.packets.write_valid.next = self.accepted.val();
        self.ready.next = self.packets.read_valid.val() && (!self.active.q.val() || self.final_read.val());
        self.command_ready.next = self.ready.val();
        self.take.next = self.ready.val() && self.command_valid.val();
        self.packets.read_ready.next = self.take.val();
        self.read_at.d.next = self.next_at.val();
        if self.take.val() {
            if self.command_discard.val() {
                self.read_at.d.next = self.next_at.val() + bit_cast::<A, 10>(self.packets.read_data.val());
            } else {
                self.active.d.next = self.packets.read_data.val().any();
                self.left.d.next = self.packets.read_data.val();
            }
        }
        if self.accepted.val() && !self.take.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if self.take.val() && !self.accepted.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        self.roomy.d.next = self.waiting.q.val() < 20;
        self.open.next = self.roomy.q.val();
        self.oldest.next = self.read_at.q.val();

        self.fetched.d.next = self.issue.val();
        self.fetched_last.d.next = self.final_read.val();
        self.queue.write_data.next = self.read_data.val();
        self.queue.write_valid.next = self.fetched.q.val();
        self.lasts.write_data.next = self.fetched_last.q.val().into();
        self.lasts.write_valid.next = self.fetched.q.val();

        // A credit is a free place in the queue.
        self.pop.next = self.queue.read_valid.val() && self.payload_ready.val();
        self.queue.read_ready.next = self.payload_ready.val();
        self.lasts.read_ready.next = self.payload_ready.val();
        self.payload_valid.next = self.queue.read_valid.val();
        self.payload_data.next = self.queue.read_data.val();
        self.payload_last.next = self.lasts.read_data.val().get_bit(0);
        if self.issue.val() && !self.pop.val() {
            self.credits.d.next = self.credits.q.val() - 1;
        }
        if self.pop.val() && !self.issue.val() {
            self.credits.d.next = self.credits.q.val() + 1;
        }
        if self.reset.val() {
            self.waiting.d.next = 0.into();
            self.roomy.d.next = false;
            self.active.d.next = false;
            self.read_at.d.next = 0.into();
            self.fetched.d.next = false;
            self.credits.d.next = 8.into();
        }
    }
}
