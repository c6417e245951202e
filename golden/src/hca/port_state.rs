//! The state of a native port, which decides what it sends and takes (`link.md` section 1).
use super::lanes::{load, LATE};
use super::moment::{first_of, sequence_of};
use super::port_states::Meeting;
use super::room::Room;
use super::{Hca, Output, Port, Rule, Violation};
use crate::decision::partition::QP0;
use crate::decision::port_state::{is_step, passes};
use crate::decision::{mtu, special_qps, vl, Ruling, Verdict};
use crate::event::{DropReason, Event};
use crate::port::{Link, PortConfig, PortState};
use crate::verbs::{HostEvent, PortCounter, QueueSide};
use crate::wire::check::native::{is_whole, AtLink, Traffic};

impl Port {
    /// Requests a state of a native port. A request for a state that is not one step away changes nothing (CF433),
    /// except that a request for Down enables a disabled port.
    pub fn set_port_state(&mut self, state: PortState) {
        self.states.is_disabled &= state != PortState::Down;
        self.ask(state);
    }

    /// Disables a native port. It goes Down, and leaves Down only after `set_port_state` has been called with Down.
    pub fn disable_port(&mut self) {
        let states = &mut self.states;
        let is_down = states.of(QueueSide::Receive) == PortState::Down;
        let goes_down = is_down || states.restarts || self.now < states.may_restart;
        if goes_down && !std::mem::replace(&mut states.is_disabled, true) {
            // A port that went Down by itself may be back in Init before the request meets it.
            states.ask_perhaps(self.now, PortState::Init);
        }
        states.is_disabled = true;
        self.ask(PortState::Down);
    }

    /// Sets whether the physical link of a native port is up. The link of a disabled port stays down.
    pub fn set_link(&mut self, is_up: bool) {
        self.states.is_link_up = is_up || self.config.link == Link::Roce;
    }

    /// Notes that the neighbour is in Init. An Active port restarts (`restarts`), a port in another state does not
    /// (CF436). Returns true if the port certainly restarts; a port that is changing its state may or may not, nor one
    /// that may not take the packet (`is_taken`).
    pub(super) fn neighbour_initialises(&mut self, restarts: bool, is_taken: bool) -> bool {
        let states = &mut self.states;
        let is_settled = states.half.is_none() && states.asked.is_empty() && !states.woken && is_taken;
        states.restarts |= restarts && is_settled;
        // A data packet that is not decided about may have woken an Armed port.
        if !is_settled || states.receive == PortState::Armed {
            states.may_restart = self.now + LATE;
        }
        states.restarts
    }

    fn ask(&mut self, state: PortState) {
        if self.config.link != Link::InfiniBand {
            return;
        }
        match is_step(self.states.last(), state) {
            true => self.states.asked.push_back(state),
            // No request leads to Init.
            false if state == PortState::Init => {}
            false => self.states.ask_perhaps(self.now, state),
        }
    }

    /// Returns the earliest and latest time at which a port that lost its link gives it up, in picoseconds.
    pub(super) fn end_of_retraining(&self) -> Option<(u64, u64)> {
        self.states.end_of_retraining()
    }

    /// Returns the state of the port.
    pub fn query_port_state(&self) -> PortState {
        self.states.receive
    }

    /// Returns true if a step of the port's state has not taken effect on both sides.
    pub fn is_port_changing(&self) -> bool {
        self.port_modifications().next().is_some()
    }

