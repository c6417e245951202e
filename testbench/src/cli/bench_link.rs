//! `hca bench link`: measures how full a native link is with packets on several VLs, how soon an SMP leaves beside
//! them, and the share of each VL.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::{config, Hardware};
use super::Verdict;
use crate::fabric::Stop;
use crate::performance::lanes::{measure, Fullness, GAP};
use crate::performance::rate::{Load, Operation};
use crate::performance::shares;
use crate::performance::soak::{soak, Soak, Soaked};
use crate::station::{Alone, Station};
use crate::Side;
use clap::Args;
use hca_golden::port::Link;
use hca_golden::verbs::{Pmtu, Service};
use hca_host::designs::Designs;
use hca_host::profile::{self, Profile};
use hca_sim::cable::CableEnd;
use hca_sim::hca::SimConfig;
use std::path::PathBuf;

/// Options of `hca bench link`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration of the hardware
    #[arg(long, default_value = profile::SMALL.name)]
    profile: String,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    dut: Option<PathBuf>,
    /// Messages of each queue pair
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    messages: u32,
    /// Clock cycles that a beat takes from one adapter to the other
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    cable: u64,
    /// Measure the share of each VL under several arbitration tables, while packets wait on all of them
    #[arg(long, conflicts_with = "packets")]
    shares: bool,
    /// Soak the link in place of measuring it: so many Sends of random lengths on all VLs, both ways. None may be lost,
    /// and all credits must come back
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    packets: Option<u64>,
    /// With `--packets`: let the link, memory and each VL stall at random
    #[arg(long, requires = "packets")]
    stalls: bool,
    /// Seed of the memory's power-up contents, and of what is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Lengths of a message in bytes. A message is one packet.
const SIZES: [u32; 4] = [64, 256, 1024, 4096];
/// Number of queue pairs of a side. Each VL has the same number of them.
const QPS: u32 = 8;

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let profile = profile_named(&arguments.profile)?;
    let hardware = Hardware::build(designs, profile, arguments.dut.as_deref(), false)?;
    let mut console = Console::new();
    if let Some(packets) = arguments.packets {
        return arguments.soak(profile, &hardware, packets, &mut console);
    }
    if arguments.shares {
        return arguments.shares(profile, &hardware, &mut console);
    }
    console.line(&format!(
        "profile {}, Sends of UC on {QPS} queue pairs, PMTU 4096; {} messages a QP; an SMP every {GAP} cycles; \
         {} cycles of cable",
        profile.name, arguments.messages, arguments.cable
    ))?;
    console.line("                              |  cycles from an SMP's verb to its last beat")?;
    console.line(" VLs  bytes   from  busy cycles |        mean       most")?;
    let lanes = (0..=profile.vl_bits).map(|bits| Some(1 << bits));
    for vls in std::iter::once(None).chain(lanes) {
        for bytes in SIZES {
            for both in [false, true] {
                let load = Load {
                    link: Link::InfiniBand,
                    both,
                    ..arguments.load(bytes, vls)
                };
                let fullness = arguments.fullness(profile, &hardware, &load)?;
                console.line(&row(&load, &fullness))?;
            }
        }
    }
    Ok(Verdict::Held)
}

impl Arguments {
    /// Returns Sends of UC from X, each of one packet.
    fn load(&self, bytes: u32, vls: Option<u8>) -> Load {
        Load {
            link: Link::InfiniBand,
            service: Service::Uc,
            operation: Operation::Send,
            bytes,
            sges: 1,
            pmtu: Pmtu::B4096,
            qps: QPS,
            messages: self.messages,
            offset: 0,
            both: false,
            by_completions: false,
            ack_delay: 1,
            vls,
        }
    }

    fn shares(
        &self,
        profile: &Profile,
        hardware: &Hardware,
        console: &mut Console,
    ) -> Result<Verdict, CallError> {
        let vls = 1 << profile.vl_bits;
        console.line(&format!(
            "profile {}, Sends of UC of {} bytes on {QPS} queue pairs and {vls} VLs; {} messages a QP; {} cycles of \
             cable",
            profile.name,
            shares::BYTES,
            self.messages,
            self.cable
        ))?;
        console.line("tables           VL  by the tables   measured")?;
        for turns in shares::turns(vls) {
            let stations = self.stations(profile, hardware, shares::STALLS)?;
            let load = self.load(shares::BYTES, Some(vls));
            let bytes = shares::measure(&load, vls, turns.arbitration, stations).map_err(failed)?;
            let part = |of: &[u64], vl: usize| 100.0 * of[vl] as f64 / of.iter().sum::<u64>().max(1) as f64;
            for vl in 0..bytes.len() {
                let (due, measured) = (part(&turns.packets, vl), part(&bytes, vl));
                console.line(&format!(
                    "{:<15} {vl:>3} {due:>13.1}% {measured:>9.1}%",
                    turns.name
                ))?;
            }
        }
        Ok(Verdict::Held)
    }

