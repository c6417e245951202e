//! `hca bench`: how many cycles the hardware takes, and how many seconds the simulation.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::{config, Hardware};
use super::Verdict;
use super::{
    bench_check, bench_cq, bench_credits, bench_decisions, bench_fuzz, bench_link, bench_rc,
    bench_simulation, bench_wire,
};
use crate::device::port_of;
use crate::fabric::{Fabric, Observer, Reaped, Stop};
use crate::report::{self, Context};
use crate::scenario::send::message;
use crate::scenario::Scenario;
use crate::scoreboard::Checked;
use crate::station::{Alone, Station};
use crate::trace::output::OutputError;
use crate::trace::PacketRecord;
use crate::Side;
use clap::{Args, Subcommand};
use hca_golden::verbs::{Pmtu, Service};
use hca_host::designs::Designs;
use hca_host::profile::{self, Profile};
use hca_sim::hca::SimConfig;
use hca_sim::verilated::Model;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Options of `hca bench`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    part: Option<Part>,
    /// Configuration of the hardware
    #[arg(long, default_value = profile::SMALL.name)]
    profile: String,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    dut: Option<PathBuf>,
    /// Messages of each size
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    messages: u32,
    /// Clock cycles of the bare model, which only has its clock toggled
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// Seed of payload and memory
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A part that is measured by itself.
#[derive(Debug, Subcommand)]
enum Part {
    /// Beats a clock and latency of parser and builder, for a sweep of lengths at every width and framing
    Wire,
    /// Cycles a packet, share of beats and latencies of the reliable connection, by operation, size and direction
    Rc(bench_rc::Arguments),
    /// The same for the unreliable connection; its messages are counted where they are received
    Uc(bench_rc::Arguments),
    /// The same for datagrams
    Ud(bench_rc::Arguments),
    /// Cycles a completion, of empty Sends both ways
    Cq(bench_cq::Arguments),
    /// Cases a minute of the decision blocks beside the model, and the outcomes that they meet
    Decisions(bench_decisions::Arguments),
    /// RNR NAKs and packets sent again with and without end-to-end credits, where receive WQEs come late
    Credits(bench_credits::Arguments),
    /// How full a native link is with packets on several VLs, and how soon an SMP leaves beside them
    Link(bench_link::Arguments),
    /// How soon random cases find each of the bugs planted in the Verilog
    Fuzz(bench_fuzz::Arguments),
    /// Packets a second and memory of `hca decode` and `hca check` on captures made by a seed, beside tshark
    Check(bench_check::Arguments),
    /// Packets a second of `hca fuzz`, and of the bare Verilated model given the same
    Simulation(bench_simulation::Arguments),
}

/// Message sizes in bytes, each one packet at PMTU 4096.
const SIZES: [u32; 3] = [64, 1024, 4096];
/// Number of clock cycles that host memory takes to answer. It does not pause, because the hardware is measured.
const LATENCY: u32 = 20;
const PATIENCE: u64 = 20_000;

/// The packets of X, measured as they leave.
#[derive(Default)]
struct Meter {
    /// Clock cycles of the last beats of the first and of the last request.
    window: Option<(u64, u64)>,
    requests: u64,
    /// Lengths of the requests after the first, whose end opens the window.
    bytes: Vec<usize>,
    packets: u64,
}

impl Observer for Meter {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        self.packets += 1;
        if packet.from == Side::X {
            self.requests += 1;
            match &mut self.window {
                None => self.window = Some((packet.cycle, packet.cycle)),
                Some((_, last)) => {
                    *last = packet.cycle;
                    self.bytes.push(packet.bytes.len());
                }
            }
        }
        Ok(())
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}

