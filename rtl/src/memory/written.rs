//! Counts the packets of one side that are in host memory.
use super::WrittenPart;
use hca_hdl::prelude::*;

/// Counts packets whose writes, and the writes of all packets before them, are acknowledged.
///
/// Up to 128 bursts, atomics and packets without either may be under way. Bursts of one side are acknowledged in order,
/// and so are atomics.
#[derive(LogicBlock, Default)]
pub struct Written {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when an entry is passed on; only with `count_ready`.
    pub count_valid: Signal<In, Bit>,
    /// High while an entry can be taken.
    pub count_ready: Signal<Out, Bit>,
    /// High if the entry waits for an acknowledgement of a burst.
    pub count_burst: Signal<In, Bit>,
    /// High if the entry waits for the end of an atomic.
    pub count_atomic: Signal<In, Bit>,
    /// High for the last entry of a packet.
    pub count_last: Signal<In, Bit>,

    /// High for one cycle when a burst is acknowledged.
    pub acknowledged: Signal<In, Bit>,
    /// With `acknowledged`: high if host memory failed the burst.
    pub acknowledged_error: Signal<In, Bit>,
    /// High for one cycle when an atomic is done.
    pub atomic_done: Signal<In, Bit>,
    /// With `atomic_done`: high if host memory failed the atomic.
    pub atomic_error: Signal<In, Bit>,
    /// High while a packet that host memory failed waits for the report of its fault, from the second cycle of its wait
    /// on.
    pub fault_valid: Signal<Out, Bit>,
    /// High in a cycle in which the fault is taken: the packet is counted.
    pub fault_ready: Signal<In, Bit>,
    /// With `fault_valid`: high if that packet is an atomic.
    pub fault_atomic: Signal<Out, Bit>,
    /// High for one cycle when a packet is counted.
    pub counted: Signal<Out, Bit>,

    /// Number of packets counted, modulo 2^16.
    pub written: Signal<Out, Bits<16>>,

    under_way: Fifo<WrittenPart, 7>,
    /// One error bit for each acknowledgement that is not used yet.
    errors: Fifo<Bits<1>, 7>,
    /// One error bit for each end of an atomic that is not used yet.
    atomic_errors: Fifo<Bits<1>, 7>,
    /// High if an earlier burst of the packet has failed.
    failed: Register<Bit>,
    packets: Register<Bits<16>>,
    /// High one cycle after a packet that did not fail is complete.
    passed: Register<Bit>,
    /// High while a failed packet waits for the report of its fault, from the cycle after it failed on; its QP is
    /// looked up in that cycle.
    fault: Register<Bit>,
    fault_stands: Register<Bit>,
    of_atomic: Register<Bit>,

    head: Signal<Local, WrittenPart>,
    take: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    fault_taken: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    uses: Signal<Local, Bit>,
    uses_atomic: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Written {
    fn update(&mut self) {
        clock_and_reset!(self, errors, atomic_errors, under_way);
        self.count_ready.next = self.under_way.write.ready.val();
        self.under_way.write.valid.next = self.count_valid.val();
        self.under_way.write.item.next.last = self.count_last.val();
        self.under_way.write.item.next.burst = self.count_burst.val();
        self.under_way.write.item.next.atomic = self.count_atomic.val();

        self.head.next = self.under_way.read.item.val();
        self.fails.next = self.failed.q.val()
            || (self.head.val().burst && self.errors.read.item.val().any())
            || (self.head.val().atomic && self.atomic_errors.read.item.val().any());
        self.ends.next = self.under_way.read.valid.val()
            && ((self.head.val().burst && self.errors.read.valid.val())
                || (self.head.val().atomic && self.atomic_errors.read.valid.val())
                || !(self.head.val().burst || self.head.val().atomic));
        self.take.next = self.ends.val() && !self.fault.q.val();
        self.uses.next = self.take.val() && self.head.val().burst;
        self.uses_atomic.next = self.take.val() && self.head.val().atomic;
        self.under_way.read.ready.next = self.take.val();
        self.errors.write.valid.next = self.acknowledged.val();
        self.errors.write.item.next = self.acknowledged_error.val().into();
        self.errors.read.ready.next = self.uses.val();
        self.atomic_errors.write.valid.next = self.atomic_done.val();
        self.atomic_errors.write.item.next = self.atomic_error.val().into();
        self.atomic_errors.read.ready.next = self.uses_atomic.val();
        if self.take.val() {
            self.failed.d.next = self.fails.val() && !self.head.val().last;
        }
        // A failed packet, and all packets behind it, wait until its fault is reported.
        self.passed.d.next = self.take.val() && self.head.val().last && !self.fails.val();
        self.fault_taken.next = self.fault_stands.q.val() && self.fault_ready.val();
        self.fault_stands.d.next = self.fault.q.val() && !self.fault_taken.val();
        if self.fault_taken.val() {
            self.fault.d.next = false;
        }
        if self.take.val() {
            self.fault.d.next = self.head.val().last && self.fails.val();
            self.of_atomic.d.next = self.head.val().atomic;
        }
        self.fault_valid.next = self.fault_stands.q.val();
        self.fault_atomic.next = self.of_atomic.q.val();
        self.counts.next = self.passed.q.val() || self.fault_taken.val();
        self.counted.next = self.counts.val();
        if self.counts.val() {
            self.packets.d.next = self.packets.q.val() + 1;
        }
        self.written.next = self.packets.q.val();

        if self.reset.val() {
            clear!(self, packets, failed, passed, fault, fault_stands);
        }
    }
}
