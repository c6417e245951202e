//! The Verilated hardware and its driver as a device.
use super::answer::Answer;
use super::counters::Counters;
use super::settings::register_is;
use super::software::answer::{self, completion, host_event, refusal};
use super::software::request::{
    changes, group, handle, init, queue, region, segments, send_work, spoiled, state,
};
use super::translation::{event, framing, link, port_state};
use super::verb::required_changes;
use super::{
    Books, Device, Fault, Outcome, Reason, Refusal, Retired, Ticket, Transmitted, Verb, CAPABILITIES,
};
use hca_golden::arbitration::Arbitration;
use hca_golden::capabilities::Capabilities;
use hca_golden::port::{self, PortConfig, PortState, FIRST};
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent, Pmtu, QpAttributes, QueueSide};
use hca_host::profile::{Link, Profile};
use hca_host::register::port_state::{CHANGING, STATE};
use hca_host::{register, wqe};
use hca_sim::driver::{self, DriverError, ReceiveWork, RINGS_SIZE};
use hca_sim::hca::{Marks, SimConfig, SimError, SimHca};
use hca_sim::verilated::{self, Library};
use std::collections::{HashMap, VecDeque};

/// A Verilated HCA with a clock.
pub struct VerilatedDevice {
    pub(super) hca: SimHca,
    pub(super) profile: Profile,
    /// Address of the driver's rings.
    rings: u64,
    event_entries: u32,
    /// Attributes given to `CreateQp`, by QPN.
    attributes: HashMap<u32, QpAttributes>,
    tickets: u64,
    /// Verbs that are not started.
    queued: VecDeque<(Ticket, Verb)>,
    /// The command whose outcome software waits for.
    command: Option<driver::Ticket>,
    waiting: HashMap<Ticket, Waiting>,
    pub(super) counters: Counters,
    /// Settings of the ports, by number, the first at place 0.
    pub(super) ports: Vec<PortConfig>,
    /// Settings of the ports right after a reset.
    first_ports: Vec<PortConfig>,
    /// Number of events that software has polled.
    pub(super) events: u64,
    /// Register accesses at the start, with the expected values.
    start: Vec<(&'static str, driver::Ticket, u32)>,
    /// Something that the adapter must do and that failed.
    pub(super) broken: Option<String>,
}

/// A verb whose outcome is not known yet.
enum Waiting {
    Refused(Refusal),
    Driver(driver::Ticket, Answer),
}

impl VerilatedDevice {
    /// Returns the link of the device's ports.
    pub fn link(&self) -> port::Link {
        framing(self.profile.link)
    }

    /// Makes a device behind this port, out of reset.
    pub fn new(library: &Library, config: &SimConfig, port: PortConfig) -> Result<VerilatedDevice, SimError> {
        // The driver must know the framing of the port.
        let profile = config.profile.over(link(port.link));
        let others = (2..=profile.ports() as u8).map(|number| PortConfig {
            number,
            link: port.link,
            ..PortConfig::default()
        });
        let first_ports: Vec<_> = std::iter::once(port)
            .chain(others)
            .map(|port| PortConfig {
                arbitration: Arbitration::of(1 << profile.vl_bits),
                ..port
            })
            .collect();
        let config = &SimConfig {
            profile,
            ..config.clone()
        };
        let mut device = VerilatedDevice {
            hca: SimHca::new(library, config)?,
            profile,
            rings: config.rings,
            event_entries: config.event_entries,
            attributes: HashMap::new(),
            tickets: 0,
            queued: VecDeque::new(),
            command: None,
            waiting: HashMap::new(),
            counters: Counters::over(port.link, first_ports.len()),
            ports: first_ports.clone(),
            first_ports,
            events: 0,
            start: Vec::new(),
            broken: None,
        };
        device.begin();
        Ok(device)
    }

    /// Makes the accesses of software after a reset.
    fn begin(&mut self) {
        // The driver's memory always has room for so few entries.
        let _ = self.hca.start_events(self.event_entries);
        if let Err(error) = self.hca.activate_ports() {
            self.broken = Some(error.to_string());
        }
        let driver = self.hca.driver();
        driver.enable_interrupt(true);
        self.start = vec![
            ("ID", driver.read_register(register::ID), register::ID_VALUE),
            (
                "VERSION",
                driver.read_register(register::VERSION),
                register::VERSION_VALUE,
            ),
        ];
        for port in &self.ports {
            let mut driver = self.hca.driver().port(port.number);
            self.start.extend([
                ("PORT", driver.set_port(port.lid, port.lmc), 0),
                ("PORT_MAC", driver.set_mac(&port.mac), 0),
                ("PORT_GID", driver.set_gid(&port.gid), 0),
                ("PORT_GUID", driver.set_guids(&port.guids), 0),
                ("PORT_P_KEY", driver.set_p_keys(&port.p_keys), 0),
            ]);
            if port.mtu != Pmtu::B4096 {
                self.start.push(("PORT_MTU", driver.set_mtu(port.mtu.code()), 0));
            }
        }
    }