    /// Returns the steps of the port's state that the sides may report.
    pub(super) fn port_modifications(&self) -> impl Iterator<Item = (QueueSide, PortState)> + '_ {
        let sides = [QueueSide::Receive, QueueSide::Send];
        let both = self
            .states
            .next(self.now)
            .flat_map(move |state| sides.map(|side| (side, state)));
        self.states.half.into_iter().chain(both)
    }

    /// Follows the event that a side of the port uses another state.
    pub(super) fn port_modified(
        &mut self,
        side: QueueSide,
        state: PortState,
    ) -> Result<Vec<Output>, Violation> {
        // A packet that is decided about later may have woken the port.
        let is_carried = |m: &Meeting| m.vl.is_none_or(|vl| vl < *m.operational.end());
        let is_data = |m: &Meeting| m.traffic == Traffic::Data && m.passed && is_carried(m);
        let may_wake = self.states.receive == PortState::Armed && self.states.half.is_none();
        let is_heard = self.states.meetings.values().any(is_data) || self.now < self.states.may_wake;
        let wakes = may_wake && is_heard;
        let is_woken = wakes && state == PortState::Active;
        let is_due = self.port_modifications().any(|step| step == (side, state));
        if !is_woken && !is_due && self.states.perhaps_asked(self.now, state).is_none() {
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
        if side == QueueSide::Send && self.is_flow_controlled() {
            self.remember_lanes();
        }
        if state == PortState::Init {
            self.lanes.restart(side, self.next_number(), self.now);
        }
        if state == PortState::Init || self.states.of(side) == PortState::ActiveDefer {
            if side == QueueSide::Receive {
                self.find_belated(state == PortState::Init);
            }
            // Between the steps of both sides a flow-control packet may come that the device takes.
            self.find_belated_limits();
        }
        match side {
            QueueSide::Send => self.states.send = state,
            QueueSide::Receive => {
                self.states.receive = state;
                self.link_packets_may_differ();
                for meeting in self.states.meetings.values_mut() {
                    meeting.passed |= passes(state, side, meeting.traffic.may_be_management());
                    meeting.has_moved = true;
                }
            }
        }
        Ok(Vec::new())
    }

    /// Notes that one side, the first, reports a step.
    fn begin_step(&mut self, side: QueueSide, state: PortState) {
        let states = &mut self.states;
        let is_surely_asked = states.asked.front() == Some(&state);
        let perhaps = states.perhaps_asked(self.now, state).filter(|_| !is_surely_asked);
        let is_asked = is_surely_asked || perhaps.is_some();
        match perhaps {
            Some(place) => drop(states.perhaps.remove(place)),
            None if is_asked => drop(states.asked.pop_front()),
            None => {}
        }
        states.woken = false;
        let surely_restarts = std::mem::take(&mut states.restarts);
        let restarts = surely_restarts || self.now < states.may_restart;
        if is_asked && restarts {
            // The port may have restarted before it gets the request.
            states.ask_perhaps(self.now, state);
        }
        let former = states.of(side);
        match (former, state) {
            (PortState::Active, PortState::ActiveDefer) => states.deferred = self.now,
            (PortState::ActiveDefer, PortState::Active) => {
                self.counters.count(PortCounter::LinkErrorRecovery);
            }
            (_, PortState::Down) if is_surely_asked || surely_restarts => {}
            (_, PortState::Down) if is_asked || restarts => self.counters.perhaps(PortCounter::LinkDowned),
            (_, PortState::Down) => self.counters.count(PortCounter::LinkDowned),
            _ => {}
        }
        let other = match side {
            QueueSide::Receive => QueueSide::Send,
            QueueSide::Send => QueueSide::Receive,
        };
        states.half = Some((other, state));
        let port = self.number();
        let event = match (former, state) {
            (PortState::Active | PortState::ActiveDefer, PortState::Down) => HostEvent::PortError { port },
            (PortState::Armed, PortState::Active) => HostEvent::PortActive { port },
            _ => return,
        };
        self.events.push_back(event);
    }

    /// Notes a packet that arrives from the link. `ended_bad` says whether the link marked it as bad at its end.
    pub(super) fn meets_port_state(&mut self, number: u32, bytes: &[u8], ended_bad: bool) {
        if self.config.link != Link::InfiniBand {
            return;
        }
        let port = self.with_all_vls();
        let sound = Traffic::of(bytes, &port, self.capabilities.max_groups > 0);
        let (traffic, at_link) = match (ended_bad, sound) {
            (false, traffic) => (traffic, AtLink::of(bytes, &port)),
            (true, Traffic::Data) => (Traffic::Invalid, AtLink::EndedBad),
            (true, traffic) => (traffic, AtLink::EndedBad),
        };
        let passed = passes(
            self.states.receive,
            QueueSide::Receive,
            traffic.may_be_management(),
        );
        let meeting = Meeting {
            traffic,
            at_link,
            vl: self.checked_vl(bytes).filter(|_| !ended_bad),
            operational: self.possible_vls(),
            load: load(bytes),
            is_whole: !ended_bad && is_whole(bytes),
            may_overrun: self.may_overrun(load(bytes)),
            overruns: self.waits_for_memory && self.overruns(load(bytes)),
            passed,
            has_moved: false,
        };
        self.states.meetings.insert(number, meeting);
    }

    /// Returns whether the port's state lets a packet pass, and the ruling that may drop it, before all other checks
    /// (`link.md` section 9). The packet may pass if any state since its arrival takes it, because the device decides
    /// later than the packet arrives; it may be dropped if the present state does not take it.
    pub(super) fn gate(&self, number: u32) -> (bool, Option<Ruling>) {
        let Some(meeting) = self.states.meetings.get(&number) else {
            return (true, None);
        };
        let is_management = meeting.traffic == Traffic::Management;
        let is_open = passes(self.states.receive, QueueSide::Receive, is_management);
        let drop = Verdict::Drop(DropReason::PortState).by("link.md section 9, CF429 to CF431");
        (meeting.passed, (!is_open).then_some(drop))
    }

    /// Notes that the device has decided about a packet for the first time. `room` is what the verdict says about its
    /// room.
    pub(super) fn decided(&mut self, number: u32, verdict: Verdict, room: Room) {
        let meeting = self.states.meetings.remove(&number);
        if sequence_of(number) == first_of(self.number()) {
            self.lanes.decided(number, self.now);
            self.forget_link_packets(number);
        }
        let is_idle = verdict == Verdict::Drop(DropReason::Vl);
        let is_data = meeting.as_ref().is_some_and(|m| m.traffic == Traffic::Data) && !is_idle;
        let has_moved = meeting.as_ref().is_some_and(|m| m.has_moved);
        let refused = verdict == Verdict::Drop(DropReason::PortState);
        if let Some(meeting) = meeting.filter(|_| !refused) {
            let at_link = meeting.counted(is_idle);
            match room {
                Room::Found => self.counters.met(at_link),
                Room::Lacked => self.counters.overrun(meeting.traffic),
                Room::Unclear => self.counters.unclear(at_link),
            }
        }
        let wakes = is_data && !refused && self.states.receive == PortState::Armed;
        if wakes && has_moved {
            self.states.may_wake = self.now + LATE;
        }
        self.states.woken |= wakes && !has_moved;
    }

    /// Returns true if the port lets this packet of this QP leave: its state permits it, and the packet has a VL that
    /// carries it (`link.md` section 3) and no more payload than the active MTU (section 13). `qpn` is the QPN in
    /// packets.
    pub(super) fn sends(&self, qpn: u32, bytes: &[u8]) -> bool {
        self.sends_on(*self.possible_vls().end(), qpn, bytes)
    }

    /// Returns the same if the first `data_vls` VLs are operational.
    fn sends_on(&self, data_vls: u8, qpn: u32, bytes: &[u8]) -> bool {
        let port = PortConfig {
            data_vls,
            ..self.config
        };
        let on_vl = |first: &u8| vl::may_leave(&port, qpn, first >> 4);
        passes(self.states.send, QueueSide::Send, qpn == QP0)
            && (self.config.link != Link::InfiniBand
                || bytes.first().is_some_and(on_vl) && mtu::admits(self.config.mtu, bytes))
    }
}