/// The run of one workload.
struct Run {
    meter: Meter,
    cycles: u64,
    took: Duration,
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    match &arguments.part {
        Some(Part::Wire) => return bench_wire::run(designs),
        Some(Part::Rc(arguments)) => return bench_rc::run(designs, arguments, Service::Rc),
        Some(Part::Uc(arguments)) => return bench_rc::run(designs, arguments, Service::Uc),
        Some(Part::Ud(arguments)) => return bench_rc::run(designs, arguments, Service::Ud),
        Some(Part::Cq(arguments)) => return bench_cq::run(designs, arguments),
        Some(Part::Decisions(arguments)) => return bench_decisions::run(designs, arguments),
        Some(Part::Credits(arguments)) => return bench_credits::run(designs, arguments),
        Some(Part::Link(arguments)) => return bench_link::run(designs, arguments),
        Some(Part::Fuzz(arguments)) => return bench_fuzz::run(designs, arguments),
        Some(Part::Check(arguments)) => return bench_check::run(arguments),
        Some(Part::Simulation(arguments)) => return bench_simulation::run(designs, arguments),
        None => {}
    }
    let profile = profile_named(&arguments.profile)?;
    let hardware = Hardware::build(designs, profile, arguments.dut.as_deref(), false)?;
    let mut console = Console::new();
    console.line(&format!(
        "profile {}, {} Sends of each size from X to Y, PMTU 4096, host memory answers after {LATENCY} cycles",
        profile.name, arguments.messages
    ))?;
    console.line("                          hardware  |           compared  |  without comparison")?;
    console.line("  bytes  cycles/packet  busy cycles |  packets/s  cycles/s |  packets/s  cycles/s")?;
    for size in SIZES {
        let compared = match arguments.workload(profile, &hardware, size, true)? {
            Ok(run) => run,
            Err(report) => {
                console.line(&report)?;
                return Ok(Verdict::Differed);
            }
        };
        let alone = match arguments.workload(profile, &hardware, size, false)? {
            Ok(run) => run,
            Err(report) => {
                console.line(&report)?;
                return Ok(Verdict::Differed);
            }
        };
        console.line(&row(profile, size, &compared, &alone))?;
    }
    console.line(&arguments.bare(&hardware)?)?;
    Ok(Verdict::Held)
}

impl Arguments {
    /// Runs the Sends of one size. Returns a report if a check failed.
    fn workload(
        &self,
        profile: &Profile,
        hardware: &Hardware,
        size: u32,
        compare: bool,
    ) -> Result<Result<Run, String>, CallError> {
        let station = |side| -> Result<Box<dyn Station>, CallError> {
            let config = SimConfig {
                memory_latency: LATENCY..=LATENCY,
                memory_pauses: 0,
                ..config(profile, self.seed, side)
            };
            let device = Box::new(hardware.device(side, &config)?);
            Ok(match compare {
                true => Box::new(Checked::new(side, device, port_of(side), PATIENCE)),
                false => Box::new(Alone::new(side, device)),
            })
        };
        let (x, y) = (station(Side::X)?, station(Side::Y)?);
        let scenario = Scenario::Send {
            payload: message(self.seed, (size * self.messages) as usize),
            message_size: size,
            pmtu: Pmtu::B4096,
        };
        let mut meter = Meter::default();
        let mut fabric = Fabric::new(x, y, PATIENCE, &mut meter);
        let start = Instant::now();
        let stop = scenario.run(&mut fabric, self.seed).err();
        let took = start.elapsed();
        let cycles = fabric.cycle();
        drop(fabric);
        match stop {
            None => Ok(Ok(Run { meter, cycles, took })),
            Some(Stop::Output(error)) => Err(error.into()),
            Some(Stop::Failed(failure)) => {
                let context = Context {
                    scenario: "bench",
                    seed: self.seed,
                    replay: "hca bench",
                };
                Ok(Err(report::render(&failure, &context)))
            }
        }
    }

    /// Measures the speed of the model alone: two evaluations a cycle, no bus, no driver.
    fn bare(&self, hardware: &Hardware) -> Result<String, CallError> {
        let library = hardware.library();
        let mut model = Model::new(library, self.seed).map_err(CallError::Build)?;
        let clock = library.port("clock").map_err(CallError::Build)?;
        let start = Instant::now();
        for _ in 0..self.cycles {
            for level in [false, true] {
                model.set(clock, level);
                model.eval().map_err(CallError::Build)?;
            }
        }
        let rate = per_second(self.cycles, start.elapsed());
        Ok(format!(
            "  one bare model, clock only: {rate:.0} cycles/s; the runs above hold two"
        ))
    }
}

fn row(profile: &Profile, size: u32, compared: &Run, alone: &Run) -> String {
    let (first, last) = compared.meter.window.unwrap_or((0, 0));
    let window = (last - first).max(1) as f64;
    let beat = profile.stream_bits / 8;
    let beats: usize = compared.meter.bytes.iter().map(|b| b.div_ceil(beat)).sum();
    let rates = |run: &Run| {
        format!(
            "{:>10.0} {:>9.0}",
            per_second(run.meter.packets, run.took),
            per_second(run.cycles, run.took)
        )
    };
    format!(
        "{size:>7} {:>14.1} {:>11.1}% | {} | {}",
        window / (compared.meter.requests.max(2) - 1) as f64,
        100.0 * beats as f64 / window,
        rates(compared),
        rates(alone)
    )
}

fn per_second(count: u64, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64().max(1e-9)
}
