//! Collects the events of the port.
use hca_hdl::prelude::*;
use hca_host::eqe;

/// Keeps the events of a native port until they are taken. Port active and port error come by turns (CF438). While an
/// event of the violation latch waits, the latch adds no second one (`protocol/mad.md` section 6.1).
#[derive(LogicBlock, SmartDefault)]
pub struct PortNotices {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when the port becomes Active, or ceases to be Active.
    pub turned: Signal<In, Bit>,
    /// High for one cycle when the violation latch takes a violation.
    pub violated: Signal<In, Bit>,
    /// High while an event is offered.
    pub event_valid: Signal<Out, Bit>,
    /// High in a cycle in which that event is taken.
    pub event_ready: Signal<In, Bit>,
    /// Kind of that event (`host::eqe`).
    pub event_kind: Signal<Out, Bits<8>>,

    /// Number of events that wait. At 255, one more event makes them 254: a pair of opposite events cancels out.
    waiting: Register<Bits<8>>,
    waits: Register<Bit>,
    /// High if the oldest of them is a port error.
    is_error: Register<Bit>,
    /// High while an event of the violation latch waits to be taken.
    violation: Register<Bit>,
    taken: Signal<Local, Bit>,
    count: Signal<Local, Bits<8>>,
    #[default(constant(eqe::PORT_ACTIVE))]
    port_active: Constant<Bits<8>>,
    #[default(constant(eqe::PORT_ERROR))]
    port_error: Constant<Bits<8>>,
    #[default(constant(eqe::VIOLATION))]
    kind_violation: Constant<Bits<8>>,
}

#[kernel]
impl Logic for PortNotices {
    fn update(&mut self) {
        self.event_valid.next = self.waits.q.val() || self.violation.q.val();
        self.event_kind.next = self.port_active.val();
        if self.is_error.q.val() {
            self.event_kind.next = self.port_error.val();
        }
        if !self.waits.q.val() {
            self.event_kind.next = self.kind_violation.val();
            if self.event_ready.val() {
                self.violation.d.next = false;
            }
        }
        if self.violated.val() {
            self.violation.d.next = true;
        }
        self.taken.next = self.waits.q.val() && self.event_ready.val();
        self.count.next = self.waiting.q.val();
        if self.taken.val() {
            self.is_error.d.next = !self.is_error.q.val();
        }
        if self.turned.val() && !self.taken.val() {
            self.count.next = self.waiting.q.val() + 1;
            if self.waiting.q.val().all() {
                self.count.next = bits::<8>(0xFE);
            }
        }
        if self.taken.val() && !self.turned.val() {
            self.count.next = self.waiting.q.val() - 1;
        }
        self.waiting.d.next = self.count.val();
        self.waits.d.next = self.count.val().any();
        if self.reset.val() {
            clear!(self, waiting, waits, is_error, violation);
        }
    }
}
