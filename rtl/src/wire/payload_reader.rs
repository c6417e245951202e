//! Turns the buffer into the payload stream.
use crate::bundle::{PayloadBeatSource, PayloadCommandSink};
use hca_hdl::prelude::*;

/// Streams or skips the payload of accepted packets, oldest first, by one command for each. A command before it may
/// request the packet's network header, 40 bytes as a packet of its own; if the packet has no payload, there is no
/// other command for it. A command may leave the packet for others, which read the same again.
///
/// A command and a beat of payload can move in every cycle. The buffer has `A` address bits.
#[derive(LogicBlock, SmartDefault)]
pub struct PayloadReader<const W: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet is accepted.
    pub accepted: Signal<In, Bit>,
    /// With `accepted`: number of beats of payload of that packet.
    pub beats: Signal<In, Bits<10>>,
    /// With `accepted`: slot of the network header of that packet.
    pub slot: Signal<In, Bits<6>>,
    /// Commands that move the payload of the oldest packet on, or drop it.
    pub command: PayloadCommandSink,
    /// Address of the beat that is read from the buffer.
    pub read_address: Signal<Out, Bits<A>>,
    /// The beat that `read_address` named in the cycle before, byte 0 at the most significant end.
    pub read_data: Signal<In, Bits<W>>,
    /// High if an accepted packet waits here.
    pub waits: Signal<Out, Bit>,
    /// Slot of the network header of the oldest packet that waits here.
    pub oldest_slot: Signal<Out, Bits<6>>,
    /// Number of the word of that network header that is read, from 0.
    pub network_part: Signal<Out, Bits<3>>,
    /// The word that `oldest_slot` and `network_part` named in the cycle before, byte 0 at the most significant end.
    pub network: Signal<In, Bits<W>>,
    /// The payload that was requested.
    pub payload: PayloadBeatSource<W>,
    /// Address of the oldest beat that may be read; all beats before it are free again.
    pub oldest: Signal<Out, Bits<A>>,
    /// High while there is room for 12 more packets; registered.
    pub open: Signal<Out, Bit>,
    /// Slot 6 | beats 10, from the most significant end.
    packets: Fifo<Bits<16>, 5>,
    waiting: Register<Bits<6>>,
    roomy: Register<Bit>,
    // The packet being read.
    active: Register<Bit>,
    read_at: Register<Bits<A>>,
    left: Register<Bits<10>>,
    /// High while a packet is read that stays.
    keeps: Register<Bit>,
    /// Address of that packet's first beat.
    first: Register<Bits<A>>,
    /// High while a network header is streamed.
    prefixing: Register<Bit>,
    /// Number of the next beat of the network header.
    part: Register<Bits<3>>,
    fetched_prefix: Register<Bit>,
    // On their way out.
    fetched: Register<Bit>,
    fetched_last: Register<Bit>,
    #[default(Register::new(8.into()))]
    credits: Register<Bits<4>>,
    queue: Fifo<Bits<W>, 3>,
    lasts: Fifo<Bits<1>, 3>,
    issue: Signal<Local, Bit>,
    final_read: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    next_at: Signal<Local, Bits<A>>,
    pops: Signal<Local, Bit>,
    /// High if the packet has no payload.
    empty: Signal<Local, Bit>,
    #[default(constant(320usize.div_ceil(W) - 1))]
    last_part: Constant<Bits<3>>,
}

