//! Finds out when departed packets have reached the link.
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum LinkDrainState {
    Idle,
    /// The packets that had departed at the mark leave.
    Packets,
    /// NAKs in place of spoiled packets depart.
    Naks,
    /// These NAKs leave.
    Rest,
}

/// After a `mark`, finds out when every packet that had departed by then has left, and every NAK that stands for such a
/// packet.
#[derive(LogicBlock, Default)]
pub struct LinkDrain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle for each packet when it departs.
    pub departs: Signal<In, Bit>,
    /// High for one cycle for each packet when its last beat leaves.
    pub leaves: Signal<In, Bit>,
    /// High while a NAK has yet to depart.
    pub naks_wait: Signal<In, Bit>,
    /// High for one cycle when the wait for departed packets starts.
    pub mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until all of these packets and NAKs have left.
    pub passed: Signal<Out, Bit>,
    /// Up to 32 packets ([`super::Spoil`]).
    packets: Passage<6>,
    state: Register<LinkDrainState>,
    /// `departs` of the last clock. Registered for timing: the input settles late in the clock.
    departed: Register<Bit>,
    left: Register<Bit>,
    naks_waited: Register<Bit>,
    marked: Register<Bit>,
}

#[kernel]
impl Logic for LinkDrain {
    fn update(&mut self) {
        clock!(self, clock, packets);
        self.packets.reset.next = self.reset.val();
        self.departed.d.next = self.departs.val();
        self.left.d.next = self.leaves.val();
        self.naks_waited.d.next = self.naks_wait.val();
        self.marked.d.next = self.mark.val();
        inputs!(self.packets, enters: departed.q, leaves: left.q, mark: marked.q);
        self.passed.next = false;
        match self.state.q.val() {
            LinkDrainState::Idle => {
                self.passed.next = !self.marked.q.val();
            }
            LinkDrainState::Packets => {
                if self.packets.passed.val() {
                    self.state.d.next = LinkDrainState::Naks;
                }
            }
            LinkDrainState::Naks => {
                if !self.naks_waited.q.val() {
                    self.packets.mark.next = true;
                    self.state.d.next = LinkDrainState::Rest;
                }
            }
            LinkDrainState::Rest => {
                if self.packets.passed.val() {
                    self.state.d.next = LinkDrainState::Idle;
                }
            }
        }
        if self.marked.q.val() {
            self.state.d.next = LinkDrainState::Packets;
        }
        if self.reset.val() {
            self.state.d.next = LinkDrainState::Idle;
            clear!(self, departed, left, marked);
        }
    }
}
