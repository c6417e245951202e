//! What the model knows of the state of a native port (`link.md` section 1).
use crate::decision::port_state::{own_steps, Surroundings, RETRAINING};
use crate::port::PortState;
use crate::verbs::QueueSide;
use crate::wire::check::native::{AtLink, Traffic};
use std::collections::{BTreeMap, VecDeque};

/// The state as each side knows it, and the steps that have not taken effect.
#[derive(Clone, Debug)]
pub(super) struct PortStates {
    pub receive: PortState,
    pub send: PortState,
    /// Steps that software requested, in order.
    pub asked: VecDeque<PortState>,
    /// A step that one side has reported: the other side, and the new state.
    pub half: Option<(QueueSide, PortState)>,
    /// Packets from the link that the device has not decided about.
    pub(super) meetings: BTreeMap<u32, Meeting>,
    /// An Armed port has let a data packet pass.
    pub woken: bool,
    /// The physical link is up.
    pub is_link_up: bool,
    pub is_disabled: bool,
    /// The neighbour has restarted while the port was Active.
    pub restarts: bool,
    /// Time, in picoseconds, until which the device may find the neighbour restarted although the port was on its way
    /// to another state.
    pub may_restart: u64,
    /// Time at which the port entered ActiveDefer, in picoseconds.
    pub deferred: u64,
}

impl Default for PortStates {
    /// Returns the states of an Active port.
    fn default() -> PortStates {
        PortStates {
            receive: PortState::default(),
            send: PortState::default(),
            asked: VecDeque::new(),
            half: None,
            meetings: BTreeMap::new(),
            woken: false,
            is_link_up: true,
            is_disabled: false,
            restarts: false,
            may_restart: 0,
            deferred: 0,
        }
    }
}

/// How the port classifies an arriving packet, and whether a state since its arrival let it pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub traffic: Traffic,
    pub at_link: AtLink,
    /// VL of the packet, and number of blocks that it takes in the buffer.
    pub(super) load: (u8, u16),
    /// The buffer may have had no room for the packet.
    pub(super) may_overrun: bool,
    /// True if the buffer has no room for the packet when the model itself is the device.
    pub(super) overruns: bool,
    pub passed: bool,
}

impl PortStates {
    /// Returns the state once all requested steps are carried out.
    pub(super) fn last(&self) -> PortState {
        let under_way = self.half.map(|(_, state)| state);
        self.asked.back().copied().or(under_way).unwrap_or(self.receive)
    }

    /// Returns the steps that the device may take at this moment: those that software requested, or the port's own.
    pub(super) fn next(&self, now: u64) -> impl Iterator<Item = PortState> + '_ {
        let asked = self.asked.front().copied();
        let around = Surroundings {
            is_up: self.is_link_up,
            is_disabled: self.is_disabled,
            heard: self.woken,
            restarts: self.restarts || now < self.may_restart,
            gives_up: self
                .end_of_retraining()
                .is_some_and(|(first, last)| (first..=last).contains(&now)),
        };
        let own = own_steps(self.receive, around).filter(move |state| asked != Some(*state));
        own.chain(asked).filter(|_| self.half.is_none())
    }

    /// Returns the earliest and latest time at which the port gives up its link, in picoseconds, if the link stays lost
    /// and software makes no request.
    pub(super) fn end_of_retraining(&self) -> Option<(u64, u64)> {
        let is_still = self.half.is_none() && self.asked.is_empty();
        let waits = self.receive == PortState::ActiveDefer && !self.is_link_up && is_still;
        let (first, last) = RETRAINING;
        waits.then_some((self.deferred + first, self.deferred + last))
    }

    pub(super) fn of(&self, side: QueueSide) -> PortState {
        match side {
            QueueSide::Receive => self.receive,
            QueueSide::Send => self.send,
        }
    }
}
