//! `hca bench cq`: how often a completion is written.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::{config, Hardware};
use super::Verdict;
use crate::device::Device;
use crate::fabric::Stop;
use crate::performance::rate::{measure, Load, Operation};
use crate::station::{Alone, Station};
use crate::Side;
use clap::Args;
use hca_golden::port::Link;
use hca_golden::verbs::{Pmtu, Service};
use hca_host::designs::Designs;
use hca_host::profile;
use hca_sim::hca::SimConfig;
use std::path::PathBuf;

/// Options of `hca bench cq`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration of the hardware
    #[arg(long, default_value = profile::SMALL.name)]
    profile: String,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    dut: Option<PathBuf>,
    /// Messages of each QP
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    messages: u32,
    /// Clock cycles of host memory's answer; it does not pause
    #[arg(long, value_name = "CYCLES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    memory_latency: u32,
    /// Seed of the memory's power-up contents
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Queue pairs that share the CQs.
const QPS: [u32; 3] = [1, 4, 8];
/// Number of CQEs of a message: a signaled Send completes at its requester, and at its responder.
const CQES_A_MESSAGE: f64 = 2.0;

/// Runs the command: empty signaled Sends both ways between two devices, so that each device writes as many CQEs of
/// either queue.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let profile = profile_named(&arguments.profile)?;
    let hardware = Hardware::build(designs, profile, arguments.dut.as_deref(), false)?;
    let mut console = Console::new();
    console.line(&format!(
        "profile {}, empty signaled Sends both ways, host memory answers after {} cycles; {} messages a QP",
        profile.name, arguments.memory_latency, arguments.messages
    ))?;
    console.line(" QPs  cycles/message  cycles/CQE")?;
    for qps in QPS {
        let load = Load {
            link: Link::InfiniBand,
            service: Service::Rc,
            operation: Operation::Send,
            bytes: 0,
            sges: 1,
            pmtu: Pmtu::B4096,
            qps,
            messages: arguments.messages,
            offset: 0,
            both: true,
            by_completions: true,
            ack_delay: 1,
            vls: None,
        };
        let station = |side| -> Result<Box<dyn Station>, CallError> {
            let config = SimConfig {
                memory_latency: arguments.memory_latency..=arguments.memory_latency,
                memory_pauses: 0,
                ..config(profile, arguments.seed, side)
            };
            let device: Box<dyn Device> = Box::new(hardware.device(side, &config)?);
            Ok(Box::new(Alone::new(side, device)))
        };
        let stations = [station(Side::X)?, station(Side::Y)?];
        let rate = measure(&load, stations, profile.stream_bits).map_err(|stop| match stop {
            Stop::Output(error) => CallError::from(error),
            Stop::Failed(failure) => CallError::Measured(format!("{:?}", failure.kind)),
        })?;
        console.line(&format!(
            "{qps:>4} {:>15.1} {:>11.1}",
            rate.cycles_a_message,
            rate.cycles_a_message / CQES_A_MESSAGE
        ))?;
    }
    Ok(Verdict::Held)
}
