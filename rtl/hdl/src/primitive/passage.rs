//! Whether what was on its way has passed.
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

/// Counts what is on its way in order, at most 2^`B` - 1; after a `mark` tells when all of it that was on its way then has
/// left.
#[derive(LogicBlock, Default)]
pub struct Passage<const B: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle for each.
    pub enters: Signal<In, Bit>,
    pub leaves: Signal<In, Bit>,
    /// High for one cycle; what enters in the same clock does not count.
    pub mark: Signal<In, Bit>,
    /// From the clock after the mark on.
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
