//! Holds a read request until its turn.
use hca_hdl::prelude::*;

/// Takes one request, at most every second cycle, and keeps it until it is on the bus. `ready` is known at the start of
/// the cycle, so that the readers do not wait for each other.
#[derive(LogicBlock, Default)]
pub struct ReadSlot {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while a burst is requested.
    pub request: Signal<In, Bit>,
    /// High in a cycle in which the request is taken.
    pub ready: Signal<Out, Bit>,
    /// Byte address of the burst.
    pub request_address: Signal<In, Bits<64>>,
    /// Beats of the burst, less one.
    pub request_beats: Signal<In, Bits<8>>,

    /// High while a request waits.
    pub waits: Signal<Out, Bit>,
    /// Byte address of the waiting request.
    pub address: Signal<Out, Bits<64>>,
    /// Beats of the waiting request's burst, less one.
    pub beats: Signal<Out, Bits<8>>,
    /// With `waits`: high in the cycle in which the request is put on the bus.
    pub taken: Signal<In, Bit>,

    full: Register<Bit>,
    kept_address: Register<Bits<64>>,
    kept_beats: Register<Bits<8>>,
}

#[kernel]
impl Logic for ReadSlot {
    fn update(&mut self) {
        self.ready.next = !self.full.q.val();
        if !self.full.q.val() {
            self.full.d.next = self.request.val();
            self.kept_address.d.next = self.request_address.val();
            self.kept_beats.d.next = self.request_beats.val();
        } else if self.taken.val() {
            self.full.d.next = false;
        }
        self.waits.next = self.full.q.val();
        self.address.next = self.kept_address.q.val();
        self.beats.next = self.kept_beats.q.val();
        if self.reset.val() {
            self.full.d.next = false;
        }
    }
}
