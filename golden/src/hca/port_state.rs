//! The state of a native port, which decides what it sends and takes (`link.md` section 1).
use super::{Hca, Output, Rule, Violation};
use crate::decision::partition::QP0;
use crate::decision::{Ruling, Verdict};
use crate::event::{DropReason, Event};
use crate::port::{Link, PortState, PORT};
use crate::verbs::{HostEvent, QueueSide};
use crate::wire::check::native::Traffic;
use std::collections::{BTreeMap, VecDeque};

/// The state as each side knows it, and steps that are not carried out.
#[derive(Clone, Debug, Default)]
pub(super) struct PortStates {
    receive: PortState,
    send: PortState,
    /// Steps that software asked for, and the way back from Down, in order.
    asked: VecDeque<PortState>,
    /// A step that one side has reported, and the side that has not.
    half: Option<(QueueSide, PortState)>,
    /// Packets from the link that the device has not decided about.
    meetings: BTreeMap<u32, Meeting>,
    /// An Armed port has let a data packet pass.
    woken: bool,
}

/// What an arriving packet is to the port, and whether a state since its arrival let it pass.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    traffic: Traffic,
    passed: bool,
}

impl PortStates {
    /// The state once all steps are carried out that were asked for.
    fn last(&self) -> PortState {
        let under_way = self.half.map(|(_, state)| state);
        self.asked.back().copied().or(under_way).unwrap_or(self.receive)
    }

    /// The steps that the device may take next: what software asked for, and the one of an Armed port that was woken.
    fn next(&self) -> impl Iterator<Item = PortState> + '_ {
        let wakes = self.woken && self.receive == PortState::Armed;
        let asked = self.asked.front().copied();
        let woken = wakes
            .then_some(PortState::Active)
            .filter(|state| asked != Some(*state));
        woken.into_iter().chain(asked).filter(|_| self.half.is_none())
    }

    fn of(&self, side: QueueSide) -> PortState {
        match side {
            QueueSide::Receive => self.receive,
            QueueSide::Send => self.send,
        }
    }
}

/// What a port in this state sends and takes.
fn passes(state: PortState, is_management: bool, side: QueueSide) -> bool {
    match (state, side) {
        (PortState::Down, _) => false,
        (PortState::Init, _) | (PortState::Armed, QueueSide::Send) => is_management,
        (PortState::Armed, QueueSide::Receive) | (PortState::Active, _) => true,
    }
}

impl Hca {
    /// Asks a native port for a state: Down, Armed from Init, or Active from Armed; any other step changes nothing
    /// (CF433). From Down the port goes to Init by itself, because its link is up (CF434).
    pub fn set_port_state(&mut self, state: PortState) {
        let is_step = matches!(
            (self.states.last(), state),
            (PortState::Init, PortState::Armed)
                | (PortState::Armed, PortState::Active)
                | (
                    PortState::Init | PortState::Armed | PortState::Active,
                    PortState::Down
                )
        );
        if self.port.link != Link::InfiniBand || !is_step {
            return;
        }
        self.states.asked.push_back(state);
        if state == PortState::Down {
            self.states.asked.push_back(PortState::Init);
        }
    }

    /// The state that the port is in.
    pub fn query_port_state(&self) -> PortState {
        self.states.receive
    }

    /// Whether a step of the port's state is not carried out on both sides.
    pub fn is_port_changing(&self) -> bool {
        self.port_modifications().next().is_some()
    }

