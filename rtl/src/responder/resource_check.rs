//! Checks the resources that a request needs of the queue pair (`protocol/responder.md` section 1 step 12).
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// Receive WQE and read/atomic slot.
#[derive(LogicBlock, Default)]
pub struct ResourceCheck {
    pub send: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub read: Signal<In, Bit>,
    pub atomic: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub immediate: Signal<In, Bit>,
    /// Reads and atomics accepted, modulo 32.
    pub taken: Signal<In, Bits<5>>,
    /// Reads and atomics answered to their last packet, modulo 32.
    pub answered: Signal<In, Bits<5>>,
    pub depth: Signal<In, Bits<5>>,
    /// High if the request takes a receive WQE: first or only of a Send, and the immediate packet of a Write (CF106,
    /// CF108, CF109).
    pub takes_wqe: Signal<Out, Bit>,
    /// High if a Read or atomic comes while every slot owes an answer (CF143).
    pub crowded: Signal<Out, Bit>,
    owed: Signal<Local, Bits<5>>,
}

impl Logic for ResourceCheck {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module resource_check");
        self.takes_wqe.next =
            (self.send.val() && self.begins.val()) || (self.write.val() && self.immediate.val());
        self.owed.next = self.taken.val() - self.answered.val();
        self.crowded.next = (self.read.val() || self.atomic.val()) && (self.owed.val() >= self.depth.val());
    }
}
