//! One Verilated HCA with its buses, host memory and driver.
use crate::axi::{self, AxiMemory, Timing};
use crate::axil::AxilMaster;
use crate::cable::CableEnd;
use crate::chance::{Chance, Pauses};
use crate::driver::{
    Completion, Driver, DriverError, Event, HcaId, ReceiveWork, Region, SendWork, Ticket, RINGS,
};
use crate::handshake::Violation;
use crate::memory::Memory;
use crate::pipes::Pipes;
use crate::port::SimPort;
use crate::retire::{OrderGap, RetirePort, Retired};
use crate::stream::{Packet, Sink, Source};
use crate::tape::{Start, Tape, CLOCK, RESET, SELECT};
use crate::verilated::{Direction, Error, Library, Model, Port};
use hca_host::profile::{Profile, SMALL};
use hca_host::wqe;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Number of clock cycles of reset before cycle 0.
const RESET_CYCLES: u64 = 16;

/// The configuration of a simulated HCA.
#[derive(Clone, Debug)]
pub struct SimConfig {
    /// Number of the HCA on the host, which event handlers receive.
    pub id: HcaId,
    /// Seed of all randomness: power-up contents, latencies and pauses.
    pub seed: u64,
    pub profile: Profile,
    /// Number of clock cycles that host memory takes to answer.
    pub memory_latency: RangeInclusive<u32>,
    /// Average number of clocks, of 256, in which a channel of host memory pauses.
    pub memory_pauses: u32,
    /// Average number of clocks, of 256, in which no beat comes in, even in the middle of a packet.
    pub stream_gaps: u32,
    /// Average number of clocks, of 256, in which the link takes no beat.
    pub stream_stalls: u32,
    /// Average number of clocks, of 256, in which the register bus pauses.
    pub register_pauses: u32,
    /// True if waiting doorbells of one queue are combined into one register write ([`Driver::combine_doorbells`]).
    pub combined_doorbells: bool,
    /// Address of the driver's rings in host memory.
    pub rings: u64,
    /// Number of entries of the event queue, if one is started.
    pub event_entries: u32,
    /// Number of clock cycles after which software frees the entries of the event queue that it has polled; 0 for at
    /// once.
    pub event_lag: u64,
    /// Number of the active variant, for a build that holds many: the value of the input `select` from before reset on.
    /// 0 is the original design, and the only value for a design without that input.
    pub select: u64,
    /// File for waves. It needs a library built with `trace`. One clock cycle is two steps of time.
    pub trace: Option<PathBuf>,
    /// First clock cycle of the waves.
    pub trace_from: u64,
    /// Recording of all values at the ports.
    pub tape: Option<Tape>,
    /// The cable in the first port. Without one, packets come and go whole.
    pub cable: Option<CableEnd>,
    /// Counts the clocks in which pipes move and stand still.
    pub pipes: Option<Pipes>,
}

impl Default for SimConfig {
    fn default() -> SimConfig {
        SimConfig {
            id: HcaId(0),
            seed: 1,
            profile: SMALL,
            memory_latency: 4..=40,
            memory_pauses: 32,
            stream_gaps: 0,
            stream_stalls: 0,
            register_pauses: 0,
            combined_doorbells: false,
            rings: RINGS,
            event_entries: 256,
            event_lag: 0,
            select: 0,
            trace: None,
            trace_from: 0,
            tape: None,
            cable: None,
            pipes: None,
        }
    }
}

/// Why the simulation cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    #[error(transparent)]
    Model(#[from] Error),
    #[error(transparent)]
    Violation(#[from] Violation),
    #[error(transparent)]
    OrderGap(#[from] OrderGap),
    #[error("no hardware has the profile {0:?}: take one of `hca_host::profile::ALL` as it is")]
    UnknownProfile(Profile),
}

/// Numbers of transfers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Number of clock cycles since reset.
    pub cycles: u64,
    /// Number of beats that came in from the link.
    pub s_axis_beats: u64,
    /// Number of beats that went out to the link.
    pub m_axis_beats: u64,
    /// Number of transfers on all channels of the memory bus.
    pub memory_transfers: u64,
    /// Number of decisions reported.
    pub retired: u64,
}

/// Clock cycles since reset of the last transfers at the ports, which are the ends of measured latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Clock cycle in which address and data of a register write were accepted.
    pub register_write: Option<u64>,
    /// Clock cycle in which the last beat of a packet came in.
    pub packet_in: Option<u64>,
    /// Address of a write burst, and the clock cycle in which its last beat came.
    pub memory_write: Option<(u64, u64)>,
}

/// A running HCA.
pub struct SimHca {
    model: Model,
    library: Library,
    config: SimConfig,
    clock: Port,
    reset: Port,
    irq: Port,
    around: Surroundings,
    memory: Memory,
    /// Clock cycle from which on entries of the event queue may be freed.
    entries_due: u64,
    cycle: u64,
    /// Number of clock cycles from power-up to cycle 0, for the time axis of waves.
    elapsed: u64,
}

