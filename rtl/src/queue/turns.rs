//! Selects the queue whose entries are read next.
use crate::bundle::{QpOfferSink, QpPulseSink};
use hca_hdl::prelude::*;

/// Gives turns to queues that a doorbell or their consumer woke: both kinds alternate, each in its order.
///
/// A doorbell has its turn in its own clock if no queue waits. `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, SmartDefault)]
pub struct Turns<const QB: usize, const NQ: usize> {
    #[default(provided(NQ == 1 << QB, "one bit for each queue pair"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Queues that a doorbell woke.
    pub doorbell: QpOfferSink<QB>,
    /// Queues that their consumer woke; never lost. A queue that already waits is not queued again.
    pub refill: QpPulseSink<QB>,

    /// High if a turn may begin in this clock.
    pub free: Signal<In, Bit>,
    /// High for one cycle when a turn begins.
    pub turn_valid: Signal<Out, Bit>,
    /// Index of the queue that has the turn.
    pub turn_index: Signal<Out, Bits<QB>>,
    /// High if the turn, if there is one, is of a doorbell in its own clock. Depends on registers alone.
    pub turn_direct: Signal<Out, Bit>,

    doorbells: Fifo<Bits<QB>, 4>,
    refills: Fifo<Bits<QB>, QB>,
    /// Bit `i` is high while queue `i` is in `refills`.
    queued: Register<Bits<NQ>>,
    refilled_last: Register<Bit>,

    refills_first: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    from_doorbells: Signal<Local, Bit>,
    from_refills: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    popped: Signal<Local, Bits<NQ>>,
    pushed: Signal<Local, Bits<NQ>>,
    #[default(constant(1))]
    one: Constant<Bits<NQ>>,
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for Turns<QB, NQ> {
    fn update(&mut self) {
        clock_and_reset!(self, doorbells, refills);

        // The choice does not depend on `free`.
        self.refills_first.next = self.refills.read.valid.val()
            && (!self.doorbells.read.valid.val() || !self.refilled_last.q.val());
        self.from_refills.next = self.free.val() && self.refills_first.val();
        self.from_doorbells.next =
            self.free.val() && self.doorbells.read.valid.val() && !self.refills_first.val();
        self.direct.next = self.free.val()
            && self.doorbell.valid.val()
            && !self.doorbells.read.valid.val()
            && !self.refills.read.valid.val();
        self.turn_valid.next = self.from_refills.val() || self.from_doorbells.val() || self.direct.val();
        self.turn_direct.next = !self.doorbells.read.valid.val() && !self.refills.read.valid.val();
        self.turn_index.next = self.doorbell.item.val();
        if self.doorbells.read.valid.val() {
            self.turn_index.next = self.doorbells.read.item.val();
        }
        if self.refills_first.val() {
            self.turn_index.next = self.refills.read.item.val();
        }
        self.popped.next = bits::<NQ>(0);
        self.pushed.next = bits::<NQ>(0);
        if self.from_doorbells.val() {
            self.refilled_last.d.next = false;
        }
        if self.from_refills.val() {
            self.refilled_last.d.next = true;
            self.popped.next = self.one.val() << self.refills.read.item.val();
        }

        self.doorbell.ready.next = self.doorbells.write.ready.val();
        self.doorbells.write.valid.next = self.doorbell.valid.val() && !self.direct.val();
        self.doorbells.write.item.next = self.doorbell.item.val();
        self.doorbells.read.ready.next = self.from_doorbells.val();
        self.enters.next =
            self.refill.valid.val() && !(self.queued.q.val() >> self.refill.index.val()).get_bit(0);
        if self.enters.val() {
            self.pushed.next = self.one.val() << self.refill.index.val();
        }
        inputs!(self.refills.write, valid: enters, item: refill.index);
        self.refills.read.ready.next = self.from_refills.val();
        self.queued.d.next = (self.queued.q.val() & !self.popped.val()) | self.pushed.val();

        if self.reset.val() {
            clear!(self, queued, refilled_last);
        }
    }
}
