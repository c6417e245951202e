//! When what was read by a key that no longer holds is on its way out.
use crate::primitive::{comment, dff_setup, Passage, Register};
use rust_hdl_core::prelude::*;

/// After a `mark` tells when every packet of an engine whose keys had been looked up by then has departed, or was
/// refused.
#[derive(LogicBlock, Default)]
pub struct LookupDrain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Keys of a packet are looked up, or it waits to be handed on; not so for a clock at least between two.
    pub looks: Signal<In, Bit>,
    /// One pulse a packet, in their order, at most 127 between the two.
    pub handed_on: Signal<In, Bit>,
    pub departs: Signal<In, Bit>,
    pub mark: Signal<In, Bit>,
    /// From the clock after the mark on.
    pub passed: Signal<Out, Bit>,
    packets: Passage<7>,
    /// The packet of the mark may be the one that is looked up.
    looking: Register<Bit>,
    /// Since the clock before, it is handed on.
    settles: Register<Bit>,
}

impl Logic for LookupDrain {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module lookup_drain");
        dff_setup!(self, clock, looking, settles);
        self.packets.clock.next = self.clock.val();
        self.packets.reset.next = self.reset.val();
        self.packets.enters.next = self.handed_on.val();
        self.packets.leaves.next = self.departs.val();
        self.packets.mark.next = self.settles.q.val();
        self.settles.d.next = self.looking.q.val() && !self.looks.val();
        if !self.looks.val() {
            self.looking.d.next = false;
        }
        if self.mark.val() {
            self.looking.d.next = self.looks.val();
            self.settles.d.next = !self.looks.val();
        }
        self.passed.next = !self.looking.q.val() && !self.settles.q.val() && self.packets.passed.val();
        if self.reset.val() {
            self.looking.d.next = false;
            self.settles.d.next = false;
        }
    }
}