    /// Returns the clock cycles of the last transfers at the ports.
    pub fn marks(&self) -> Marks {
        self.hca.marks()
    }

    /// Starts verbs up to, and including, a command, whose outcome software waits for.
    fn start_verbs(&mut self) {
        while self.command.is_none() {
            let Some((ticket, verb)) = self.queued.pop_front() else {
                return;
            };
            let is_command = verb.holds_others();
            let waiting = match self.start(&verb) {
                Ok((call, answer)) => {
                    self.command = is_command.then_some(call);
                    Waiting::Driver(call, answer)
                }
                Err(refusal) => Waiting::Refused(refusal),
            };
            self.waiting.insert(ticket, waiting);
        }
    }

    /// Returns the state in this value of register `PORT_STATE`.
    pub(super) fn port_state(&mut self, register: u32) -> PortState {
        port_state(register & STATE).unwrap_or_else(|reason| {
            self.broken.get_or_insert(reason);
            PortState::Down
        })
    }

    /// Reads the register again while the port changes its state, or its link is about to change it.
    fn await_port(&mut self) {
        let Some(former) = self.command else {
            return;
        };
        let Some(Ok(state)) = self.hca.outcome(former) else {
            return;
        };
        let of_former = |w: &&mut Waiting| matches!(w, Waiting::Driver(call, _) if *call == former);
        let Some(Waiting::Driver(call, Answer::PortSettled(port))) =
            self.waiting.values_mut().find(of_former)
        else {
            return;
        };
        if state & CHANGING != 0 || !self.counters.port(*port).is_settled(state & STATE) {
            *call = self.hca.driver().port(*port).port_state();
            self.command = Some(*call);
        }
    }

    /// Returns a refusal. A failure of the adapter is recorded and ends the run.
    fn refused(&mut self, error: &DriverError) -> Refusal {
        let reason = error.to_string();
        refusal(error).unwrap_or_else(|| {
            self.broken.get_or_insert(reason.clone());
            let code = Reason::Unsupported;
            Refusal { code, reason }
        })
    }

    /// Returns the outcome of a verb whose last call was successful and returned this value.
    pub(super) fn answer(&mut self, call: driver::Ticket, kind: Answer, value: u32) -> Outcome {
        let outcome = kind.outcome(&mut self.hca, call, value);
        outcome.unwrap_or_else(|| Outcome::PortState(self.port_state(value)))
    }

    /// Starts a verb, and returns the call whose outcome it has with the answer that follows it.
    fn start(&mut self, verb: &Verb) -> Result<(driver::Ticket, Answer), Refusal> {
        let (port, verb) = verb.with_port();
        match self.refuses_port(port) {
            Some(refusal) => Err(refusal),
            None => self.carry_out(port, verb).map_err(|error| self.refused(&error)),
        }
    }

