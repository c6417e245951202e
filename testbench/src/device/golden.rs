//! The golden model as a device: it takes its own choices, one a clock cycle.
use super::{Device, Fault, Refusal, Retired, Ticket, Transmitted, Verb, CAPABILITIES};
use hca_golden::capabilities::Capabilities;
use hca_golden::event::{Event, MemoryFault};
use hca_golden::hca::{Hca, Output, VerbError};
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, PortConfig, QpAttributes};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};

/// Clock of the model, in Hz: a period of 8 ns.
const CLOCK_HZ: u64 = 125_000_000;
/// Picoseconds in a second.
pub const PICOSECONDS: u64 = 1_000_000_000_000;

/// A golden model on a clock.
pub struct GoldenDevice {
    hca: Hca,
    capabilities: Capabilities,
    /// Takes any of its choices, not the first.
    random: Option<ChaCha8Rng>,
    cycle: u64,
    tickets: u64,
    outcomes: HashMap<Ticket, Result<(), Refusal>>,
    attributes: HashMap<u32, QpAttributes>,
    transmitted: VecDeque<Transmitted>,
    retired: VecDeque<Retired>,
}

impl GoldenDevice {
    /// A device behind this port that can do what the hardware can.
    pub fn new(port: PortConfig) -> GoldenDevice {
        GoldenDevice::with(port, CAPABILITIES)
    }

    /// A device that can do no more than this.
    pub fn with(port: PortConfig, capabilities: Capabilities) -> GoldenDevice {
        GoldenDevice {
            hca: Hca::with(port, capabilities),
            capabilities,
            random: None,
            cycle: 0,
            tickets: 0,
            outcomes: HashMap::new(),
            attributes: HashMap::new(),
            transmitted: VecDeque::new(),
            retired: VecDeque::new(),
        }
    }

    /// The same, but it takes any of its choices: queue pairs in no order, acks sooner or later.
    pub fn picking(self, seed: u64) -> GoldenDevice {
        GoldenDevice {
            random: Some(ChaCha8Rng::seed_from_u64(seed)),
            ..self
        }
    }

    /// Takes a choice of the model.
    fn take(&mut self, event: Event) -> Result<Vec<Output>, Fault> {
        let outputs = self.hca.apply(&event).map_err(|violation| Fault {
            rule: format!("the model refused its own choice: {violation}"),
        })?;
        self.retired.push_back(Retired {
            cycle: self.cycle,
            event,
        });
        Ok(outputs)
    }

    /// Host memory did not give the data of the packet that leaves now.
    fn data_fault(&self) -> Option<Event> {
        use MemoryFault::{RequestData, ResponseData};
        self.hca.choices().into_iter().find(|choice| {
            let Event::MemoryFault { fault, .. } = choice else {
                return false;
            };
            matches!(fault, RequestData { .. } | ResponseData { .. })
        })
    }

    /// The next event; doorbells come first, as the model lists them.
    fn choice(&mut self) -> Option<Event> {
        let choices = self.hca.choices();
        let of_all = |random: &mut ChaCha8Rng| random.next_u32() as usize % choices.len().max(1);
        let at = match (&mut self.random, choices.first()) {
            (Some(random), first) if !matches!(first, Some(Event::Doorbell { .. })) => of_all(random),
            _ => 0,
        };
        choices.get(at).copied()
    }
}

/// Carries a verb out on the model. `attributes` remembers what `create_qp` said.
pub fn carry_out(
    hca: &mut Hca,
    attributes: &mut HashMap<u32, QpAttributes>,
    verb: &Verb,
) -> Result<(), VerbError> {
    match verb {
        Verb::CreateCq { cqn, entries } => hca.create_cq(*cqn, *entries),
        Verb::CreateQp {
            attributes: a,
            send_entries,
            receive_entries,
        } => {
            hca.create_qp_with(a, *send_entries as usize, *receive_entries as usize)?;
            attributes.insert(a.qpn, a.clone());
            Ok(())
        }
        Verb::ModifyQp { qpn, state } => {
            let a = attributes.get(qpn).ok_or(VerbError::UnknownQp(*qpn))?;
            hca.modify_qp(a, *state)
        }
        Verb::DestroyQp { qpn } => {
            hca.destroy_qp(*qpn)?;
            attributes.remove(qpn);
            Ok(())
        }
        Verb::RegMr { region } => hca.reg_mr(*region),
        Verb::DeregMr { l_key } => hca.dereg_mr(*l_key),
        Verb::Invalidate { r_key } => {
            hca.invalidate(*r_key);
            Ok(())
        }
        Verb::PostSend { qpn, request } => hca.post_send(*qpn, request.clone()).map(drop),
        Verb::PostReceive { qpn, request } => hca.post_receive(*qpn, request.clone()).map(drop),
        Verb::PostDefective { qpn, request, defect } => {
            hca.post_defective(*qpn, request.clone(), *defect).map(drop)
        }
        Verb::RingInReset { .. } => Ok(()),
    }
}

impl Device for GoldenDevice {
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
        let Some(event) = self.choice() else {
            return Ok(());
        };
        let outputs = self.take(event)?;
        for output in outputs {
            if let Output::Transmit(mut bytes) = output {
                if let Some(fault) = self.data_fault() {
                    self.take(fault)?;
                    bytes.last_mut().into_iter().for_each(|last| *last = !*last);
                }
                self.transmitted.push_back(Transmitted {
                    first_beat: self.cycle,
                    cycle: self.cycle,
                    bytes,
                });
            }
        }
        Ok(())
    }

    fn submit(&mut self, verb: Verb) -> Ticket {
        let outcome = carry_out(&mut self.hca, &mut self.attributes, &verb).map_err(|e| Refusal {
            reason: e.to_string(),
        });
        let ticket = Ticket(self.tickets);
        self.tickets += 1;
        self.outcomes.insert(ticket, outcome);
        ticket
    }

    fn outcome(&mut self, ticket: Ticket) -> Option<Result<(), Refusal>> {
        self.outcomes.remove(&ticket)
    }

    fn receive(&mut self, packet: Vec<u8>) {
        self.hca.receive(&packet);
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

    fn lose(&mut self, part: RingPart) {
        self.hca.lose(part);
    }

    fn quiet(&self) -> bool {
        self.hca.choices().is_empty()
    }
}
