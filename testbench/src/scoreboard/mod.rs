//! A device beside its golden model: both get the same verbs and packets, and all outputs are compared.
mod books;
mod check_completions;
mod check_events;
mod check_packets;
mod check_placements;
mod check_verbs;
mod completions;
mod events;
pub mod failure;
mod history;
mod liveness;
mod memory;
mod packets;
mod placements;
pub mod requirement;
mod timers;
mod verbs;

use crate::device::golden::PICOSECONDS;
use crate::device::{Device, Fault, Retired, Ticket, Transmitted, Verb};
use crate::report::event;
use crate::station::Station;
use crate::trace::log;
use crate::Side;
use completions::Completions;
use events::Events;
use failure::{Failure, Kind};
use hca_golden::decision::special_qps;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::{Hca, Output, QpStatus};
use hca_golden::port::{Link, PortConfig, PortState};
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent, QpAttributes, QpState, QueueSide};
use hca_golden::wire::flow_control::FlowControl;
use hca_golden::wire::lrh::MANAGEMENT_VL;
use hca_sim::memory::PAGE;
use history::History;
use packets::Packets;
use placements::{completes_receive, Placements};
use requirement::Rows;
use std::collections::{BTreeMap, HashMap};
use timers::Timers;
use verbs::Verbs;

/// Number of clock cycles between two polls of the completion queues while no completion is announced.
const POLL_INTERVAL: u64 = 64;

/// A device and the model that judges it.
pub struct Checked {
    side: Side,
    link: Link,
    device: Box<dyn Device>,
    model: Hca,
    attributes: HashMap<u32, QpAttributes>,
    verbs: Verbs,
    host_events: Events,
    /// True if software polls its completion queues.
    polls: bool,
    /// Clock cycles between two polls; 0 if software polls once a completion is announced.
    polls_every: u64,
    packets: Packets,
    completions: Completions,
    placements: Placements,
    regions: Vec<(u64, u64)>,
    history: History,
    /// Clock cycle of the last activity.
    progress: u64,
    /// Clock cycles without progress that count as a hang.
    patience: u64,
    /// Length of a clock cycle in picoseconds.
    period: u64,
    /// The next moment, in picoseconds, at which a timer gives the device something to do.
    deadline: Option<u64>,
    timers: Timers,
    /// Decisions judged so far.
    events: u64,
    /// Packets that the device dropped so far, by reason.
    drops: BTreeMap<DropReason, u64>,
    /// Opcodes of the packets that arrived and are not decided about, by their numbers.
    arrived: BTreeMap<u32, u8>,
    /// Requirements that the run exercised.
    rows: Rows,
}

impl Checked {
    /// Puts a model beside a fresh device.
    pub fn new(side: Side, device: Box<dyn Device>, port: PortConfig, patience: u64) -> Checked {
        let mut model = Hca::with(port, device.capabilities());
        model.memory_mut().keep_written();
        Checked {
            side,
            link: port.link,
            model,
            period: PICOSECONDS / device.clock_hz(),
            device,
            attributes: HashMap::new(),
            verbs: Verbs::default(),
            host_events: Events::default(),
            polls: true,
            polls_every: 0,
            packets: Packets::default(),
            completions: Completions::default(),
            placements: Placements::default(),
            regions: Vec::new(),
            history: History::default(),
            progress: 0,
            patience,
            deadline: None,
            timers: Timers::default(),
            events: 0,
            drops: BTreeMap::new(),
            arrived: BTreeMap::new(),
            rows: Rows::default(),
        }
    }

    /// Makes software poll its completion queues each time that so many clock cycles have passed, not once a completion
    /// is announced; 0 undoes it.
    pub fn polling_every(self, polls_every: u64) -> Checked {
        Checked { polls_every, ..self }
    }

    /// Returns the model, for scenarios.
    pub fn model(&self) -> &Hca {
        &self.model
    }

    /// Returns the number of packets that the device dropped so far, by reason.
    pub fn drops(&self) -> &BTreeMap<DropReason, u64> {
        &self.drops
    }

