//! The golden model as a device. It makes its own choices, one in each clock cycle.
use super::leaving::Leaving;
use super::model::{command, modified, number, start};
use super::pacing::Pacing;
use super::{Device, Fault, Outcome, Refusal, Retired, Ticket, Transmitted, Verb, CAPABILITIES};
use hca_golden::capabilities::Capabilities;
use hca_golden::event::{Event, MemoryFault};
use hca_golden::hca::{Hca, Output, Pace};
use hca_golden::port::PortConfig;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent, QpAttributes};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};

/// Clock of the model, in Hz: a period of 8 ns.
const CLOCK_HZ: u64 = 125_000_000;
/// Picoseconds in a second.
pub const PICOSECONDS: u64 = 1_000_000_000_000;

/// A change that takes effect on one side and then on the other.
#[derive(Clone, Copy)]
enum Change {
    /// A change of this QP's context.
    Qp(u32),
    /// A change of this port's state.
    Port(u8),
    /// A change of this port's P_Key table.
    PKey(u8),
    /// A change of this port's SL-to-VL table.
    SlToVl(u8),
}

/// A golden model with a clock.
pub struct GoldenDevice {
    hca: Hca,
    /// The first port.
    port: PortConfig,
    capabilities: Capabilities,
    /// Makes random permitted choices; `None` for always the first one.
    random: Option<ChaCha8Rng>,
    cycle: u64,
    tickets: u64,
    /// Verbs that are not started.
    queued: VecDeque<(Ticket, Verb)>,
    /// A modification that has not taken effect on both sides, and the verb whose outcome waits for it.
    modifying: Option<(Ticket, Change)>,
    outcomes: HashMap<Ticket, Result<Outcome, Refusal>>,
    events: VecDeque<HostEvent>,
    attributes: HashMap<u32, QpAttributes>,
    /// The link of each port.
    leaving: Vec<Leaving>,
    pacing: Pacing,
    transmitted: VecDeque<Transmitted>,
    retired: VecDeque<Retired>,
}

impl GoldenDevice {
    /// Makes a device behind this port, with the capabilities of the hardware.
    pub fn new(port: PortConfig) -> GoldenDevice {
        GoldenDevice::with(port, CAPABILITIES)
    }

    /// Makes a device with these capabilities behind this port, its first one.
    pub fn with(port: PortConfig, capabilities: Capabilities) -> GoldenDevice {
        GoldenDevice {
            hca: Hca::with(port, capabilities),
            port,
            capabilities,
            random: None,
            cycle: 0,
            tickets: 0,
            queued: VecDeque::new(),
            modifying: None,
            events: VecDeque::new(),
            outcomes: HashMap::new(),
            attributes: HashMap::new(),
            leaving: (0..capabilities.ports)
                .map(|_| Leaving::new(capabilities.port_rate))
                .collect(),
            pacing: Pacing::default(),
            transmitted: VecDeque::new(),
            retired: VecDeque::new(),
        }
    }

    /// Returns a device that makes random permitted choices: queue pairs in any order, acks sooner or later.
    pub fn picking(self, seed: u64) -> GoldenDevice {
        GoldenDevice {
            random: Some(ChaCha8Rng::seed_from_u64(seed)),
            ..self
        }
    }

    /// Applies a choice of the model.
    fn take(&mut self, event: Event) -> Result<Vec<Output>, Fault> {
        let outputs = self.hca.apply(&event).map_err(|violation| Fault {
            rule: format!("the model refused its own choice: {violation}"),
        })?;
        self.report(event);
        Ok(outputs)
    }

    fn report(&mut self, event: Event) {
        let cycle = self.cycle;
        self.retired.push_back(Retired { cycle, event });
    }