/// The bus models at the ports.
struct Surroundings {
    /// By number, the first at place 0.
    ports: Vec<SimPort>,
    axi: AxiMemory,
    axil: AxilMaster,
    retire: RetirePort,
    driver: Driver,
}

impl Surroundings {
    /// Makes the bus models, before anything has happened.
    fn new(library: &Library, config: &SimConfig) -> Result<Surroundings, Error> {
        let seed = config.seed;
        let pauses = |channel, per_256| Pauses::new(Chance::new(seed, channel), per_256);
        let stream = config.profile.stream_bits as u32;
        let timing = Timing {
            latency: config.memory_latency.clone(),
            pauses_per_256: config.memory_pauses,
        };
        let bus = config.profile.memory_bits as u32;
        let mut driver = Driver::new(config.id, config.profile, config.rings);
        if config.combined_doorbells {
            driver.combine_doorbells();
        }
        // The channels of chance of port 1 are 16 and 17.
        let port = |number: usize| {
            let channel = 16 + 8 * (number as u64 - 1);
            let pin = |name| SimPort::prefix(number) + name;
            let gaps = pauses(channel, config.stream_gaps);
            let stalls = pauses(channel + 1, config.stream_stalls);
            let cable = config.cable.clone().filter(|_| number == 1);
            let pipes = config.pipes.as_ref();
            SimPort::new(
                library,
                number,
                Source::of_link(library, &pin("s_axis"), stream, gaps)?
                    .from_cable(cable.clone())
                    .counting(pipes),
                Sink::new(library, &pin("m_axis"), stream, stalls)?
                    .to_cable(cable)
                    .counting(pipes),
            )
        };
        Ok(Surroundings {
            ports: (1..=config.profile.ports()).map(port).collect::<Result<_, _>>()?,
            axi: AxiMemory::new(library, "m_axi", bus, seed, &timing)?.counting(config.pipes.as_ref()),
            axil: AxilMaster::new(library, "s_axil", pauses(18, config.register_pauses))?,
            retire: RetirePort::new(library)?,
            driver,
        })
    }
}

impl SimHca {
    /// Makes an instance of the library's design, out of reset.
    pub fn new(library: &Library, config: &SimConfig) -> Result<SimHca, SimError> {
        if !config.profile.is_known() {
            return Err(SimError::UnknownProfile(config.profile));
        }
        let input = |name| library.expect(name, Direction::In, 1);
        let select = match library.port(SELECT) {
            Ok(port) => Some(port),
            Err(_) if config.select == 0 => None,
            Err(error) => return Err(error.into()),
        };
        let mut hca = SimHca {
            clock: input(CLOCK)?,
            reset: input(RESET)?,
            irq: library.expect("irq", Direction::Out, 1)?,
            around: Surroundings::new(library, config)?,
            memory: Memory::new(),
            model: Model::new(library, config.seed)?,
            library: library.clone(),
            config: config.clone(),
            entries_due: 0,
            cycle: 0,
            elapsed: 0,
        };
        if let Some(path) = &config.trace {
            hca.model.trace_to(path)?;
        }
        if let Some(tape) = &config.tape {
            let start = Start {
                seed: config.seed,
                select: config.select,
                reset_cycles: RESET_CYCLES,
            };
            tape.begin(library, start)?;
        }
        if let Some(select) = select {
            hca.model.set(select, config.select);
        }
        hca.go_through_reset()?;
        Ok(hca)
    }

    /// Resets the hardware in any state, and all models at its ports. Host memory is empty, nothing is under way, the
    /// cable is in the port, and clock cycles are counted from 0 again.
    pub fn reset(&mut self) -> Result<(), SimError> {
        self.around = Surroundings::new(&self.library, &self.config)?;
        self.memory = Memory::new();
        self.begin_cycles();
        let inputs = self
            .library
            .ports()
            .iter()
            .filter(|info| info.direction == Direction::In);
        for info in inputs.filter(|info| info.name != SELECT) {
            let port = self.library.port(&info.name)?;
            let zeros = vec![0; self.model.bytes(port).len()];
            self.model.set_bytes(port, &zeros);
        }
        self.go_through_reset()
    }

    /// Counts clock cycles from 0 again. Nothing may be under way.
    pub(crate) fn begin_cycles(&mut self) {
        self.elapsed += self.cycle;
        self.entries_due = 0;
        self.cycle = 0;
    }

    fn go_through_reset(&mut self) -> Result<(), SimError> {
        self.model.set(self.reset, true);
        for cycle in 0..RESET_CYCLES {
            self.level(false, cycle)?;
            self.level(true, cycle)?;
        }
        self.elapsed += RESET_CYCLES;
        self.model.set(self.reset, false);
        Ok(())
    }

