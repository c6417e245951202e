//! What the model knows of the state of a native port (`link.md` section 1).
use super::lanes::LATE;
use crate::decision::port_state::{is_step, own_steps, Surroundings, RETRAINING};
use crate::port::PortState;
use crate::verbs::QueueSide;
use crate::wire::check::native::{AtLink, Traffic};
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

/// The state as each side knows it, and the steps that have not taken effect.
#[derive(Clone, Debug)]
pub(super) struct PortStates {
    pub receive: PortState,
    pub send: PortState,
    /// Steps that software requested, in order.
    pub asked: VecDeque<PortState>,
    /// States that software requested while the port was in none from which one step leads there, each with the time,
    /// in picoseconds, until which the device may take the request: it may meet a state that the port takes by itself.
    pub perhaps: VecDeque<(u64, PortState)>,
    /// A step that one side has reported: the other side, and the new state.
    pub half: Option<(QueueSide, PortState)>,
    /// Packets from the link that the device has not decided about.
    pub(super) meetings: BTreeMap<u32, Meeting>,
    /// An Armed port has let a data packet pass.
    pub woken: bool,
    /// Time, in picoseconds, until which the device may go from Armed to Active because of a packet that arrived in an
    /// earlier state: the port may have let it pass in either state.
    pub may_wake: u64,
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
            perhaps: VecDeque::new(),
            half: None,
            meetings: BTreeMap::new(),
            woken: false,
            may_wake: 0,
            is_link_up: true,
            is_disabled: false,
            restarts: false,
            may_restart: 0,
            deferred: 0,
        }
    }
}

/// How the port classifies an arriving packet, and whether a state since its arrival let it pass.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    pub traffic: Traffic,
    /// How it counts if its VL is operational.
    pub at_link: AtLink,
    /// Its data VL, if the check of the VL sees it.
    pub(super) vl: Option<u8>,
    /// Least and largest number of VLs that were operational since the packet arrived.
    pub(super) operational: RangeInclusive<u8>,
    /// VL of the packet, and number of blocks that it takes in the buffer.
    pub(super) load: (u8, u16),
    /// The packet counts for credits.
    pub(super) is_whole: bool,
    /// The buffer may have had no room for the packet.
    pub(super) may_overrun: bool,
    /// True if the buffer has no room for the packet when the model itself is the device.
    pub(super) overruns: bool,
    pub passed: bool,
    /// The receive side has changed its state since the packet arrived.
    pub has_moved: bool,
}

impl PortStates {
    /// Remembers a request that the device may take soon, or may not.
    pub(super) fn ask_perhaps(&mut self, now: u64, state: PortState) {
        self.perhaps.retain(|(until, _)| now < *until);
        self.perhaps.push_back((now + 2 * LATE, state));
    }

    /// Returns the place of such a request for this state, if the port may take the step now. One for Init stands for
    /// the port's own step from Down, before the device knows that it is disabled.
    pub(super) fn perhaps_asked(&self, now: u64, state: PortState) -> Option<usize> {
        let is_own = (self.receive, state) == (PortState::Down, PortState::Init);
        let may_step = self.half.is_none() && (is_own || is_step(self.receive, state));
        let is_it = |(until, asked): &(u64, PortState)| now < *until && *asked == state;
        self.perhaps.iter().position(is_it).filter(|_| may_step)
    }

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