    /// Starts the call whose outcome is that of the verb, of this port if it is one of a port. Returns it with the
    /// answer that follows it.
    fn carry_out(&mut self, port: u8, verb: &Verb) -> Result<(driver::Ticket, Answer), DriverError> {
        if let Some(call) = self.carry_out_at(port, verb) {
            return call;
        }
        let driver = self.hca.driver();
        let call = match verb {
            Verb::QueryHca => {
                let query = driver.query_hca();
                return Ok((query.last(), Answer::Hca(query)));
            }
            Verb::CreateCq { cqn, entries } => self.hca.create_cq(*cqn, *entries),
            Verb::QueryCq { cqn } => Ok(driver.query_cq(*cqn)),
            Verb::ResizeCq { cqn, entries } => self.hca.resize_cq(*cqn, *entries),
            Verb::DestroyCq { cqn } => Ok(driver.destroy_cq(*cqn)),
            Verb::RequestNotify { cqn, solicited } => driver.request_notify(*cqn, *solicited),
            Verb::CreateQp {
                attributes,
                send_entries,
                receive_entries,
            } => {
                let call = driver.create_qp(&init(attributes, *send_entries, *receive_entries))?;
                if driver.state(attributes.qpn).is_err() {
                    self.attributes.insert(attributes.qpn, attributes.clone());
                }
                Ok(call)
            }
            Verb::ModifyQp { qpn, state: to } => {
                let from = driver.state(*qpn).unwrap_or(driver::QpState::Reset);
                let attributes = self.attributes.get(qpn);
                let ports = self.profile.ports() as u8;
                let set = attributes.map(|a| required_changes(a, answer::state(from), *to, ports));
                driver.modify_qp(*qpn, state(*to), &changes(&set.unwrap_or_default()))
            }
            Verb::SetQp {
                qpn,
                state: to,
                changes: set,
            } => driver.modify_qp(*qpn, state(*to), &changes(set)),
            Verb::QueryQp { qpn } => Ok(driver.query_qp(*qpn)),
            Verb::DestroyQp { qpn } => Ok(driver.destroy_qp(*qpn)),
            Verb::RegMr { region: r } => driver.reg_mr(&region(r)),
            Verb::DeregMr { l_key } => Ok(driver.dereg_mr(*l_key)),
            Verb::Invalidate { r_key } => Ok(driver.invalidate(*r_key)),
            Verb::CreateAh {
                handle: number,
                attributes,
            } => Ok(driver.create_ah(*number, &handle(attributes))),
            Verb::ModifyAh {
                handle: number,
                attributes,
            } => Ok(driver.modify_ah(*number, &handle(attributes))),
            Verb::QueryAh { handle } => Ok(driver.query_ah(*handle)),
            Verb::DestroyAh { handle } => Ok(driver.destroy_ah(*handle)),
            Verb::Attach { qpn, mgid, mlid } => Ok(driver.attach(*qpn, &group(mgid, *mlid))),
            Verb::Detach { qpn, mgid, mlid } => Ok(driver.detach(*qpn, &group(mgid, *mlid))),
            Verb::PostSend { qpn, request } => {
                let work = send_work(request);
                self.hca.post_send(*qpn, &work).map(|(call, _)| call)
            }
            Verb::PostReceive { qpn, request } => {
                let work = ReceiveWork {
                    wr_id: request.wr_id,
                    segments: segments(&request.sges),
                };
                self.hca.post_receive(*qpn, &work).map(|(call, _)| call)
            }
            Verb::PostDefective { qpn, request, defect } => {
                let (call, index) = self.hca.post_send(*qpn, &send_work(request))?;
                let entry = self.hca.driver().wqe_address(*qpn, false, index)?;
                let (offset, bytes) = spoiled(*defect);
                self.hca.memory_mut().write(entry + offset as u64, &bytes);
                Ok(call)
            }
            Verb::Ring { qpn, side, producer } | Verb::RingInReset { qpn, side, producer } => {
                Ok(driver.ring(*qpn, queue(*side), *producer))
            }
            verb => unreachable!("{verb}: a verb of a port has been carried out above"),
        };
        Ok((call?, Answer::by(verb, FIRST)))
    }