    fn level(&mut self, clock: bool, cycle: u64) -> Result<(), Error> {
        let cycle = self.elapsed + cycle;
        self.model.set(self.clock, clock);
        self.model.eval()?;
        if cycle >= self.config.trace_from {
            self.model.trace_dump(2 * cycle + u64::from(clock));
        }
        Ok(())
    }

    /// Runs one clock cycle: inputs settle while the clock is low, all models see the transfers, then the clock rises.
    pub fn clock(&mut self) -> Result<(), SimError> {
        let cycle = self.cycle;
        self.around.driver.step(&mut self.around.axil, &self.memory);
        for port in &mut self.around.ports {
            port.drive(&mut self.model, cycle);
        }
        self.around.axi.drive(&mut self.model, &mut self.memory, cycle);
        self.around.axil.drive(&mut self.model);
        self.level(false, cycle)?;
        if let Some(tape) = &self.config.tape {
            tape.record(&self.model);
        }
        for port in &mut self.around.ports {
            port.sample(&self.model, cycle)?;
        }
        self.around.axi.sample(&self.model, cycle)?;
        self.around.axil.sample(&self.model, cycle)?;
        self.around.retire.sample(&self.model, cycle)?;
        self.level(true, cycle)?;
        self.cycle += 1;
        Ok(())
    }

    /// Returns the profile of the hardware.
    pub fn profile(&self) -> &Profile {
        &self.config.profile
    }

    /// Returns the number of clock cycles for which software leaves polled entries of the event queue.
    pub fn event_lag(&self) -> u64 {
        self.config.event_lag
    }

    /// Returns the number of clock cycles since reset, which is the number of the next cycle.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Returns a port, by its number from 1 on. The other calls about a port mean the first.
    ///
    /// # Panics
    /// The adapter has no such port.
    pub fn port(&mut self, number: u8) -> &mut SimPort {
        let at = usize::from(number).checked_sub(1);
        let ports = &mut self.around.ports;
        at.and_then(|at| ports.get_mut(at))
            .expect("the adapter has this port")
    }

    fn first(&mut self) -> &mut SimPort {
        &mut self.around.ports[0]
    }

    /// Queues a packet (LRH to VCRC) at the link's input. Packets arrive in this order.
    pub fn send_packet(&mut self, packet: Vec<u8>) {
        self.first().send_packet(packet);
    }

    /// Queues a packet that ends as bad (EBP) at the link's input, in the order of
    /// [`send_packet`](SimHca::send_packet).
    pub fn send_bad(&mut self, packet: Vec<u8>) {
        self.first().send_bad(packet);
    }

    /// Queues a link packet at the link's input, in the order of [`send_packet`](SimHca::send_packet). A correct link
    /// packet has six bytes (`protocol/link.md` section 4).
    pub fn send_link_packet(&mut self, packet: Vec<u8>) {
        self.first().send_link_packet(packet);
    }

    /// Makes the link take nothing from the adapter while `is_held`, beyond the pauses of the configuration.
    pub fn hold_link(&mut self, is_held: bool) {
        self.first().hold_link(is_held);
    }

    /// Returns true if the adapter lets the physical link of a port come up.
    ///
    /// # Panics
    /// The adapter has no such port.
    pub fn link_enable(&self, port: u8) -> bool {
        self.around.ports[usize::from(port) - 1].lets_link_up(&self.model)
    }

    /// Takes the next packet that left the hardware, in the order of the stream. Link packets are included.
    pub fn packet_out(&mut self) -> Option<Packet> {
        self.first().packet_out()
    }

    /// Takes the next reported decision.
    pub fn retired(&mut self) -> Option<Retired> {
        self.around.retire.pop()
    }

    /// Returns true if the interrupt line is high.
    pub fn irq(&self) -> bool {
        self.model.is_set(self.irq)
    }

    /// Returns host memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Returns host memory, to write to it as software does.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// See [`AxiMemory::fail`].
    pub fn fail_memory(&mut self, addr: u64, length: u64) {
        self.around.axi.fail(addr, length);
    }

    /// Makes host memory take and answer nothing while `is_held`, beyond the pauses of the configuration.
    pub fn hold_memory(&mut self, is_held: bool) {
        self.around.axi.hold(is_held);
    }

    /// Makes the hardware's reads of WQE `index` (modulo 2^16) of the receive or of the send queue fail from now on.
    pub fn fail_wqe(&mut self, qpn: u32, receive: bool, index: u16) -> Result<(), DriverError> {
        let addr = self.around.driver.wqe_address(qpn, receive, index)?;
        self.around.axi.fail(addr, wqe::BYTES as u64);
        Ok(())
    }