    fn judge(&mut self, retired: Retired) -> Result<(), Box<Failure>> {
        let Retired { cycle, event } = retired;
        self.progress = self.now();
        self.events += 1;
        self.model.advance_to(cycle * self.period);
        let qpn = queue_pair_of(&event);
        if let Some(qpn) = qpn {
            self.history.push(qpn, cycle, move || event::text(&event));
        }
        if self.packets.refused.is_some() {
            // The model stopped at the refused event; later events cannot be judged.
            return Ok(());
        }
        let opcode = event.packet().and_then(|number| self.arrived.remove(&number));
        self.rows.decided(&event, opcode);
        if let Event::Command {
            verb,
            number,
            refused,
        } = event
        {
            return self.command_judged(verb, number, refused);
        }
        let gone = self.reset_by(&event);
        let pace = self.model.pace(&event);
        let outputs = match self.model.apply(&event) {
            Ok(outputs) => outputs,
            Err(violation) => {
                if is_emission(&event) {
                    let own = self.own_output(&event);
                    self.packets.refuse(event, violation, own, self.device.now());
                    return Ok(());
                }
                let kind = Kind::Violation {
                    violation,
                    expected: None,
                    actual: None,
                };
                return Err(self.failure(qpn, Some(event), kind));
            }
        };
        self.placed(&event, opcode);
        self.deadline = self.model.deadline();
        if let Some(expiry) = qpn.and_then(|qpn| self.model.expiry(qpn)) {
            self.timers.run(self.now() * self.period, expiry);
        }
        if let Some(qpn) = gone {
            self.completions.forget(qpn);
            self.placements.forget(qpn);
        }
        if let Event::PacketDropped { reason, .. } | Event::CopyDropped { reason, .. } = event {
            *self.drops.entry(reason).or_default() += 1;
        }
        if let Event::PortModified {
            port,
            side: QueueSide::Send,
            ..
        } = event
        {
            self.packets.port_moved(self.model.port_mut(port));
        }
        if let Event::MemoryFault { qpn, fault } = event {
            self.packets.spoil(qpn, fault);
        }
        let placed = completes_receive(&event).map_or(0, |qpn| self.placements.completed(qpn));
        for output in outputs {
            match (output, event) {
                (Output::Transmit { port, bytes }, _) => {
                    let round = self.model.port(port).round();
                    let may_stay = self.model.port(port).is_unclear(&bytes);
                    self.packets.expect(event, pace, port, bytes, round);
                    self.packets.may_give_up_last(may_stay);
                }
                (Output::Instead(bytes), _) => self.packets.permit_instead(bytes),
                (Output::Complete(completion), Event::CompletionWritten { cqn, .. }) => {
                    self.completions.expect(cqn, event, completion, placed);
                    // The hardware's CQE is polled; the model's own CQEs must not accumulate.
                    while self.model.poll_cq(cqn).is_some() {}
                }
                (Output::Complete(_), _) => {}
                (Output::Event(event), _) => self.host_events.expected.push_back(event),
            }
        }
        Ok(())
    }

    /// Returns the QP of which nothing is left after this event.
    fn reset_by(&self, event: &Event) -> Option<u32> {
        match *event {
            Event::QpModified {
                qpn,
                side: QueueSide::Send,
                state: QpState::Reset,
            } => Some(qpn),
            _ => None,
        }
    }

    /// Sets whether software polls its completion queues.
    pub fn poll_completions(&mut self, polls: bool) {
        self.polls = polls;
    }

    /// Returns the packet that the model would have sent instead of this refused emission, if any.
    fn own_output(&self, refused: &Event) -> Option<Vec<u8>> {
        let same_kind = |e: &Event| {
            std::mem::discriminant(e) == std::mem::discriminant(refused)
                && queue_pair_of(e) == queue_pair_of(refused)
        };
        let choice = self.model.choices().into_iter().find(same_kind)?;
        let outputs = self.model.clone().apply(&choice).ok()?;
        outputs.into_iter().find_map(|o| match o {
            Output::Transmit { bytes, .. } => Some(bytes),
            Output::Instead(_) | Output::Complete(_) | Output::Event(_) => None,
        })
    }

    /// Returns the number of packets whose emission the device has reported and that have not left by the link.
    pub fn departed(&self) -> usize {
        self.packets.expected.len()
    }

    /// Makes host memory answer the device nothing while `is_held`.
    pub fn hold_memory(&mut self, is_held: bool) {
        self.device.hold_memory(is_held);
    }

    /// Makes the link take nothing from this port while `is_held`.
    pub fn hold_link(&mut self, port: u8, is_held: bool) {
        self.device.hold_link(port, is_held);
    }

    fn fault(&self, fault: Fault) -> Box<Failure> {
        self.failure(None, None, Kind::Fault { rule: fault.rule })
    }

    fn failure(&self, qpn: Option<u32>, event: Option<Event>, kind: Kind) -> Box<Failure> {
        Box::new(Failure {
            side: Some(self.side),
            cycle: self.now(),
            event,
            kind,
            history: self.history.of(qpn),
            link: self.link,
        })
    }
}

