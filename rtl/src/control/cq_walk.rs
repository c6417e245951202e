//! Finds the queue pairs of a completion queue that has failed.
use crate::bundle::QpOfferSource;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum WalkState {
    /// No CQ has failed, or the walk may not use the table yet.
    Idle,
    /// The CQNs of the queue pair are read.
    Read,
    /// The CQNs of the queue pair are on their way.
    Look,
    /// The CQNs are compared.
    Compare,
    /// The result of the comparison is known.
    Judge,
    /// The queue pair uses the CQ and is offered.
    Fail,
}

/// Moves each queue pair that uses the CQ to Error (`protocol/qp_cq.md` section 6, overflow), one CQ after the other; a
/// queue pair in Reset ignores it. `QB`, `CB`: index bits of a QP and of a CQ.
#[derive(LogicBlock, Default)]
pub struct CqWalk<const QB: usize, const CB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a CQ has failed, once for each CQ until it is destroyed.
    pub failed_valid: Signal<In, Bit>,
    /// CQ that has failed.
    pub failed_index: Signal<In, Bits<CB>>,
    /// High while the walk needs the queue pair table, which serves the walk alone until `done`.
    pub wants: Signal<Out, Bit>,
    /// High if the walk may use the table.
    pub may: Signal<In, Bit>,
    /// High for one cycle when the walk ends.
    pub done: Signal<Out, Bit>,
    /// Queue pair that is looked up.
    pub index: Signal<Out, Bits<QB>>,
    /// CQNs of the queue pair, two cycles after its index.
    pub cqns: Signal<In, Bits<32>>,
    /// Offers a QP that has to move to Error.
    pub fail: QpOfferSource<QB>,
    failures: Fifo<Bits<CB>, CB>,
    state: Register<WalkState>,
    queue_pair: Register<Bits<QB>>,
    cqn: Signal<Local, Bits<16>>,
    uses: Register<Bit>,
    moves: Signal<Local, Bit>,
}

#[kernel]
impl<const QB: usize, const CB: usize> Logic for CqWalk<QB, CB> {
    fn update(&mut self) {
        clock!(self, clock, failures);
        self.failures.reset.next = self.reset.val();
        inputs!(self.failures.write, valid: failed_valid, item: failed_index);
        self.failures.read.ready.next = false;
        self.wants.next = self.failures.read.valid.val();
        self.index.next = self.queue_pair.q.val();
        self.fail.item.next = self.queue_pair.q.val();
        self.cqn.next = bit_cast::<16, CB>(self.failures.read.item.val());
        self.uses.d.next = (self.cqns.val().get_bits::<16>(0) == self.cqn.val())
            || (self.cqns.val().get_bits::<16>(16) == self.cqn.val());
        self.fail.valid.next = false;
        self.moves.next = false;
        self.done.next = false;
        match self.state.q.val() {
            WalkState::Idle => {
                if self.may.val() && self.failures.read.valid.val() {
                    self.state.d.next = WalkState::Read;
                }
            }
            WalkState::Read => {
                self.state.d.next = WalkState::Look;
            }
            WalkState::Look => {
                self.state.d.next = WalkState::Compare;
            }
            WalkState::Compare => {
                self.state.d.next = WalkState::Judge;
            }
            WalkState::Judge => {
                self.moves.next = !self.uses.q.val();
                if self.uses.q.val() {
                    self.state.d.next = WalkState::Fail;
                }
            }
            WalkState::Fail => {
                self.fail.valid.next = true;
                self.moves.next = self.fail.ready.val();
            }
        }
        if self.moves.val() {
            self.queue_pair.d.next = self.queue_pair.q.val() + 1;
            self.state.d.next = WalkState::Read;
            if self.queue_pair.q.val().all() {
                self.done.next = true;
                self.failures.read.ready.next = true;
                self.state.d.next = WalkState::Idle;
            }
        }
        if self.reset.val() {
            self.state.d.next = WalkState::Idle;
            self.queue_pair.d.next = 0.into();
        }
    }
}
