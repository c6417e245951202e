//! Finds out when the payload of arrived packets is in memory.
use hca_hdl::prelude::*;

/// After a `mark`, finds out when the writes of every packet that had been dispatched by then, atomics included, are
/// acknowledged and their faults are reported.
#[derive(LogicBlock, Default)]
pub struct PlacementDrain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while a dispatched packet waits to be taken; at most 64 wait.
    pub order_valid: Signal<In, Bit>,
    /// High in a cycle in which that packet is taken.
    pub order_ready: Signal<In, Bit>,
    /// High if that packet is a response.
    pub order_response: Signal<In, Bit>,
    /// High for one cycle for each request when its writes are in memory.
    pub responder_counted: Signal<In, Bit>,
    /// High for one cycle for each response when its writes are in memory.
    pub requester_counted: Signal<In, Bit>,
    /// High for one cycle when an atomic begins.
    pub atomic_begins: Signal<In, Bit>,
    /// High for one cycle when an atomic is done.
    pub atomic_done: Signal<In, Bit>,
    /// High for one cycle when the wait starts.
    pub mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until all these packets are in memory.
    pub passed: Signal<Out, Bit>,
    requests: Passage<9>,
    responses: Passage<9>,
    /// Counts as many atomics as [`crate::memory::Written`] has room for, and one more.
    atomics: Passage<8>,
    /// High while more packets that were dispatched at the mark possibly wait to be taken.
    ordering: Register<Bit>,
    taken: Register<Bits<7>>,
    /// High for one cycle after the last packet dispatched at the mark has been taken.
    settles: Register<Bit>,
    /// High while some of these packets are not counted yet.
    placing: Register<Bit>,
    /// High for one cycle once these packets are counted; their atomics may still be under way.
    operates: Register<Bit>,
    /// `atomic_begins` of one cycle earlier. Registered for timing: the end of an atomic settles late in the clock.
    begun: Register<Bit>,
    /// `atomic_done` of one cycle earlier.
    done: Register<Bit>,
    /// `operates` of one cycle earlier.
    operated: Register<Bit>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PlacementDrain {
    fn update(&mut self) {
        clock_and_reset!(self, requests, responses, atomics);
        self.takes.next = self.order_valid.val() && self.order_ready.val();
        self.requests.enters.next = self.takes.val() && !self.order_response.val();
        self.responses.enters.next = self.takes.val() && self.order_response.val();
        self.requests.leaves.next = self.responder_counted.val();
        self.responses.leaves.next = self.requester_counted.val();
        self.begun.d.next = self.atomic_begins.val();
        self.done.d.next = self.atomic_done.val();
        self.operated.d.next = self.operates.q.val();
        inputs!(self.atomics, enters: begun.q, leaves: done.q, mark: operated.q);
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
            clear!(self, ordering, settles, placing, operates, begun, done, operated);
        }
    }
}
