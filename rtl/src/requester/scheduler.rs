//! Round robin over the QPs that have something to do.
use crate::bundle::{QpOfferSource, QpPulseSink};
use hca_hdl::prelude::*;

/// A queue of QP indices, each in it at most once, with four sources of wakes that never wait. A QP gets its turn two
/// cycles after its wake, three if several are woken. A QP woken in the cycle in which its turn is taken, or later,
/// gets another turn.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, SmartDefault)]
pub struct Scheduler<const QB: usize, const NQ: usize> {
    #[default(provided(NQ == 1 << QB, "NQ == 1 << QB"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when the first source wakes a QP.
    pub wake_a: QpPulseSink<QB>,
    /// High for one cycle when the second source wakes a QP.
    pub wake_b: QpPulseSink<QB>,
    /// High for one cycle when the third source wakes a QP.
    pub wake_c: QpPulseSink<QB>,
    /// High for one cycle when the fourth source wakes a QP.
    pub wake_d: QpPulseSink<QB>,

    /// Offers the QP that has the turn.
    pub turn: QpOfferSource<QB>,

    /// QPs woken, one queue for each source. None can fill, since no QP is in more than one of the five queues.
    #[default(array_init::array_init(|_| Default::default()))]
    woken: [Fifo<Bits<QB>, QB>; 4],
    /// QPs that get turns, in their order.
    order: Fifo<Bits<QB>, QB>,
    /// One bit a QP: high if it is in any of the queues.
    waiting: Register<Bits<NQ>>,
    /// Source whose queue is looked at first.
    first: Register<Bits<2>>,
    /// One bit a source: high if it woke a QP one cycle earlier. Registered for timing: the wakes settle late in the
    /// clock.
    wakes: Register<Bits<4>>,
    /// QP that the first source woke.
    woken_a: Register<Bits<QB>>,
    /// QP that the second source woke.
    woken_b: Register<Bits<QB>>,
    /// QP that the third source woke.
    woken_c: Register<Bits<QB>>,
    /// QP that the fourth source woke.
    woken_d: Register<Bits<QB>>,