    /// Starts verbs up to, and including, a modification that has to take effect before the next verb.
    fn start_verbs(&mut self) {
        let takes_effect = |change: Change| match change {
            Change::Qp(qpn) => !self.hca.is_modifying(qpn),
            Change::Port(port) => !self.hca.port(port).is_port_changing(),
            Change::PKey(port) => !self.hca.port(port).is_p_key_changing(),
            Change::SlToVl(port) => !self.hca.port(port).is_sl_to_vl_changing(),
        };
        if self.modifying.is_some_and(|(_, change)| takes_effect(change)) {
            if let Some((ticket, _)) = self.modifying.take() {
                self.outcomes.insert(ticket, Ok(Outcome::Done));
            }
        }
        while self.modifying.is_none() {
            let Some((ticket, verb)) = self.queued.pop_front() else {
                return;
            };
            let outcome = start(&mut self.hca, &mut self.attributes, &verb);
            if let Some(command) = command(&verb) {
                self.report(Event::Command {
                    verb: command,
                    number: number(&verb),
                    refused: outcome.as_ref().err().map(|e| e.reason()),
                });
            }
            let of_qp = modified(&verb).filter(|&qpn| self.hca.is_modifying(qpn));
            let of_port = outcome.is_ok().then(|| self.change_of_port(&verb)).flatten();
            match (outcome, of_qp.map(Change::Qp).or(of_port)) {
                (Ok(_), Some(change)) => self.modifying = Some((ticket, change)),
                (outcome, _) => {
                    let outcome = outcome.map_err(|e| Refusal {
                        code: e.reason(),
                        reason: e.to_string(),
                    });
                    self.outcomes.insert(ticket, outcome);
                }
            }
        }
    }

    /// Returns the change of a port that the verb has begun, if it takes effect later.
    fn change_of_port(&self, verb: &Verb) -> Option<Change> {
        let (number, verb) = verb.with_port();
        let port = self.hca.port(number);
        match verb {
            verb if verb.moves_port() => port.is_port_changing().then_some(Change::Port(number)),
            Verb::SetPKey { .. } => port.is_p_key_changing().then_some(Change::PKey(number)),
            Verb::SetSlToVl { .. } => port.is_sl_to_vl_changing().then_some(Change::SlToVl(number)),
            _ => None,
        }
    }

    fn link(&mut self, port: u8) -> &mut Leaving {
        &mut self.leaving[usize::from(port) - 1]
    }

    /// Returns the event of a failed access if host memory fails the data of the packet that leaves now.
    fn data_fault(&self) -> Option<Event> {
        use MemoryFault::{RequestData, ResponseData};
        self.hca.choices().into_iter().find(|choice| {
            let Event::MemoryFault { fault, .. } = choice else {
                return false;
            };
            matches!(fault, RequestData { .. } | ResponseData { .. })
        })
    }

    /// Returns the next event. Doorbells come first, as the model lists them.
    fn choice(&mut self) -> Option<Event> {
        let mut choices = self.hca.choices();
        if !self.pacing.is_open() {
            let waits = |pace: Pace| self.pacing.is_closed(pace.source);
            choices.retain(|event| !self.hca.pace(event).is_some_and(waits));
        }
        let of_all = |random: &mut ChaCha8Rng| random.next_u32() as usize % choices.len().max(1);
        let at = match (&mut self.random, choices.first()) {
            (Some(random), first) if !matches!(first, Some(Event::Doorbell { .. })) => of_all(random),
            _ => 0,
        };
        choices.get(at).copied()
    }
}