impl Hca {
    /// Returns true if the port of this number lets this packet of this QP leave.
    pub(super) fn port_sends(&self, port: u8, qpn: u32, bytes: &[u8]) -> bool {
        let in_packets = special_qps::in_packets(self.capabilities.ports, qpn);
        self.port(port).sends(in_packets, bytes)
    }

    /// Returns the outputs of an event, without a packet that the port may not send. That packet is discarded and
    /// counted, and its QP continues as if the packet had left (`link.md` section 1, CF437).
    pub(super) fn let_out(&mut self, event: &Event, outputs: Vec<Output>) -> Vec<Output> {
        let (Event::RequestEmitted { qpn, .. }
        | Event::AckEmitted { qpn, .. }
        | Event::ReadResponseEmitted { qpn, .. }
        | Event::AtomicAckEmitted { qpn, .. }) = *event
        else {
            return outputs;
        };
        let packet = outputs.iter().find_map(|output| match output {
            Output::Transmit { port, bytes } => Some((*port, bytes)),
            _ => None,
        });
        let Some((port, packet)) = packet else {
            return outputs;
        };
        if self.port_sends(port, qpn, packet) {
            return outputs;
        }
        let (packet, all_vls) = (packet.clone(), self.capabilities.data_vls);
        let in_packets = special_qps::in_packets(self.capabilities.ports, qpn);
        let port = self.port_mut(port);
        match port.sends_on(all_vls, in_packets, &packet) {
            true => port.shut_out(*event, packet),
            false => port.discard(),
        }
        let is_packet = |output: &Output| matches!(output, Output::Transmit { .. } | Output::Instead(_));
        outputs.into_iter().filter(|output| !is_packet(output)).collect()
    }
}

#[cfg(test)]
#[path = "port_state_tests.rs"]
mod tests;
