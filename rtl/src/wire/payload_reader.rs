//! From the buffer to aligned payload.
use crate::primitive::{comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Reads a packet's payload when told to, turned so that its byte 0 is the first of a beat, and frees the packet.
///
/// Packets come as descriptors in order of arrival, one command each. `A` address bits of the buffer.
#[derive(LogicBlock)]
pub struct PayloadReader<const W: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Payload bytes [12:0], words before the payload [16:13], start [27:17] and end [38:28] in the buffer.
    pub packet: Signal<In, Bits<39>>,
    pub packet_valid: Signal<In, Bit>,
    pub packet_ready: Signal<Out, Bit>,
    pub command_valid: Signal<In, Bit>,
    /// Free the packet, its payload is not wanted.
    pub command_discard: Signal<In, Bit>,
    pub command_ready: Signal<Out, Bit>,
    pub read_address: Signal<Out, Bits<A>>,
    pub read_data: Signal<In, Bits<W>>,
    pub free: Signal<Out, Bit>,
    pub free_end: Signal<Out, Bits<A>>,
    pub payload_data: Signal<Out, Bits<W>>,
    pub payload_last: Signal<Out, Bit>,
    pub payload_valid: Signal<Out, Bit>,
    pub payload_ready: Signal<In, Bit>,
    // The next packet.
    ready: Register<Bit>,
    empty: Register<Bit>,
    first_at: Register<Bits<A>>,
    end_at: Register<Bits<A>>,
    reads: Register<Bits<11>>,
    offset: Register<Bits<4>>,
    // The packet being read.
    active: Register<Bit>,
    read_at: Register<Bits<A>>,
    left: Register<Bits<11>>,
    left_shift: Register<Bits<9>>,
    right_shift: Register<Bits<9>>,
    primed: Register<Bit>,
    ends_at: Register<Bits<A>>,
    // On their way out.
    fetched: Register<Bit>,
    fetched_out: Register<Bit>,
    fetched_last: Register<Bit>,
    fetched_left: Register<Bits<9>>,
    fetched_right: Register<Bits<9>>,
    held: Register<Bit>,
    held_last: Register<Bit>,
    held_left: Register<Bits<9>>,
    held_right: Register<Bits<9>>,
    held_data: Register<Bits<W>>,
    former: Register<Bits<W>>,
    credits: Register<Bits<4>>,
    queue: Fifo<W, 3>,
    lasts: Fifo<1, 3>,
    payload: Signal<Local, Bits<13>>,
    words: Signal<Local, Bits<4>>,
    start: Signal<Local, Bits<A>>,
    go: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    issue_out: Signal<Local, Bit>,
    final_read: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    turned: Signal<Local, Bits<W>>,
    word_shift: Constant<Bits<3>>,
    byte_shift: Constant<Bits<3>>,
    word_mask: Constant<Bits<4>>,
    round_up: Constant<Bits<13>>,
}

impl<const W: usize, const A: usize> Default for PayloadReader<W, A> {
    fn default() -> Self {
        assert!(A <= 11, "descriptors hold 11 address bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            packet: Default::default(),
            packet_valid: Default::default(),
            packet_ready: Default::default(),
            command_valid: Default::default(),
            command_discard: Default::default(),
            command_ready: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            free: Default::default(),
            free_end: Default::default(),
            payload_data: Default::default(),
            payload_last: Default::default(),
            payload_valid: Default::default(),
            payload_ready: Default::default(),
            ready: Default::default(),
            empty: Default::default(),
            first_at: Default::default(),
            end_at: Default::default(),
            reads: Default::default(),
            offset: Default::default(),
            active: Default::default(),
            read_at: Default::default(),
            left: Default::default(),
            left_shift: Default::default(),
            right_shift: Default::default(),
            primed: Default::default(),
            ends_at: Default::default(),
            fetched: Default::default(),
            fetched_out: Default::default(),
            fetched_last: Default::default(),
            fetched_left: Default::default(),
            fetched_right: Default::default(),
            held: Default::default(),
            held_last: Default::default(),
            held_left: Default::default(),
            held_right: Default::default(),
            held_data: Default::default(),
            former: Default::default(),
            credits: Register::new(8.into()),
            queue: Default::default(),
            lasts: Default::default(),
            payload: Default::default(),
            words: Default::default(),
            start: Default::default(),
            go: Default::default(),
            issue: Default::default(),
            issue_out: Default::default(),
            final_read: Default::default(),
            pop: Default::default(),
            turned: Default::default(),
            word_shift: Constant::new((W / 32).trailing_zeros().to_bits()),
            byte_shift: Constant::new((W / 8).trailing_zeros().to_bits()),
            word_mask: Constant::new((W / 32 - 1).to_bits()),
            round_up: Constant::new((W / 8 - 1).to_bits()),
        }
    }
}

