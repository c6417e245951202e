//! `hca bench link`: measures how full a native link is with packets on several VLs, and how soon an SMP leaves beside
//! them.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::{config, Hardware};
use super::Verdict;
use crate::fabric::Stop;
use crate::performance::lanes::{measure, Fullness, GAP};
use crate::performance::rate::{Load, Operation};
use crate::station::{Alone, Station};
use crate::Side;
use clap::Args;
use hca_golden::verbs::{Pmtu, Service};
use hca_host::designs::Designs;
use hca_host::profile::{self, Profile};
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
    /// Seed of the memory's power-up contents
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
    console.line(&format!(
        "profile {}, Sends of UC on {QPS} queue pairs, PMTU 4096; {} messages a QP; an SMP every {GAP} cycles",
        profile.name, arguments.messages
    ))?;
    console.line("                              |  cycles from an SMP's verb to its last beat")?;
    console.line(" VLs  bytes   from  busy cycles |        mean       most")?;
    let lanes = (0..=profile.vl_bits).map(|bits| Some(1 << bits));
    for vls in std::iter::once(None).chain(lanes) {
        for bytes in SIZES {
            for both in [false, true] {
                let load = Load {
                    service: Service::Uc,
                    operation: Operation::Send,
                    bytes,
                    sges: 1,
                    pmtu: Pmtu::B4096,
                    qps: QPS,
                    messages: arguments.messages,
                    offset: 0,
                    both,
                    by_completions: false,
                    ack_delay: 1,
                    vls,
                };
                let fullness = arguments.fullness(profile, &hardware, &load)?;
                console.line(&row(&load, &fullness))?;
            }
        }
    }
    Ok(Verdict::Held)
}

impl Arguments {
    fn fullness(&self, profile: &Profile, hardware: &Hardware, load: &Load) -> Result<Fullness, CallError> {
        let station = |side| -> Result<Box<dyn Station>, CallError> {
            let config = SimConfig {
                memory_latency: 1..=1,
                memory_pauses: 0,
                combined_doorbells: true,
                ..config(profile, self.seed, side)
            };
            Ok(Box::new(Alone::new(
                side,
                Box::new(hardware.device(side, &config)?),
            )))
        };
        let stations = [station(Side::X)?, station(Side::Y)?];
        measure(load, stations, profile.stream_bits).map_err(|stop| match stop {
            Stop::Output(error) => error.into(),
            Stop::Failed(failure) => CallError::Measured(format!("{:?}", failure.kind)),
        })
    }
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