    /// Steps of the port's state that the sides may report.
    pub(super) fn port_modifications(&self) -> impl Iterator<Item = (QueueSide, PortState)> + '_ {
        let sides = [QueueSide::Receive, QueueSide::Send];
        let both = self
            .states
            .next()
            .flat_map(move |state| sides.map(|side| (side, state)));
        self.states.half.into_iter().chain(both)
    }

    /// A side of the port uses another state.
    pub(super) fn port_modified(
        &mut self,
        side: QueueSide,
        state: PortState,
    ) -> Result<Vec<Output>, Violation> {
        // A packet on its way may have woken the port, and is decided about later.
        let is_data = |m: &Meeting| m.traffic == Traffic::Data && m.passed;
        let may_wake = self.states.receive == PortState::Armed && self.states.half.is_none();
        let wakes = may_wake && self.states.meetings.values().any(is_data);
        let is_woken = wakes && state == PortState::Active;
        if !is_woken && !self.port_modifications().any(|step| step == (side, state)) {
            let steps: Vec<String> = self
                .port_modifications()
                .map(|(side, state)| format!("{state:?} on the {side:?} side"))
                .collect();
            let expected = match steps.is_empty() {
                true => "no other state of the port".to_owned(),
                false => steps.join(" or "),
            };
            return Err(Rule::PortState.broken(None, expected, format!("{state:?} on the {side:?} side")));
        }
        if self.states.half.take().is_none() {
            self.begin_step(side, state);
        }
        match side {
            QueueSide::Send => self.states.send = state,
            QueueSide::Receive => {
                self.states.receive = state;
                for meeting in self.states.meetings.values_mut() {
                    meeting.passed |= passes(state, meeting.traffic.may_be_management(), side);
                }
            }
        }
        Ok(Vec::new())
    }

    /// The first side reports a step.
    fn begin_step(&mut self, side: QueueSide, state: PortState) {
        let states = &mut self.states;
        if states.asked.front() == Some(&state) {
            states.asked.pop_front();
        }
        states.woken = false;
        let other = match side {
            QueueSide::Receive => QueueSide::Send,
            QueueSide::Send => QueueSide::Receive,
        };
        states.half = Some((other, state));
        let port = PORT;
        match (states.of(side), state) {
            (PortState::Active, _) => self.events.raise_of_port(HostEvent::PortError { port }),
            (_, PortState::Active) => self.events.raise_of_port(HostEvent::PortActive { port }),
            _ => {}
        }
    }

    /// A packet arrives from the link.
    pub(super) fn meets_port_state(&mut self, number: u32, bytes: &[u8]) {
        if self.port.link != Link::InfiniBand {
            return;
        }
        let traffic = Traffic::of(bytes, &self.port, self.capabilities.max_groups > 0);
        let passed = passes(
            self.states.receive,
            traffic.may_be_management(),
            QueueSide::Receive,
        );
        self.states.meetings.insert(number, Meeting { traffic, passed });
    }

    /// What the port's state permits for a packet before all other checks (`link.md` section 9): whether it may pass, as
    /// a state since its arrival let it, and whether it may be dropped, as the state of now does not.
    pub(super) fn gate(&self, number: u32) -> (bool, Option<Ruling>) {
        let Some(meeting) = self.states.meetings.get(&number) else {
            return (true, None);
        };
        let is_management = meeting.traffic == Traffic::Management;
        let is_open = passes(self.states.receive, is_management, QueueSide::Receive);
        let drop = Verdict::Drop(DropReason::PortState).by("link.md section 9, CF429 to CF431");
        (meeting.passed, (!is_open).then_some(drop))
    }

    /// The device has decided about a packet for the first time.
    pub(super) fn passes_port(&mut self, number: u32, verdict: Verdict) {
        let meeting = self.states.meetings.remove(&number);
        let is_data = meeting.is_some_and(|m| m.traffic == Traffic::Data);
        let refused = verdict == Verdict::Drop(DropReason::PortState);
        self.states.woken |= is_data && !refused && self.states.receive == PortState::Armed;
    }

    /// Whether the port lets packets of this QP leave.
    pub(super) fn port_sends(&self, qpn: u32) -> bool {
        passes(self.states.send, qpn == QP0, QueueSide::Send)
    }

    /// What leaves of the outputs of an event: a packet that the port may not send is discarded, and counted, and to its
    /// QP it is sent.
    pub(super) fn let_out(&mut self, event: &Event, outputs: Vec<Output>) -> Vec<Output> {
        let (Event::RequestEmitted { qpn, .. }
        | Event::AckEmitted { qpn, .. }
        | Event::ReadResponseEmitted { qpn, .. }
        | Event::AtomicAckEmitted { qpn, .. }) = *event
        else {
            return outputs;
        };
        if self.port_sends(qpn) {
            return outputs;
        }
        self.counters.discard();
        let is_packet = |output: &Output| matches!(output, Output::Transmit(_) | Output::Instead(_));
        outputs.into_iter().filter(|output| !is_packet(output)).collect()
    }
}
