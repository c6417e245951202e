//! When what has departed is at the link.
use crate::primitive::{comment, dff_setup, Passage, Register};
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
    /// One pulse a packet: it departs; its last beat leaves.
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
}

impl Logic for LinkDrain {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module link_drain");
        dff_setup!(self, clock, state);
        self.packets.clock.next = self.clock.val();
        self.packets.reset.next = self.reset.val();
        self.packets.enters.next = self.departs.val();
        self.packets.leaves.next = self.leaves.val();
        self.packets.mark.next = self.mark.val();
        self.passed.next = false;
        match self.state.q.val() {
            LinkDrainState::Idle => {
                self.passed.next = true;
            }
            LinkDrainState::Packets => {
                if self.packets.passed.val() {
                    self.state.d.next = LinkDrainState::Naks;
                }
            }
            LinkDrainState::Naks => {
                if !self.naks_wait.val() {
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
        if self.mark.val() {
            self.state.d.next = LinkDrainState::Packets;
        }
        if self.reset.val() {
            self.state.d.next = LinkDrainState::Idle;
        }
    }
}
