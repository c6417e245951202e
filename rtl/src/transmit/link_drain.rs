//! When what has departed is at the link.
use hca_hdl::primitive::{clock, comment, dff_setup, Passage, Register};
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum LinkDrainState {
    Idle,
    /// What had departed at the mark leaves.
    Packets,
    /// NAKs in place of spoiled ones depart.
    Naks,
    /// They leave.
    Rest,
}

/// After a `mark` tells when every packet that had departed by then has left, and every NAK that stands for one.
#[derive(LogicBlock, Default)]
pub struct LinkDrain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Each is high for one cycle for each packet: when it departs, and when its last beat leaves.
    pub departs: Signal<In, Bit>,
    pub leaves: Signal<In, Bit>,
    /// A NAK has yet to depart.
    pub naks_wait: Signal<In, Bit>,
    pub mark: Signal<In, Bit>,
    /// From the clock after the mark on.
    pub passed: Signal<Out, Bit>,
    /// Up to 32 packets ([`super::Spoil`]).
    packets: Passage<6>,
    state: Register<LinkDrainState>,
    /// What happened a clock ago: the outbound path knows late in its clock.
    departed: Register<Bit>,
    left: Register<Bit>,
    naks_waited: Register<Bit>,
    marked: Register<Bit>,
}

impl Logic for LinkDrain {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module link_drain");
        dff_setup!(self, clock, state, departed, left, naks_waited, marked);
        clock!(self, clock, packets);
        self.packets.reset.next = self.reset.val();
        self.departed.d.next = self.departs.val();
        self.left.d.next = self.leaves.val();
        self.naks_waited.d.next = self.naks_wait.val();
        self.marked.d.next = self.mark.val();
        self.packets.enters.next = self.departed.q.val();
        self.packets.leaves.next = self.left.q.val();
        self.packets.mark.next = self.marked.q.val();
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
            self.departed.d.next = false;
            self.left.d.next = false;
            self.marked.d.next = false;
        }
    }
}
