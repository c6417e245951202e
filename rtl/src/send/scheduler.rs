//! Round robin over the QPs that have something to send.
use crate::primitive::{comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;

/// A queue of QP indices, each in it at most once. `QB`: QP index bits; `NQ` = 2^`QB`; `QF` = `QB` + 1.
#[derive(LogicBlock, Default)]
pub struct Scheduler<const QB: usize, const NQ: usize, const QF: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// A doorbell rang.
    pub wake_valid: Signal<In, Bit>,
    pub wake_index: Signal<In, Bits<QB>>,
    pub wake_ready: Signal<Out, Bit>,
    /// The engine sent a packet and there are more; always taken.
    pub again_valid: Signal<In, Bit>,
    pub again_index: Signal<In, Bits<QB>>,

    pub next_valid: Signal<Out, Bit>,
    pub next_index: Signal<Out, Bits<QB>>,
    pub next_ready: Signal<In, Bit>,

    order: Fifo<QB, QF>,
    waiting: Register<Bits<NQ>>,
    index: Signal<Local, Bits<QB>>,
    leaving: Signal<Local, Bit>,
    after_leaving: Signal<Local, Bits<NQ>>,
    enters: Signal<Local, Bit>,
}

impl<const QB: usize, const NQ: usize, const QF: usize> Logic for Scheduler<QB, NQ, QF> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module scheduler");
        dff_setup!(self, clock, waiting);
        self.order.clock.next = self.clock.val();
        self.order.reset.next = self.reset.val();

        self.next_valid.next = self.order.read_valid.val();
        self.next_index.next = self.order.read_data.val();
        self.order.read_ready.next = self.next_ready.val();
        self.leaving.next = self.order.read_valid.val() && self.next_ready.val();
        self.after_leaving.next = self.waiting.q.val();
        if self.leaving.val() {
            self.after_leaving.next = self
                .waiting
                .q
                .val()
                .replace_bit(self.order.read_data.val().index(), false);
        }

        self.wake_ready.next = !self.again_valid.val();
        self.index.next = self.wake_index.val();
        if self.again_valid.val() {
            self.index.next = self.again_index.val();
        }
        // A QP that leaves in this clock has read its producer index before: it enters again.
        self.enters.next = (self.wake_valid.val() || self.again_valid.val())
            && !self.after_leaving.val().get_bit(self.index.val().index());
        self.order.write_valid.next = self.enters.val();
        self.order.write_data.next = self.index.val();
        self.waiting.d.next = self.after_leaving.val();
        if self.enters.val() {
            self.waiting.d.next = self
                .after_leaving
                .val()
                .replace_bit(self.index.val().index(), true);
        }
        if self.reset.val() {
            self.waiting.d.next = bits::<NQ>(0);
        }
    }
}
