//! Finds out when packets whose keys were looked up before a region or a queue pair changed have departed.
use hca_hdl::prelude::*;

/// After a `mark`, finds out when every packet of an engine whose keys had been looked up by then has departed or was
/// refused.
#[derive(LogicBlock, Default)]
pub struct LookupDrain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while a packet's keys are looked up, or it waits to leave. Low for at least one cycle between packets, or
    /// once all packets that were looked up before `waits` have left.
    pub looks: Signal<In, Bit>,
    /// High for one cycle for each packet when it is handed to the transmit path. At most 127 of these packets have not
    /// departed.
    pub handed_on: Signal<In, Bit>,
    /// High for one cycle for each packet when it departs, in the same order.
    pub departs: Signal<In, Bit>,
    /// High for one cycle when the wait starts.
    pub mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until every packet whose keys had been looked up by then has departed or was
    /// refused.
    pub passed: Signal<Out, Bit>,
    /// High while this block waits until `looks` is low. If `looks` covers several packets, no other packet's keys may
    /// be looked up meanwhile.
    pub waits: Signal<Out, Bit>,
    packets: Passage<7>,
    /// High while the packet whose keys were looked up at the mark has possibly not been handed on.
    looking: Register<Bit>,
    /// High for one cycle when that packet has been handed on or refused in the cycle before.
    settles: Register<Bit>,
    /// `looks` of one cycle earlier. Registered for timing: the engines settle these signals late in the clock.
    looked: Register<Bit>,
    /// `handed_on` of one cycle earlier.
    handed: Register<Bit>,
    /// `departs` of one cycle earlier.
    departed: Register<Bit>,
    /// `mark` of one cycle earlier.
    marked: Register<Bit>,
}

#[kernel]
impl Logic for LookupDrain {
    fn update(&mut self) {
        clock!(self, clock, packets);
        self.packets.reset.next = self.reset.val();
        self.looked.d.next = self.looks.val();
        self.handed.d.next = self.handed_on.val();
        self.departed.d.next = self.departs.val();
        self.marked.d.next = self.mark.val();
        inputs!(self.packets, enters: handed.q, leaves: departed.q, mark: settles.q);
        self.settles.d.next = self.looking.q.val() && !self.looked.q.val();
        if !self.looked.q.val() {
            self.looking.d.next = false;
        }
        if self.marked.q.val() {
            self.looking.d.next = self.looked.q.val();
            self.settles.d.next = !self.looked.q.val();
        }
        self.waits.next = self.looking.q.val();
        self.passed.next = !self.marked.q.val()
            && !self.looking.q.val()
            && !self.settles.q.val()
            && self.packets.passed.val();
        if self.reset.val() {
            clear!(self, looking, settles, handed, departed, marked);
        }
    }
}
