//! Checks the resources that a request needs of the queue pair (`protocol/responder.md` section 1 step 12).
use hca_hdl::prelude::*;

/// Checks for a receive WQE and for a read/atomic slot. Pure function.
#[derive(LogicBlock, Default)]
pub struct ResourceCheck {
    /// High if the request is a Send.
    pub send: Signal<In, Bit>,
    /// High if the request is a Write.
    pub write: Signal<In, Bit>,
    /// High if the request is a Read.
    pub read: Signal<In, Bit>,
    /// High if the request is an atomic.
    pub atomic: Signal<In, Bit>,
    /// High if the packet is the first or only one of a Send or Write.
    pub begins: Signal<In, Bit>,
    /// High if the packet has an ImmDt.
    pub immediate: Signal<In, Bit>,
    /// Number of Reads and atomics accepted, modulo 32.
    pub taken: Signal<In, Bits<5>>,
    /// Number of Reads and atomics answered to their last packet, modulo 32.
    pub answered: Signal<In, Bits<5>>,
    /// Number of Reads and atomics that may owe an answer at once.
    pub depth: Signal<In, Bits<5>>,
    /// High if the request takes a receive WQE: first or only of a Send, and the immediate packet of a Write (CF106,
    /// CF108, CF109).
    pub takes_wqe: Signal<Out, Bit>,
    /// High if a Read or atomic comes while every slot owes an answer (CF143).
    pub crowded: Signal<Out, Bit>,
    owed: Signal<Local, Bits<5>>,
}

#[kernel]
impl Logic for ResourceCheck {
    fn update(&mut self) {
        self.takes_wqe.next =
            (self.send.val() && self.begins.val()) || (self.write.val() && self.immediate.val());
        self.owed.next = self.taken.val() - self.answered.val();
        self.crowded.next = (self.read.val() || self.atomic.val()) && (self.owed.val() >= self.depth.val());
    }
}