#[kernel]
impl<const W: usize, const A: usize> Logic for PayloadReader<W, A> {
    fn update(&mut self) {
        clock_and_reset!(self, packets, queue, lasts);

        // Reads; the next packet's begin in the clock after the last of this one.
        self.issue.next = (self.active.q.val() || self.prefixing.q.val()) && (self.credits.q.val() != 0);
        self.final_read.next = self.issue.val() && (self.left.q.val() == 1);
        if self.prefixing.q.val() {
            self.final_read.next = self.issue.val() && (self.part.q.val() == self.last_part.val());
        }
        self.read_address.next = self.read_at.q.val();
        self.next_at.next = self.read_at.q.val();
        if self.issue.val() && !self.prefixing.q.val() {
            self.next_at.next = self.read_at.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.issue.val() && self.prefixing.q.val() {
            self.part.d.next = self.part.q.val() + 1;
        }
        if self.final_read.val() {
            self.active.d.next = false;
            self.prefixing.d.next = false;
            if self.keeps.q.val() && !self.prefixing.q.val() {
                self.next_at.next = self.first.q.val();
            }
        }

        // Commands.
        self.packets.write.item.next =
            (bit_cast::<16, 6>(self.slot.val()) << 10) | bit_cast::<16, 10>(self.beats.val());
        self.packets.write.valid.next = self.accepted.val();
        self.waits.next = self.packets.read.valid.val();
        self.oldest_slot.next = self.packets.read.item.val().get_bits::<6>(10);
        self.empty.next = !self.packets.read.item.val().get_bits::<10>(0).any();
        // A packet without payload leaves with the last beat of its network header.
        self.ready.next = self.packets.read.valid.val()
            && ((!self.active.q.val() && !self.prefixing.q.val())
                || (self.final_read.val() && !(self.prefixing.q.val() && self.empty.val())));
        self.command.ready.next = self.ready.val();
        self.take.next = self.ready.val() && self.command.valid.val();
        self.pops.next = (self.take.val() && !self.command.prefix.val() && !self.command.keeps.val())
            || (self.prefixing.q.val() && self.final_read.val() && self.empty.val() && !self.keeps.q.val());
        self.packets.read.ready.next = self.pops.val();
        self.read_at.d.next = self.next_at.val();
        if self.take.val() {
            self.keeps.d.next = self.command.keeps.val();
            self.first.d.next = self.next_at.val();
            if self.command.prefix.val() {
                self.prefixing.d.next = true;
                self.part.d.next = 0.into();
            } else if self.command.discard.val() {
                if !self.command.keeps.val() {
                    self.read_at.d.next = self.next_at.val()
                        + bit_cast::<A, 10>(self.packets.read.item.val().get_bits::<10>(0));
                }
            } else {
                self.active.d.next = !self.empty.val();
                self.left.d.next = self.packets.read.item.val().get_bits::<10>(0);
            }
        }
        if self.accepted.val() && !self.pops.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if self.pops.val() && !self.accepted.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        self.roomy.d.next = self.waiting.q.val() < 20;
        self.open.next = self.roomy.q.val();
        self.oldest.next = self.read_at.q.val();
        if self.keeps.q.val() {
            self.oldest.next = self.first.q.val();
        }

        self.fetched.d.next = self.issue.val();
        self.fetched_last.d.next = self.final_read.val();
        self.fetched_prefix.d.next = self.prefixing.q.val();
        self.network_part.next = self.part.q.val();
        self.queue.write.item.next = self.read_data.val();
        if self.fetched_prefix.q.val() {
            self.queue.write.item.next = self.network.val();
        }
        self.queue.write.valid.next = self.fetched.q.val();
        self.lasts.write.item.next = self.fetched_last.q.val().into();
        self.lasts.write.valid.next = self.fetched.q.val();

        // A credit is a free place in the queue.
        self.pop.next = self.queue.read.valid.val() && self.payload.ready.val();
        self.queue.read.ready.next = self.payload.ready.val();
        self.lasts.read.ready.next = self.payload.ready.val();
        self.payload.valid.next = self.queue.read.valid.val();
        self.payload.data.next = self.queue.read.item.val();
        self.payload.last.next = self.lasts.read.item.val().get_bit(0);
        if self.issue.val() && !self.pop.val() {
            self.credits.d.next = self.credits.q.val() - 1;
        }
        if self.pop.val() && !self.issue.val() {
            self.credits.d.next = self.credits.q.val() + 1;
        }
        if self.reset.val() {
            self.waiting.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.credits.d.next = 8.into();
            clear!(self, roomy, active, prefixing, keeps, fetched);
        }
    }
}
