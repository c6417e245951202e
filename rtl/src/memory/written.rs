//! What of one side is in host memory.
use crate::primitive::{comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;

/// Counts packets whose writes, and those of all packets before them, are acknowledged.
///
/// Up to 128 bursts and packets without any may be under way. Bursts of one side are acknowledged in their order.
#[derive(LogicBlock, Default)]
pub struct Written {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub count_valid: Signal<In, Bit>,
    pub count_ready: Signal<Out, Bit>,
    /// Waits for an acknowledgement.
    pub count_burst: Signal<In, Bit>,
    /// Ends a packet.
    pub count_last: Signal<In, Bit>,

    /// One pulse: a burst is acknowledged.
    pub acknowledged: Signal<In, Bit>,

    /// Packets, modulo 2^16.
    pub written: Signal<Out, Bits<16>>,
    /// Nothing is under way.
    pub quiet: Signal<Out, Bit>,

    /// Burst 1 | last 0.
    under_way: Fifo<2, 7>,
    acknowledgements: Register<Bits<8>>,
    packets: Register<Bits<16>>,

    head: Signal<Local, Bits<2>>,
    take: Signal<Local, Bit>,
    uses: Signal<Local, Bit>,
}

impl Logic for Written {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module written");
        dff_setup!(self, clock, acknowledgements, packets);
        self.under_way.clock.next = self.clock.val();
        self.under_way.reset.next = self.reset.val();
        self.count_ready.next = self.under_way.write_ready.val();
        self.under_way.write_valid.next = self.count_valid.val();
        self.under_way.write_data.next = (bit_cast::<2, 1>(self.count_burst.val().into()) << 1)
            | bit_cast::<2, 1>(self.count_last.val().into());

        self.head.next = self.under_way.read_data.val();
        self.uses.next = self.under_way.read_valid.val()
            && self.head.val().get_bit(1)
            && self.acknowledgements.q.val().any();
        self.take.next = self.uses.val() || (self.under_way.read_valid.val() && !self.head.val().get_bit(1));
        self.under_way.read_ready.next = self.take.val();
        if self.acknowledged.val() && !self.uses.val() {
            self.acknowledgements.d.next = self.acknowledgements.q.val() + 1;
        }
        if self.uses.val() && !self.acknowledged.val() {
            self.acknowledgements.d.next = self.acknowledgements.q.val() - 1;
        }
        if self.take.val() && self.head.val().get_bit(0) {
            self.packets.d.next = self.packets.q.val() + 1;
        }
        self.written.next = self.packets.q.val();
        self.quiet.next = !self.under_way.read_valid.val();

        if self.reset.val() {
            self.acknowledgements.d.next = bits::<8>(0);
            self.packets.d.next = bits::<16>(0);
        }
    }
}