    /// Returns the two adapters, with a cable between them. In `stalls` of 256 clock cycles the link takes no beat,
    /// on average, if there are no `--stalls`.
    fn stations(
        &self,
        profile: &Profile,
        hardware: &Hardware,
        stalls: u32,
    ) -> Result<[Box<dyn Station>; 2], CallError> {
        let ends = CableEnd::pair(self.cable);
        let station = |side: Side| -> Result<Box<dyn Station>, CallError> {
            // What Y stores is slower than the link.
            let (memory_latency, memory_pauses, stalls) = match (self.stalls, side) {
                (false, _) => (1..=1, 0, stalls),
                (true, Side::X) => (1..=40, 64, 16),
                (true, Side::Y) => (1..=200, 208, 16),
            };
            let config = SimConfig {
                memory_latency,
                memory_pauses,
                stream_stalls: stalls,
                stream_gaps: stalls,
                combined_doorbells: true,
                cable: Some(ends[side as usize].clone()),
                ..config(profile, self.seed, side)
            };
            Ok(Box::new(Alone::new(
                side,
                Box::new(hardware.device(side, &config)?),
            )))
        };
        Ok([station(Side::X)?, station(Side::Y)?])
    }

    fn fullness(&self, profile: &Profile, hardware: &Hardware, load: &Load) -> Result<Fullness, CallError> {
        let stations = self.stations(profile, hardware, 0)?;
        measure(load, stations, profile.stream_bits).map_err(failed)
    }

    fn soak(
        &self,
        profile: &Profile,
        hardware: &Hardware,
        packets: u64,
        console: &mut Console,
    ) -> Result<Verdict, CallError> {
        let plan = Soak {
            messages: packets,
            vls: 1 << profile.vl_bits,
            silences: self.stalls,
            seed: self.seed,
        };
        let stalls = if self.stalls {
            "with stalls"
        } else {
            "without stalls"
        };
        console.line(&format!(
            "profile {}, {packets} Sends of UC of 1 to 4096 bytes on {} VLs, both ways, {stalls}; {} cycles of cable",
            profile.name, plan.vls, self.cable
        ))?;
        let stations = self.stations(profile, hardware, 0)?;
        let soaked = soak(&plan, stations, profile.stream_bits).map_err(failed)?;
        for line in lines(&soaked) {
            console.line(&line)?;
        }
        let faults = soaked.faults();
        for fault in &faults {
            console.line(fault)?;
        }
        Ok(match faults.is_empty() {
            true => Verdict::Held,
            false => Verdict::Differed,
        })
    }
}

fn failed(stop: Stop) -> CallError {
    match stop {
        Stop::Output(error) => error.into(),
        Stop::Failed(failure) => CallError::Measured(format!("{:?}", failure.kind)),
    }
}

/// Formats the results of a soak: a line for each VL of each direction.
fn lines(soaked: &Soaked) -> Vec<String> {
    let mut lines =
        vec!["from  VL    packets     limits  of them below 66    least  credits at the end".to_owned()];
    for side in Side::BOTH {
        for (vl, lane) in soaked.lanes[side as usize].iter().enumerate() {
            lines.push(format!(
                "   {side:?} {vl:>3} {:>10} {:>10} {:>17} {:>8} {:>10} of {}",
                lane.packets, lane.limits, lane.short, lane.least, lane.left, lane.buffer
            ));
        }
    }
    let zero = |side: Side| {
        let counts = soaked.counters[side as usize].iter().take(3);
        counts
            .map(|(counter, count)| format!("{counter:?} {count}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    lines.push(format!(
        "{} cycles; X: {}; Y: {}",
        soaked.cycles,
        zero(Side::X),
        zero(Side::Y)
    ));
    lines
}

/// Formats a line of the table. A `-` in place of the number of VLs means no flow control.
fn row(load: &Load, fullness: &Fullness) -> String {
    let vls = load.vls.map_or("-".to_owned(), |vls| vls.to_string());
    let from = if load.both { "both" } else { "X" };
    let smp = fullness
        .smp
        .map_or(String::new(), |(mean, most)| format!("{mean:>11.0} {most:>10}"));
    format!(
        "{vls:>4} {:>6} {from:>6} {:>11.1}% | {smp}",
        load.bytes,
        100.0 * fullness.share
    )
}