impl<const W: usize, const A: usize> Logic for PayloadReader<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module payload_reader");
        dff_setup!(
            self,
            clock,
            ready,
            empty,
            first_at,
            end_at,
            reads,
            offset,
            active,
            read_at,
            left,
            left_shift,
            right_shift,
            primed,
            ends_at,
            fetched,
            fetched_out,
            fetched_last,
            fetched_left,
            fetched_right,
            held,
            held_last,
            held_left,
            held_right,
            held_data,
            former,
            credits
        );
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.lasts.clock.next = self.clock.val();
        self.lasts.reset.next = self.reset.val();

        // The next packet: which beats hold its payload.
        self.payload.next = self.packet.val().get_bits::<13>(0);
        self.words.next = self.packet.val().get_bits::<4>(13);
        self.start.next = bit_cast::<A, 11>(self.packet.val().get_bits::<11>(17));
        self.packet_ready.next = !self.ready.q.val();
        if !self.ready.q.val() {
            self.ready.d.next = self.packet_valid.val();
            self.empty.d.next = self.payload.val() == 0;
            self.first_at.d.next =
                self.start.val() + bit_cast::<A, 4>(self.words.val() >> self.word_shift.val());
            self.end_at.d.next = bit_cast::<A, 11>(self.packet.val().get_bits::<11>(28));
            self.offset.d.next = self.words.val() & self.word_mask.val();
            self.reads.d.next =
                bit_cast::<11, 13>((self.payload.val() + self.round_up.val()) >> self.byte_shift.val());
        }

        // A beat of payload may span two of the packet: one more read, whose beat is not sent on.
        self.issue_out.next = self.active.q.val() && (self.credits.q.val() != 0);
        self.issue.next = self.issue_out.val();
        self.final_read.next = self.issue.val() && (self.left.q.val() == 1);
        self.read_address.next = self.read_at.q.val();
        if self.issue.val() {
            self.read_at.d.next = self.read_at.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            self.primed.d.next = true;
            if self.left.q.val() == 1 {
                self.active.d.next = false;
            }
        }

        self.go.next = self.ready.q.val() && self.command_valid.val() && !self.active.q.val();
        self.command_ready.next = self.ready.q.val() && !self.active.q.val();
        self.free.next = self.final_read.val();
        self.free_end.next = self.ends_at.q.val();
        if self.go.val() {
            self.ready.d.next = false;
            self.ends_at.d.next = self.end_at.q.val();
            if self.command_discard.val() || self.empty.q.val() {
                self.free.next = true;
                self.free_end.next = self.end_at.q.val();
            } else {
                self.active.d.next = true;
                self.read_at.d.next = self.first_at.q.val();
                self.primed.d.next = self.offset.q.val() == 0;
                self.left.d.next = self.reads.q.val();
                if self.offset.q.val() != 0 {
                    self.left.d.next = self.reads.q.val() + 1;
                }
                self.left_shift.d.next = bit_cast::<9, 4>(self.offset.q.val()) << 5;
                self.right_shift.d.next =
                    bit_cast::<9, 4>((bits::<4>(0) - self.offset.q.val()) & self.word_mask.val()) << 5;
            }
        }

        self.fetched.d.next = self.issue.val();
        self.fetched_out.d.next = self.issue.val() && self.primed.q.val();
        self.fetched_last.d.next = self.final_read.val();
        self.fetched_left.d.next = self.left_shift.q.val();
        self.fetched_right.d.next = self.right_shift.q.val();
        self.held.d.next = self.fetched_out.q.val();
        self.held_last.d.next = self.fetched_last.q.val();
        self.held_left.d.next = self.fetched_left.q.val();
        self.held_right.d.next = self.fetched_right.q.val();
        if self.fetched.q.val() {
            self.held_data.d.next = self.read_data.val();
            self.former.d.next = self.held_data.q.val();
        }
        self.turned.next = self.held_data.q.val() >> self.held_right.q.val();
        self.queue.write_data.next = self.turned.val();
        if self.held_left.q.val() != 0 {
            self.queue.write_data.next = self.turned.val() | (self.former.q.val() << self.held_left.q.val());
        }
        self.queue.write_valid.next = self.held.q.val();
        self.lasts.write_data.next = self.held_last.q.val().into();
        self.lasts.write_valid.next = self.held.q.val();

        // A credit is a free place in the queue.
        self.pop.next = self.queue.read_valid.val() && self.payload_ready.val();
        self.queue.read_ready.next = self.payload_ready.val();
        self.lasts.read_ready.next = self.payload_ready.val();
        self.payload_valid.next = self.queue.read_valid.val();
        self.payload_data.next = self.queue.read_data.val();
        self.payload_last.next = self.lasts.read_data.val().get_bit(0);
        if (self.issue.val() && self.primed.q.val()) && !self.pop.val() {
            self.credits.d.next = self.credits.q.val() - 1;
        }
        if self.pop.val() && !(self.issue.val() && self.primed.q.val()) {
            self.credits.d.next = self.credits.q.val() + 1;
        }
        if self.reset.val() {
            self.ready.d.next = false;
            self.active.d.next = false;
            self.fetched.d.next = false;
            self.fetched_out.d.next = false;
            self.held.d.next = false;
            self.credits.d.next = 8.into();
        }
    }
}