    /// One bit a source: high if its QP is queued already.
    waits: Signal<Local, Bits<4>>,
    /// One bit a source: high if an earlier source wakes the same QP.
    repeats: Signal<Local, Bits<4>>,
    /// One bit a source: high if its QP is not queued yet and joins in this clock.
    fresh: Signal<Local, Bits<4>>,
    /// One bit a source: high if its QP joins the source's own queue; low if it goes to `order` at once.
    stays: Signal<Local, Bits<4>>,
    /// `waiting`, and the QPs that are woken.
    joined: Signal<Local, Bits<NQ>>,
    /// One bit a source: high if its queue holds a QP.
    filled: Signal<Local, Bits<4>>,
    /// `filled`, counted from source `first`.
    turned: Signal<Local, Bits<4>>,
    steps: Signal<Local, Bits<2>>,
    source: Signal<Local, Bits<2>>,
    moves: Signal<Local, Bit>,
    #[default(constant(1))]
    one: Constant<Bits<NQ>>,
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for Scheduler<QB, NQ> {
    fn update(&mut self) {
        clock!(self, clock, order);
        self.order.reset.next = self.reset.val();
        for i in 0..4 {
            inputs!(self.woken[i], clock, reset);
        }

        QpOfferSource::<QB>::link(&mut self.turn, &mut self.order.read);
        self.wakes.d.next = bit_cast::<4, 1>(self.wake_a.valid.val().into())
            | (bit_cast::<4, 1>(self.wake_b.valid.val().into()) << 1)
            | (bit_cast::<4, 1>(self.wake_c.valid.val().into()) << 2)
            | (bit_cast::<4, 1>(self.wake_d.valid.val().into()) << 3);
        self.woken_a.d.next = self.wake_a.index.val();
        self.woken_b.d.next = self.wake_b.index.val();
        self.woken_c.d.next = self.wake_c.index.val();
        self.woken_d.d.next = self.wake_d.index.val();

        // A turn that is taken in this clock comes after them. A QP woken by two of them enters once.
        self.waits.next = bit_cast::<4, 1>(self.waiting.q.val().get_bit(self.woken_a.q.val().index()).into())
            | (bit_cast::<4, 1>(self.waiting.q.val().get_bit(self.woken_b.q.val().index()).into()) << 1)
            | (bit_cast::<4, 1>(self.waiting.q.val().get_bit(self.woken_c.q.val().index()).into()) << 2)
            | (bit_cast::<4, 1>(self.waiting.q.val().get_bit(self.woken_d.q.val().index()).into()) << 3);
        self.repeats.next = (bit_cast::<4, 1>(
            (self.wakes.q.val().get_bit(0) && (self.woken_a.q.val() == self.woken_b.q.val())).into(),
        ) << 1)
            | (bit_cast::<4, 1>(
                ((self.wakes.q.val().get_bit(0) && (self.woken_a.q.val() == self.woken_c.q.val()))
                    || (self.wakes.q.val().get_bit(1) && (self.woken_b.q.val() == self.woken_c.q.val())))
                .into(),
            ) << 2)
            | (bit_cast::<4, 1>(
                ((self.wakes.q.val().get_bit(0) && (self.woken_a.q.val() == self.woken_d.q.val()))
                    || (self.wakes.q.val().get_bit(1) && (self.woken_b.q.val() == self.woken_d.q.val()))
                    || (self.wakes.q.val().get_bit(2) && (self.woken_c.q.val() == self.woken_d.q.val())))
                .into(),
            ) << 3);
        self.fresh.next = self.wakes.q.val() & !self.waits.val() & !self.repeats.val();
        // The first of them goes on at once where no other waits.
        self.filled.next = bit_cast::<4, 1>(self.woken[0].read.valid.val().into())
            | (bit_cast::<4, 1>(self.woken[1].read.valid.val().into()) << 1)
            | (bit_cast::<4, 1>(self.woken[2].read.valid.val().into()) << 2)
            | (bit_cast::<4, 1>(self.woken[3].read.valid.val().into()) << 3);
        self.stays.next = self.fresh.val();
        if !self.filled.val().any() {
            self.stays.next = self.fresh.val() & (self.fresh.val() - 1);
        }
        self.woken[0].write.item.next = self.woken_a.q.val();
        self.woken[0].write.valid.next = self.stays.val().get_bit(0);
        self.woken[1].write.item.next = self.woken_b.q.val();
        self.woken[1].write.valid.next = self.stays.val().get_bit(1);
        self.woken[2].write.item.next = self.woken_c.q.val();
        self.woken[2].write.valid.next = self.stays.val().get_bit(2);
        self.woken[3].write.item.next = self.woken_d.q.val();
        self.woken[3].write.valid.next = self.stays.val().get_bit(3);
        self.joined.next = self.waiting.q.val()
            | (bit_cast::<NQ, 1>(self.wakes.q.val().get_bit(0).into()) << self.woken_a.q.val())
            | (bit_cast::<NQ, 1>(self.wakes.q.val().get_bit(1).into()) << self.woken_b.q.val())
            | (bit_cast::<NQ, 1>(self.wakes.q.val().get_bit(2).into()) << self.woken_c.q.val())
            | (bit_cast::<NQ, 1>(self.wakes.q.val().get_bit(3).into()) << self.woken_d.q.val());
        self.waiting.d.next = self.joined.val();
        if self.turn.ready.val() && self.order.read.valid.val() {
            self.waiting.d.next = self.joined.val() & !(self.one.val() << self.order.read.item.val());
        }

        // One a clock moves on, the sources in turn.
        self.turned.next = self.filled.val() >> self.first.q.val();
        if self.first.q.val() != 0 {
            self.turned.next = (self.filled.val() >> self.first.q.val())
                | (self.filled.val() << (bits::<2>(0) - self.first.q.val()));
        }
        self.steps.next = bits::<2>(3);
        if self.turned.val().get_bit(2) {
            self.steps.next = bits::<2>(2);
        }
        if self.turned.val().get_bit(1) {
            self.steps.next = bits::<2>(1);
        }
        if self.turned.val().get_bit(0) {
            self.steps.next = bits::<2>(0);
        }
        self.source.next = self.first.q.val() + self.steps.val();
        self.moves.next = self.filled.val().any();
        self.order.write.valid.next = self.moves.val() || self.fresh.val().any();
        self.order.write.item.next = self.woken[0].read.item.val();
        if self.source.val() == 1 {
            self.order.write.item.next = self.woken[1].read.item.val();
        }
        if self.source.val() == 2 {
            self.order.write.item.next = self.woken[2].read.item.val();
        }
        if self.source.val() == 3 {
            self.order.write.item.next = self.woken[3].read.item.val();
        }
        if !self.moves.val() {
            self.order.write.item.next = self.woken_d.q.val();
            if self.fresh.val().get_bit(2) {
                self.order.write.item.next = self.woken_c.q.val();
            }
            if self.fresh.val().get_bit(1) {
                self.order.write.item.next = self.woken_b.q.val();
            }
            if self.fresh.val().get_bit(0) {
                self.order.write.item.next = self.woken_a.q.val();
            }
        }
        self.woken[0].read.ready.next = self.moves.val() && (self.source.val() == 0);
        self.woken[1].read.ready.next = self.moves.val() && (self.source.val() == 1);
        self.woken[2].read.ready.next = self.moves.val() && (self.source.val() == 2);
        self.woken[3].read.ready.next = self.moves.val() && (self.source.val() == 3);
        if self.moves.val() {
            self.first.d.next = self.source.val() + 1;
        }
        if self.reset.val() {
            self.waiting.d.next = 0.into();
            self.wakes.d.next = 0.into();
            self.first.d.next = 0.into();
        }
    }
}
