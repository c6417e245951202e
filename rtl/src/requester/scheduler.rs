//! Round robin over the QPs that have something to do.
use crate::primitive::{comment, dff_setup, Fifo, Register};
use rust_hdl_core::prelude::*;

/// A queue of QP indices, each in it at most once, woken by four sources that never wait; a turn two clocks after its
/// wake. A QP woken in the clock in which its turn is taken, or later, gets another turn.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`; `QF` = `QB` + 1.
#[derive(LogicBlock)]
pub struct Scheduler<const QB: usize, const NQ: usize, const QF: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub wake_a_valid: Signal<In, Bit>,
    pub wake_a_index: Signal<In, Bits<QB>>,
    pub wake_b_valid: Signal<In, Bit>,
    pub wake_b_index: Signal<In, Bits<QB>>,
    pub wake_c_valid: Signal<In, Bit>,
    pub wake_c_index: Signal<In, Bits<QB>>,
    pub wake_d_valid: Signal<In, Bit>,
    pub wake_d_index: Signal<In, Bits<QB>>,

    pub turn_valid: Signal<Out, Bit>,
    pub turn_ready: Signal<In, Bit>,
    pub turn_index: Signal<Out, Bits<QB>>,

    /// Woken by one source each; none can fill, for no QP is in more than one of the five queues.
    woken: [Fifo<QB, QF>; 4],
    order: Fifo<QB, QF>,
    /// QPs in any of the queues.
    waiting: Register<Bits<NQ>>,
    /// Source that is looked at first.
    first: Register<Bits<2>>,

    leaving: Signal<Local, Bits<NQ>>,
    before_a: Signal<Local, Bits<NQ>>,
    before_b: Signal<Local, Bits<NQ>>,
    before_c: Signal<Local, Bits<NQ>>,
    before_d: Signal<Local, Bits<NQ>>,
    wakes: Signal<Local, Bits<NQ>>,
    filled: Signal<Local, Bits<4>>,
    /// The same, counted from `first`.
    turned: Signal<Local, Bits<4>>,
    steps: Signal<Local, Bits<2>>,
    source: Signal<Local, Bits<2>>,
    moves: Signal<Local, Bit>,
    one: Constant<Bits<NQ>>,
}

impl<const QB: usize, const NQ: usize, const QF: usize> Default for Scheduler<QB, NQ, QF> {
    fn default() -> Self {
        assert_eq!((NQ, QF), (1 << QB, QB + 1));
        Scheduler {
            clock: Default::default(),
            reset: Default::default(),
            wake_a_valid: Default::default(),
            wake_a_index: Default::default(),
            wake_b_valid: Default::default(),
            wake_b_index: Default::default(),
            wake_c_valid: Default::default(),
            wake_c_index: Default::default(),
            wake_d_valid: Default::default(),
            wake_d_index: Default::default(),
            turn_valid: Default::default(),
            turn_ready: Default::default(),
            turn_index: Default::default(),
            woken: array_init::array_init(|_| Default::default()),
            order: Default::default(),
            waiting: Default::default(),
            first: Default::default(),
            leaving: Default::default(),
            before_a: Default::default(),
            before_b: Default::default(),
            before_c: Default::default(),
            before_d: Default::default(),
            wakes: Default::default(),
            filled: Default::default(),
            turned: Default::default(),
            steps: Default::default(),
            source: Default::default(),
            moves: Default::default(),
            one: Constant::new(1usize.to_bits()),
        }
    }
}

impl<const QB: usize, const NQ: usize, const QF: usize> Logic for Scheduler<QB, NQ, QF> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module scheduler");
        dff_setup!(self, clock, waiting, first);
        self.order.clock.next = self.clock.val();
        self.order.reset.next = self.reset.val();
        for i in 0..4 {
            self.woken[i].clock.next = self.clock.val();
            self.woken[i].reset.next = self.reset.val();
        }

        self.turn_valid.next = self.order.read_valid.val();
        self.turn_index.next = self.order.read_data.val();
        self.order.read_ready.next = self.turn_ready.val();
        self.leaving.next = 0.into();
        if self.turn_ready.val() && self.order.read_valid.val() {
            self.leaving.next = self.one.val() << self.order.read_data.val();
        }

        // What each source finds waiting: a QP woken by two of them in one clock enters once.
        self.before_a.next = self.waiting.q.val() & !self.leaving.val();
        self.before_b.next = self.before_a.val();
        if self.wake_a_valid.val() {
            self.before_b.next = self.before_a.val() | (self.one.val() << self.wake_a_index.val());
        }
        self.before_c.next = self.before_b.val();
        if self.wake_b_valid.val() {
            self.before_c.next = self.before_b.val() | (self.one.val() << self.wake_b_index.val());
        }
        self.before_d.next = self.before_c.val();
        if self.wake_c_valid.val() {
            self.before_d.next = self.before_c.val() | (self.one.val() << self.wake_c_index.val());
        }
        self.wakes.next = self.before_d.val();
        if self.wake_d_valid.val() {
            self.wakes.next = self.before_d.val() | (self.one.val() << self.wake_d_index.val());
        }
        self.waiting.d.next = self.wakes.val();
        self.woken[0].write_data.next = self.wake_a_index.val();
        self.woken[0].write_valid.next =
            self.wake_a_valid.val() && !self.before_a.val().get_bit(self.wake_a_index.val().index());
        self.woken[1].write_data.next = self.wake_b_index.val();
        self.woken[1].write_valid.next =
            self.wake_b_valid.val() && !self.before_b.val().get_bit(self.wake_b_index.val().index());
        self.woken[2].write_data.next = self.wake_c_index.val();
        self.woken[2].write_valid.next =
            self.wake_c_valid.val() && !self.before_c.val().get_bit(self.wake_c_index.val().index());
        self.woken[3].write_data.next = self.wake_d_index.val();
        self.woken[3].write_valid.next =
            self.wake_d_valid.val() && !self.before_d.val().get_bit(self.wake_d_index.val().index());

        // One a clock moves on, the sources in turn.
        self.filled.next = bit_cast::<4, 1>(self.woken[0].read_valid.val().into())
            | (bit_cast::<4, 1>(self.woken[1].read_valid.val().into()) << 1)
            | (bit_cast::<4, 1>(self.woken[2].read_valid.val().into()) << 2)
            | (bit_cast::<4, 1>(self.woken[3].read_valid.val().into()) << 3);
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
        self.order.write_valid.next = self.moves.val();
        self.order.write_data.next = self.woken[0].read_data.val();
        if self.source.val() == 1 {
            self.order.write_data.next = self.woken[1].read_data.val();
        }
        if self.source.val() == 2 {
            self.order.write_data.next = self.woken[2].read_data.val();
        }
        if self.source.val() == 3 {
            self.order.write_data.next = self.woken[3].read_data.val();
        }
        self.woken[0].read_ready.next = self.moves.val() && (self.source.val() == 0);
        self.woken[1].read_ready.next = self.moves.val() && (self.source.val() == 1);
        self.woken[2].read_ready.next = self.moves.val() && (self.source.val() == 2);
        self.woken[3].read_ready.next = self.moves.val() && (self.source.val() == 3);
        if self.moves.val() {
            self.first.d.next = self.source.val() + 1;
        }
        if self.reset.val() {
            self.waiting.d.next = 0.into();
            self.first.d.next = 0.into();
        }
    }
}
