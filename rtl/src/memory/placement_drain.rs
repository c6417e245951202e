//! When the payload that has come is in memory.
use hca_hdl::primitive::{clock, comment, dff_setup, Passage, Register};
use rust_hdl_core::prelude::*;

/// After a `mark` tells when the writes of every packet that had been dispatched by then are acknowledged, and their
/// faults are told; atomics among them, too.
#[derive(LogicBlock, Default)]
pub struct PlacementDrain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Dispatched packets in their order, at most 64 of them: one waits; it is taken; it is a response.
    pub order_valid: Signal<In, Bit>,
    pub order_ready: Signal<In, Bit>,
    pub order_response: Signal<In, Bit>,
    /// Each is high for one cycle for each packet of its side, when that is in memory.
    pub responder_counted: Signal<In, Bit>,
    pub requester_counted: Signal<In, Bit>,
    /// Each is high for one cycle for an atomic: when it begins, and when it is done.
    pub atomic_begins: Signal<In, Bit>,
    pub atomic_done: Signal<In, Bit>,
    pub mark: Signal<In, Bit>,
    /// From the clock after the mark on.
    pub passed: Signal<Out, Bit>,
    requests: Passage<9>,
    responses: Passage<9>,
    /// As many as [`crate::memory::Written`] has answers of, and one.
    atomics: Passage<8>,
    /// More of those that were dispatched at the mark may wait to be taken.
    ordering: Register<Bit>,
    taken: Register<Bits<7>>,
    /// Since the clock before, all of them are taken.
    settles: Register<Bit>,
    /// Since then, they are not all placed; their atomics are under way.
    placing: Register<Bit>,
    operates: Register<Bit>,
    /// Of atomics, a clock ago: what ends one shows late in its clock.
    begun: Register<Bit>,
    done: Register<Bit>,
    operated: Register<Bit>,
    takes: Signal<Local, Bit>,
}

impl Logic for PlacementDrain {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module placement_drain");
        dff_setup!(self, clock, ordering, taken, settles, placing, operates, begun, done, operated);
        clock!(self, clock, requests, responses, atomics);
        self.requests.reset.next = self.reset.val();
        self.responses.reset.next = self.reset.val();
        self.atomics.reset.next = self.reset.val();
        self.takes.next = self.order_valid.val() && self.order_ready.val();
        self.requests.enters.next = self.takes.val() && !self.order_response.val();
        self.responses.enters.next = self.takes.val() && self.order_response.val();
        self.requests.leaves.next = self.responder_counted.val();
        self.responses.leaves.next = self.requester_counted.val();
        self.begun.d.next = self.atomic_begins.val();
        self.done.d.next = self.atomic_done.val();
        self.operated.d.next = self.operates.q.val();
        self.atomics.enters.next = self.begun.q.val();
        self.atomics.leaves.next = self.done.q.val();
        self.atomics.mark.next = self.operated.q.val();
        self.requests.mark.next = self.settles.q.val();
        self.responses.mark.next = self.settles.q.val();

        self.settles.d.next = false;
        self.operates.d.next = false;
        if self.settles.q.val() {
            self.placing.d.next = true;
        }
        if self.placing.q.val() && self.requests.passed.val() && self.responses.passed.val() {
            self.placing.d.next = false;
            self.operates.d.next = true;
        }
        if self.takes.val() {
            self.taken.d.next = self.taken.q.val() + 1;
        }
        if self.ordering.q.val() && (!self.order_valid.val() || self.taken.q.val().get_bit(6)) {
            self.ordering.d.next = false;
            self.settles.d.next = true;
        }
        if self.mark.val() {
            self.ordering.d.next = true;
            self.taken.d.next = bits::<7>(0);
        }
        self.passed.next = !self.ordering.q.val()
            && !self.settles.q.val()
            && !self.placing.q.val()
            && !self.operates.q.val()
            && !self.operated.q.val()
            && self.atomics.passed.val();
        if self.reset.val() {
            self.ordering.d.next = false;
            self.settles.d.next = false;
            self.placing.d.next = false;
            self.operates.d.next = false;
            self.begun.d.next = false;
            self.done.d.next = false;
            self.operated.d.next = false;
        }
    }
}