impl Device for GoldenDevice {
    fn reset(&mut self) -> Result<(), Fault> {
        let fresh = GoldenDevice::with(self.port, self.capabilities);
        let random = self.random.take();
        *self = GoldenDevice { random, ..fresh };
        Ok(())
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn clock_hz(&self) -> u64 {
        CLOCK_HZ
    }

    fn now(&self) -> u64 {
        self.cycle
    }

    fn step(&mut self) -> Result<(), Fault> {
        self.cycle += 1;
        self.hca.advance_to(self.cycle * (PICOSECONDS / CLOCK_HZ));
        self.start_verbs();
        let event = self.choice();
        let pace = event.and_then(|event| self.hca.pace(&event));
        let outputs = event.map_or_else(|| Ok(Vec::new()), |event| self.take(event))?;
        for output in outputs {
            match output {
                Output::Transmit { port, mut bytes } => {
                    if let Some(fault) = self.data_fault() {
                        self.take(fault)?;
                        bytes.last_mut().into_iter().for_each(|last| *last = !*last);
                    }
                    if let Some(pace) = pace {
                        self.pacing.departs(pace, &bytes);
                    }
                    self.link(port).push(bytes);
                }
                Output::Event(event) => self.events.push_back(event),
                Output::Instead(_) | Output::Complete(_) => {}
            }
        }
        for (number, link) in (1..).zip(&mut self.leaving) {
            let left = link.step(self.hca.port_mut(number), self.cycle);
            if let Some(packet) = &left {
                let at = packet.first_beat * (PICOSECONDS / CLOCK_HZ);
                self.pacing.starts(&packet.bytes, at, self.capabilities.port_rate);
            }
            self.transmitted.extend(left);
        }
        let (now, links) = (self.cycle * (PICOSECONDS / CLOCK_HZ), &self.leaving);
        self.pacing
            .open(now, |bytes| links.iter().any(|link| link.has(bytes)));
        self.start_verbs();
        Ok(())
    }

    fn submit(&mut self, verb: Verb) -> Ticket {
        let ticket = Ticket(self.tickets);
        self.tickets += 1;
        self.queued.push_back((ticket, verb));
        self.start_verbs();
        ticket
    }

    fn outcome(&mut self, ticket: Ticket) -> Option<Result<Outcome, Refusal>> {
        self.outcomes.remove(&ticket)
    }

    fn receive(&mut self, port: u8, packet: Vec<u8>) {
        self.hca.receive(port, &packet);
    }

    fn receive_bad(&mut self, port: u8, packet: Vec<u8>) {
        self.hca.receive_bad(port, &packet);
    }

    fn receive_link(&mut self, port: u8, packet: Vec<u8>) {
        self.hca.port_mut(port).receive_link(&packet);
    }

    fn hold_link(&mut self, port: u8, is_held: bool) {
        self.link(port).is_held = is_held;
    }

    fn transmitted(&mut self) -> Option<Transmitted> {
        self.transmitted.pop_front()
    }

    fn retired(&mut self) -> Result<Option<Retired>, Fault> {
        Ok(self.retired.pop_front())
    }

    fn poll(&mut self, cqn: u32) -> Result<Option<Completion>, Fault> {
        Ok(self.hca.poll_cq(cqn))
    }

    fn poll_event(&mut self) -> Result<Option<HostEvent>, Fault> {
        Ok(self.events.pop_front())
    }

    fn read_memory(&self, addr: u64, bytes: &mut [u8]) {
        self.hca.memory().read_into(addr, bytes);
    }

    fn written_pages(&self) -> Vec<u64> {
        self.hca.memory().pages().map(|(addr, _)| addr).collect()
    }

    fn write_memory(&mut self, addr: u64, bytes: &[u8]) {
        self.hca.memory_mut().write(addr, bytes);
    }

    fn fail_memory(&mut self, addr: u64, length: u64) {
        self.hca.memory_mut().fail(addr, length);
    }

    fn hold_memory(&mut self, is_held: bool) {
        self.hca.hold_memory(is_held);
    }

    fn lose(&mut self, part: RingPart) {
        self.hca.lose(part);
    }

    fn quiet(&self) -> bool {
        let is_idle = self.queued.is_empty() && self.modifying.is_none() && self.hca.choices().is_empty();
        let mut links = (1..).zip(&self.leaving);
        is_idle && links.all(|(number, link)| link.is_still(self.hca.port(number)))
    }
}
