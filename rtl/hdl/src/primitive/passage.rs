//! Finds out when all items that were under way have passed.
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

/// Counts the items under way, at most 2^`B` - 1, which leave in the order in which they enter. After a `mark`, the
/// block finds out when all items that were under way at the mark have left.
#[derive(LogicBlock, Default)]
pub struct Passage<const B: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle for each item that enters.
    pub enters: Signal<In, Bit>,
    /// High for one cycle for each item that leaves.
    pub leaves: Signal<In, Bit>,
    /// High for one cycle when the wait starts. An item that enters in the same cycle does not belong to it.
    pub mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until all items that were under way at the mark have left.
    pub passed: Signal<Out, Bit>,
    on_its_way: Register<Bits<B>>,
    awaited: Register<Bits<B>>,
    left: Signal<Local, Bits<B>>,
}

impl<const B: usize> Logic for Passage<B> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module passage");
        dff_setup!(self, clock, on_its_way, awaited);
        self.left.next = self.on_its_way.q.val();
        if self.leaves.val() {
            self.left.next = self.on_its_way.q.val() - 1;
        }
        self.on_its_way.d.next = self.left.val();
        if self.enters.val() {
            self.on_its_way.d.next = self.left.val() + 1;
        }
        if self.leaves.val() && self.awaited.q.val().any() {
            self.awaited.d.next = self.awaited.q.val() - 1;
        }
        if self.mark.val() {
            self.awaited.d.next = self.left.val();
        }
        self.passed.next = !self.awaited.q.val().any();
        if self.reset.val() {
            self.on_its_way.d.next = 0.into();
            self.awaited.d.next = 0.into();
        }
    }
}
