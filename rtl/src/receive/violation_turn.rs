//! Lets packets with a wrong key go one at a time.
use hca_hdl::prelude::*;

/// Lets one packet with a wrong key at a time go to its decision, and says whether the violation latch of its port
/// could take it (`protocol/mad.md` section 6.1). So the latch takes the first one that is counted while it is free,
/// and nobody has to keep the words of several.
#[derive(LogicBlock, Default)]
pub struct ViolationTurn {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while the violation latch of port 1 is not free; bit 1 for port 2.
    pub latched: Signal<In, Bits<2>>,
    /// High if the packet that would go came by port 2.
    pub port: Signal<In, Bit>,
    /// High for one cycle when a packet with a wrong key goes; only while `waits` is low.
    pub goes: Signal<In, Bit>,
    /// High for one cycle when the responder decides on such a packet.
    pub request_decided: Signal<In, Bit>,
    /// High for one cycle when the requester decides on a packet whose key admission has found wrong.
    pub response_decided: Signal<In, Bit>,
    /// High while the next such packet has to wait.
    pub waits: Signal<Out, Bit>,
    /// High if the latch of the packet's port is free; valid while `waits` is low.
    pub free: Signal<Out, Bit>,
    /// High while such a packet is on its way to its decision.
    undecided: Register<Bit>,
    // Registered for timing, and so that `held` shows what a decision did to the latch once it counts here.
    decided: Register<Bit>,
    settled: Register<Bit>,
    held: Register<Bits<2>>,
}

#[kernel]
impl Logic for ViolationTurn {
    fn update(&mut self) {
        self.held.d.next = self.latched.val();
        self.decided.d.next = self.request_decided.val() || self.response_decided.val();
        self.settled.d.next = self.decided.q.val();
        if self.settled.q.val() {
            self.undecided.d.next = false;
        }
        if self.goes.val() {
            self.undecided.d.next = true;
        }
        self.waits.next = self.undecided.q.val();
        self.free.next = !self.held.q.val().get_bit(0);
        if self.port.val() {
            self.free.next = !self.held.q.val().get_bit(1);
        }
        if self.reset.val() {
            clear!(self, undecided, decided, settled);
        }
    }
}