    /// Checks that the registers after reset have the values of this interface.
    fn check_start(&mut self) -> Result<(), Fault> {
        while let Some((name, ticket, expected)) = self.start.first().copied() {
            let Some(outcome) = self.hca.outcome(ticket) else {
                return Ok(());
            };
            self.start.remove(0);
            register_is(name, expected, &outcome)?;
        }
        Ok(())
    }
}

impl Device for VerilatedDevice {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_qps: 1 << self.profile.qp_bits,
            max_cqs: 1 << self.profile.cq_bits,
            region_bits: Some(self.profile.region_bits as u8),
            max_handles: 1 << self.profile.handle_bits,
            ports: self.profile.ports() as u8,
            data_vls: 1 << self.profile.vl_bits,
            receive_blocks: self.profile.receive_blocks as u16,
            port_rate: self.profile.port_rate() as u32,
            ..CAPABILITIES
        }
    }

    fn clock_hz(&self) -> u64 {
        self.profile.clock_hz
    }

    fn now(&self) -> u64 {
        self.hca.cycle()
    }

    fn step(&mut self) -> Result<(), Fault> {
        self.hca.clock().map_err(|e| Fault { rule: e.to_string() })?;
        if !self.start.is_empty() {
            self.check_start()?;
        }
        self.await_port();
        if self.command.is_some_and(|call| self.hca.outcome(call).is_some()) {
            self.command = None;
        }
        self.start_verbs();
        match &self.broken {
            Some(rule) => Err(Fault { rule: rule.clone() }),
            None => Ok(()),
        }
    }

    fn submit(&mut self, verb: Verb) -> Ticket {
        let ticket = Ticket(self.tickets);
        self.tickets += 1;
        self.queued.push_back((ticket, verb));
        self.start_verbs();
        ticket
    }

    fn outcome(&mut self, ticket: Ticket) -> Option<Result<Outcome, Refusal>> {
        let outcome = match self.waiting.get(&ticket)? {
            Waiting::Refused(refusal) => Err(refusal.clone()),
            Waiting::Driver(call, kind) => {
                let (call, kind) = (*call, *kind);
                match self.hca.outcome(call)? {
                    Ok(value) => Ok(self.answer(call, kind, value)),
                    Err(error) => Err(self.refused(&error)),
                }
            }
        };
        self.waiting.remove(&ticket);
        Some(outcome)
    }

    fn receive(&mut self, port: u8, packet: Vec<u8>) {
        if self.has_port(port) {
            self.counters.receive();
            self.hca.port(port).send_packet(packet);
        }
    }

    fn receive_bad(&mut self, port: u8, packet: Vec<u8>) {
        if self.has_port(port) {
            self.counters.receive();
            self.hca.port(port).send_bad(packet);
        }
    }

    fn receive_link(&mut self, port: u8, packet: Vec<u8>) {
        if self.has_port(port) {
            self.hca.port(port).send_link_packet(packet);
        }
    }

    fn hold_link(&mut self, port: u8, is_held: bool) {
        if self.has_port(port) {
            self.hca.port(port).hold_link(is_held);
        }
    }

    fn transmitted(&mut self) -> Option<Transmitted> {
        let out = |number: u8| Some((number, self.hca.port(number).packet_out()?));
        let (port, packet) = (1..=self.ports.len() as u8).find_map(out)?;
        if !packet.is_link {
            self.counters.send();
        }
        Some(Transmitted {
            port,
            first_beat: packet.first_beat,
            cycle: packet.last_beat,
            bytes: packet.bytes,
            is_link: packet.is_link,
        })
    }

    fn retired(&mut self) -> Result<Option<Retired>, Fault> {
        let Some(retired) = self.hca.retired() else {
            return Ok(None);
        };
        self.counters.decide(&retired.record);
        let event = event(&retired.record).map_err(|reason| Fault {
            rule: format!("retire port: {reason}"),
        })?;
        Ok(Some(Retired {
            cycle: retired.cycle,
            event,
        }))
    }

    fn poll(&mut self, cqn: u32) -> Result<Option<Completion>, Fault> {
        let polled = match self.hca.poll_cq(cqn) {
            Err(DriverError::CqFailed(_) | DriverError::UnknownCq(_)) => Ok(None),
            polled => polled.map_err(|e| e.to_string()),
        };
        let roce = self.profile.link == Link::Roce;
        let translated = polled.and_then(|polled| polled.map(|c| completion(&c, roce)).transpose());
        translated.map_err(|reason| Fault {
            rule: format!("CQ {cqn}: {reason}"),
        })
    }

    fn poll_event(&mut self) -> Result<Option<HostEvent>, Fault> {
        let polled = self.hca.poll_event().map_err(|e| Fault { rule: e.to_string() })?;
        self.events += u64::from(polled.is_some());
        Ok(polled.map(host_event))
    }

    fn read_memory(&self, addr: u64, bytes: &mut [u8]) {
        self.hca.memory().read(addr, bytes);
    }

    fn written_pages(&self) -> Vec<u64> {
        let rings = self.rings..self.rings + RINGS_SIZE;
        let pages = self.hca.memory().written_pages().into_iter();
        pages.filter(|addr| !rings.contains(addr)).collect()
    }

    fn write_memory(&mut self, addr: u64, bytes: &[u8]) {
        self.hca.memory_mut().write(addr, bytes);
    }

    fn fail_memory(&mut self, addr: u64, length: u64) {
        self.hca.fail_memory(addr, length);
    }

    fn hold_memory(&mut self, is_held: bool) {
        self.hca.hold_memory(is_held);
    }

    fn lose(&mut self, part: RingPart) {
        let of = |side| side == QueueSide::Receive;
        let bytes = |sges: u8| sges as usize * wqe::SEGMENT_BYTES;
        let lost = match part {
            RingPart::Wqe { qpn, side, index } => self.hca.fail_wqe(qpn, of(side), index),
            RingPart::Sges {
                qpn,
                side,
                index,
                first,
            } => self.hca.fail_area(qpn, of(side), index, bytes(first)),
            RingPart::Inline { qpn, index, offset } => self.hca.fail_area(qpn, false, index, offset.into()),
            RingPart::Cqe { cqn, index } => self.hca.fail_cqe(cqn, index),
        };
        // Objects that do not exist are not queried.
        let _ = lost;
    }

    fn quiet(&self) -> bool {
        self.queued.is_empty() && self.hca.quiet()
    }

    fn audit(&mut self, books: &Books) -> Result<(), Fault> {
        self.audited(books)
    }

    fn reset(&mut self) -> Result<(), Fault> {
        self.hca.reset().map_err(|error| Fault {
            rule: error.to_string(),
        })?;
        self.ports.clone_from(&self.first_ports);
        self.attributes.clear();
        self.queued.clear();
        self.command = None;
        self.waiting.clear();
        self.counters = Counters::over(self.ports[0].link, self.ports.len());
        self.events = 0;
        self.broken = None;
        self.begin();
        Ok(())
    }

    fn close(&mut self) -> Result<(), verilated::Error> {
        self.hca.finish_trace()
    }
}
