//! The contexts of the completion queues, one of them in registers.
use super::CqContext;
use hca_hdl::prelude::*;

/// A context is requested in one cycle, loaded in the next and may be changed in the one after it, in which the next
/// one may be requested. The context in registers is kept for another turn of the same CQ. After a reset every context
/// is cleared. `CB`: CQ index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct CqContexts<const CB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when the CQ of the next turn, `next_index`, is requested.
    pub takes: Signal<In, Bit>,
    /// CQ of the next turn.
    pub next_index: Signal<In, Bits<CB>>,
    /// High for one cycle, the cycle after `takes`, to load the context.
    pub loads: Signal<In, Bit>,
    /// High for one cycle when the turn ends: the context becomes `changed`.
    pub ends: Signal<In, Bit>,
    /// Context that the turn leaves.
    pub changed: Signal<In, CqContext>,
    /// CQ of the current turn.
    pub index: Signal<Out, Bits<CB>>,
    /// Context of CQ `index`.
    pub context: Signal<Out, CqContext>,
    /// High while contexts are cleared, one a cycle; no turn may begin.
    pub clearing: Signal<Out, Bit>,
    /// While `clearing`: CQ whose context is cleared in this cycle.
    pub clear_index: Signal<Out, Bits<CB>>,

    #[default(BlockRam::without_collisions())]
    rows: BlockRam<CqContext, CB>,
    held: Register<CqContext>,
    held_index: Register<Bits<CB>>,
    keeps: Register<Bit>,
    clears: Register<Bit>,
    cleared: Register<Bits<CB>>,
    #[default(Constant::new(CqContext::default()))]
    none: Constant<CqContext>,
}

#[kernel]
impl<const CB: usize> Logic for CqContexts<CB> {
    fn update(&mut self) {
        clock!(self, clock, rows);
        self.rows.read_address.next = self.next_index.val();
        self.rows.write_enable.next = self.ends.val() || self.clears.q.val();
        inputs!(self.rows, write_address: held_index.q, write_data: changed);
        if self.takes.val() {
            self.held_index.d.next = self.next_index.val();
            self.keeps.d.next = self.next_index.val() == self.held_index.q.val();
        }
        if self.ends.val() {
            self.held.d.next = self.changed.val();
        }
        if self.loads.val() && !self.keeps.q.val() {
            self.held.d.next = self.rows.read_data.val();
        }
        self.index.next = self.held_index.q.val();
        self.context.next = self.held.q.val();

        self.clearing.next = self.clears.q.val();
        self.clear_index.next = self.cleared.q.val();
        if self.clears.q.val() {
            inputs!(self.rows, write_address: cleared.q, write_data: none);
            self.cleared.d.next = self.cleared.q.val() + 1;
            self.clears.d.next = !self.cleared.q.val().all();
            self.held_index.d.next = bits::<CB>(0);
            self.held.d.next = self.none.val();
        }
        if self.reset.val() {
            self.clears.d.next = true;
            self.cleared.d.next = bits::<CB>(0);
        }
    }
}