impl Station for Checked {
    fn ports(&self) -> u8 {
        self.device.capabilities().ports
    }

    fn data_vls(&self) -> u8 {
        self.device.capabilities().data_vls
    }

    fn receive_blocks(&self) -> u16 {
        self.device.capabilities().receive_blocks
    }

    fn now(&self) -> u64 {
        self.device.now()
    }

    fn events(&self) -> u64 {
        self.events
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn waits(&self) -> bool {
        self.model.waits()
    }

    fn open_work(&self) -> Vec<String> {
        self.all_open_work()
    }

    fn waits_for_turns(&self) -> bool {
        self.packets.wait_for_turns(self.link, &self.model)
    }

    fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    fn register(&mut self, addr: u64, length: u64) {
        self.regions.push((addr, length));
    }

    fn write_memory(&mut self, addr: u64, bytes: &[u8]) {
        self.device.write_memory(addr, bytes);
        let memory = self.model.memory_mut();
        memory.write(addr, bytes);
        self.placements.overwrite(memory.take_written());
    }

    fn read_memory(&self, addr: u64, bytes: &mut [u8]) {
        self.device.read_memory(addr, bytes);
    }

    fn fail_memory(&mut self, addr: u64, length: u64) {
        self.device.fail_memory(addr, length);
        self.model.memory_mut().fail(addr, length);
    }

    fn lose(&mut self, part: RingPart) {
        self.device.lose(part);
        self.model.lose(part);
    }

    fn query(&self, qpn: u32) -> Option<QpStatus> {
        self.model.query(qpn).ok()
    }

    fn link_packet(&self, port: u8, vl: u8) -> Option<FlowControl> {
        (vl < MANAGEMENT_VL).then(|| self.model.port(port).flow_control(vl))
    }

    fn port_state(&self, port: u8) -> Option<PortState> {
        let port = self.model.port(port);
        (!port.is_port_changing()).then(|| port.query_port_state())
    }

    fn names_handle(&self, handle: u32) -> bool {
        self.model.names_handle(handle)
    }

    fn holds_multicast(&self, port: u8) -> bool {
        self.packets.hold_multicast(port) || self.model.awaits_own_copy()
    }

    fn sends_own_q_key(&self, qpn: u32) -> bool {
        self.model.sends_own_q_key(qpn)
    }

    fn submit(&mut self, verb: Verb) -> Ticket {
        let ticket = self.verbs.ask(verb, self.verbs.may_be_refused);
        self.progress = self.now();
        self.start_verbs();
        ticket
    }

    fn permit_refusals(&mut self) {
        self.verbs.may_be_refused = true;
    }

    fn verbs_open(&self) -> usize {
        self.verbs.open()
    }

    fn receive(&mut self, port: u8, bytes: Vec<u8>) {
        let number = self.model.receive(port, &bytes);
        if let Some((dest_qp, opcode)) = packets::destination(self.link, &bytes) {
            self.arrived.insert(number, opcode);
            let ports = self.device.capabilities().ports;
            let qpn = special_qps::named(ports, port, dest_qp).unwrap_or(dest_qp);
            let (link, bytes) = (self.link, bytes.clone());
            let line = move || format!("packet {number} in: {}", log::summary(link, &bytes));
            self.history.push(qpn, self.now(), line);
        }
        self.device.receive(port, bytes);
        self.progress = self.now();
    }

    fn receive_bad(&mut self, port: u8, bytes: Vec<u8>) {
        self.model.receive_bad(port, &bytes);
        self.device.receive_bad(port, bytes);
        self.progress = self.now();
    }

    fn receive_link(&mut self, port: u8, bytes: Vec<u8>) {
        let waited = self.waits_for_turns();
        self.model.port_mut(port).receive_link(&bytes);
        self.device.receive_link(port, bytes);
        // Others come all the time, and give the device nothing to do.
        if (waited && !self.waits_for_turns()) || self.model.port(port).is_port_changing() {
            self.progress = self.now();
        }
    }

    fn transmitted(&mut self) -> Option<Transmitted> {
        self.packets.checked.pop_front()
    }

    fn completion(&mut self) -> Option<Completion> {
        self.completions.checked.pop_front()
    }

    fn step(&mut self) -> Result<(), Box<Failure>> {
        self.device.step().map_err(|fault| self.fault(fault))?;
        while let Some(retired) = self.device.retired().map_err(|fault| self.fault(fault))? {
            self.judge(retired)?;
        }
        self.advance();
        while let Some(packet) = self.device.transmitted() {
            if packet.is_link {
                self.link_packet_out(packet)?;
                continue;
            }
            self.progress = self.now();
            self.packet_out(packet)?;
        }
        self.verb_outcomes()?;
        let regular = self.now().is_multiple_of(POLL_INTERVAL);
        let is_time = match self.polls_every {
            0 => self.completions.announced() || regular,
            cycles => self.now().is_multiple_of(cycles),
        };
        if self.polls && is_time {
            self.completions_out()?;
        }
        if !self.host_events.expected.is_empty() || regular {
            self.events_out()?;
        }
        let is_late = regular && self.now().saturating_sub(self.progress) > self.patience;
        if is_late || self.refused_too_long_ago() {
            self.stalled()?;
        }
        Ok(())
    }

    fn is_still(&self) -> bool {
        self.device.quiet()
    }

    fn last_stopped(&self, end: u64) -> Option<u64> {
        let last = self.timers.last_until(end * self.period)?;
        Some(last.div_ceil(self.period))
    }

    fn pace_ends(&self) -> Option<u64> {
        Some(self.model.pace_ends().div_ceil(self.period))
    }

    fn at_rest(&self) -> bool {
        // The report of a refused emission waits for its packet.
        self.device.quiet() && self.packets.refused.is_none() && !self.has_open_work()
    }

    fn finish(&mut self) -> Result<(), Box<Failure>> {
        self.polls = true;
        if let Some(failure) = self.refused_without_output() {
            return Err(failure);
        }
        self.completions_out()?;
        self.events_out()?;
        self.packets.give_up(&mut self.model);
        let due = self.all_open_work();
        if !due.is_empty() {
            return Err(self.failure(None, None, Kind::Missing { due }));
        }
        for (addr, length) in self.regions.clone() {
            self.compare_memory(None, "registered memory at the end", addr, length)?;
        }
        let mut pages = self.device.written_pages();
        pages.extend(self.model.memory().pages().map(|(addr, _)| addr));
        pages.sort_unstable();
        pages.dedup();
        for addr in pages {
            self.compare_memory(None, "memory at the end", addr, PAGE)?;
        }
        let books = self.books();
        self.device.audit(&books).map_err(|f| self.fault(f))
    }

    fn rows(&self) -> Rows {
        self.rows
    }

    fn close(&mut self) -> Result<(), hca_sim::verilated::Error> {
        self.device.close()
    }

    fn leave(self: Box<Self>) -> Box<dyn Device> {
        self.device
    }
}

/// Returns true for an event that comes with a packet on the wire.
fn is_emission(event: &Event) -> bool {
    matches!(
        event,
        Event::RequestEmitted { .. }
            | Event::AckEmitted { .. }
            | Event::ReadResponseEmitted { .. }
            | Event::AtomicAckEmitted { .. }
    )
}

/// Returns the QP of an event.
pub fn queue_pair_of(event: &Event) -> Option<u32> {
    match *event {
        Event::Doorbell { qpn, .. }
        | Event::WqeFetched { qpn, .. }
        | Event::RequestExecuted { qpn, .. }
        | Event::DuplicateRequest { qpn, .. }
        | Event::RequestRefused { qpn, .. }
        | Event::ResponseAccepted { qpn, .. }
        | Event::RequestEmitted { qpn, .. }
        | Event::RequestDiscarded { qpn, .. }
        | Event::CopyDropped { qpn, .. }
        | Event::UnsolicitedAck { qpn, .. }
        | Event::AckEmitted { qpn, .. }
        | Event::ReadFetched { qpn, .. }
        | Event::ReadResponseEmitted { qpn, .. }
        | Event::AtomicAckEmitted { qpn, .. }
        | Event::ReadRefused { qpn, .. }
        | Event::ReplayDropped { qpn, .. }
        | Event::SendRefused { qpn, .. }
        | Event::AckTimerExpired { qpn, .. }
        | Event::Rewound { qpn, .. }
        | Event::CompletionWritten { qpn, .. }
        | Event::StateChanged { qpn, .. }
        | Event::MemoryFault { qpn, .. } => Some(qpn),
        Event::CompletionLost { qpn, .. }
        | Event::QpModified { qpn, .. }
        | Event::DoorbellRefused { qpn, .. } => Some(qpn),
        Event::EventWritten(HostEvent::Qp(event)) => Some(event.qpn()),
        Event::PacketDropped { .. }
        | Event::PortModified { .. }
        | Event::PKeySet { .. }
        | Event::SlToVlSet { .. }
        | Event::Command { .. }
        | Event::CqArmed { .. }
        | Event::CqConsumed { .. }
        | Event::EventWritten(_) => None,
    }
}