    /// Makes the hardware's reads of 64 bytes of that WQE's area fail from now on. The area holds its list of SGEs or
    /// its copy of inline data; the bytes begin at `offset`, a multiple of 64.
    pub fn fail_area(
        &mut self,
        qpn: u32,
        receive: bool,
        index: u16,
        offset: usize,
    ) -> Result<(), DriverError> {
        let addr = self.around.driver.area_address(qpn, receive, index)?;
        self.around.axi.fail(addr + offset as u64, axi::LINE);
        Ok(())
    }

    /// Makes the hardware's writes of CQE `index`, modulo the queue's entries, and of the CQE in the same 64 bytes fail
    /// from now on.
    pub fn fail_cqe(&mut self, cqn: u32, index: u32) -> Result<(), DriverError> {
        let addr = self.around.driver.cqe_address(cqn, index)?;
        self.around.axi.fail(addr & !(axi::LINE - 1), axi::LINE);
        Ok(())
    }

    /// Returns the number of bursts that host memory answered with an error so far.
    pub fn memory_errors(&self) -> u64 {
        self.around.axi.errors()
    }

    /// Returns the driver, for calls that touch no memory.
    pub fn driver(&mut self) -> &mut Driver {
        &mut self.around.driver
    }

    /// See [`Driver::create_cq`].
    pub fn create_cq(&mut self, cqn: u32, entries: u32) -> Result<Ticket, DriverError> {
        self.around.driver.create_cq(&mut self.memory, cqn, entries)
    }

    /// See [`Driver::resize_cq`].
    pub fn resize_cq(&mut self, cqn: u32, entries: u32) -> Result<Ticket, DriverError> {
        self.around.driver.resize_cq(&mut self.memory, cqn, entries)
    }

    /// See [`Driver::start_events`].
    pub fn start_events(&mut self, entries: u32) -> Result<Ticket, DriverError> {
        self.around.driver.start_events(&mut self.memory, entries)
    }

    /// See [`Driver::poll_event`].
    pub fn poll_event(&mut self) -> Result<Option<Event>, DriverError> {
        let due = self.cycle >= self.entries_due;
        if due {
            self.entries_due = self.cycle + self.config.event_lag;
        }
        self.around.driver.keep_entries(!due);
        self.around.driver.poll_event(&self.memory)
    }

    /// See [`Driver::reg_mr`].
    pub fn reg_mr(&mut self, region: &Region) -> Result<Ticket, DriverError> {
        self.around.driver.reg_mr(region)
    }

    /// See [`Driver::post_send`].
    pub fn post_send(&mut self, qpn: u32, work: &SendWork) -> Result<(Ticket, u16), DriverError> {
        self.around.driver.post_send(&mut self.memory, qpn, work)
    }

    /// See [`Driver::post_receive`].
    pub fn post_receive(&mut self, qpn: u32, work: &ReceiveWork) -> Result<(Ticket, u16), DriverError> {
        self.around.driver.post_receive(&mut self.memory, qpn, work)
    }

    /// See [`Driver::poll_cq`].
    pub fn poll_cq(&mut self, cqn: u32) -> Result<Option<Completion>, DriverError> {
        self.around.driver.poll_cq(&self.memory, cqn)
    }

    /// See [`Driver::outcome`].
    pub fn outcome(&self, ticket: Ticket) -> Option<Result<u32, DriverError>> {
        self.around.driver.outcome(ticket)
    }

    /// Returns true if no bus has anything under way. Any remaining work is inside the hardware.
    pub fn quiet(&self) -> bool {
        let streams = self.around.ports.iter().all(SimPort::is_idle);
        streams && self.around.axi.is_idle() && self.around.axil.is_idle() && self.around.driver.is_idle()
    }

    /// See [`Model::blocks_run`].
    pub fn blocks_run(&self) -> u64 {
        self.model.blocks_run()
    }

    /// Returns the numbers of transfers so far. They change while a device makes progress.
    pub fn counters(&self) -> Counters {
        Counters {
            cycles: self.cycle,
            s_axis_beats: self.around.ports.iter().map(|port| port.source.beats()).sum(),
            m_axis_beats: self.around.ports.iter().map(|port| port.sink.beats()).sum(),
            memory_transfers: self.around.axi.transfers(),
            retired: self.around.retire.count().into(),
        }
    }

    /// Returns the clock cycles of the last transfers at the ports.
    pub fn marks(&self) -> Marks {
        Marks {
            register_write: self.around.axil.last_write(),
            packet_in: self
                .around
                .ports
                .iter()
                .filter_map(|port| port.source.last_packet())
                .max(),
            memory_write: self.around.axi.last_write(),
        }
    }

    /// Closes the waves, if there are any, and gives them their final name.
    pub fn finish_trace(&mut self) -> Result<(), Error> {
        self.model.finish_trace()
    }
}
