//! `hca bench credits`: measures what end-to-end credits save if the peer's receive WQEs come late.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::{config, seed_of, Hardware};
use super::Verdict;
use crate::device::golden::GoldenDevice;
use crate::device::{port_of, Device, CAPABILITIES};
use crate::fabric::{Fabric, Stop, Unwatched};
use crate::report::{self, Context};
use crate::scenario::credits::starvation::{Cost, Starvation};
use crate::scoreboard::Checked;
use crate::station::Station;
use crate::Side;
use clap::Args;
use hca_host::designs::Designs;
use hca_host::profile;

/// Number of clock cycles without progress that count as a hang.
const PATIENCE: u64 = 20_000;

/// Options of `hca bench credits`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration of the hardware
    #[arg(long, default_value = profile::SMALL.name)]
    profile: String,
    /// Two golden models, no hardware
    #[arg(long)]
    golden_only: bool,
    /// Messages from X to Y
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    messages: u32,
    /// Packets lost of a thousand
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=200))]
    lost: u32,
    /// Seed of messages, receive WQEs, losses and memory
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let profile = profile_named(&arguments.profile)?;
    let hardware = match arguments.golden_only {
        true => None,
        false => Some(Hardware::build(designs, profile, None, false)?),
    };
    let mut console = Console::new();
    let devices = match hardware {
        None => "two golden models".to_owned(),
        Some(_) => format!("profile {}", profile.name),
    };
    console.line(&format!(
        "{devices}, seed {}: {} messages, receive WQEs late and in bursts, {} packets of 1000 lost",
        arguments.seed, arguments.messages, arguments.lost
    ))?;
    console.line("credits  RNR NAKs  sent again  requests   cycles")?;
    for (name, credits) in [("off", false), ("on", true)] {
        match arguments.cost(hardware.as_ref(), credits)? {
            Ok(cost) => console.line(&format!(
                "{name:>7} {:>9} {:>11} {:>9} {:>8}",
                cost.rnr_naks, cost.again, cost.requests, cost.cycles
            ))?,
            Err(report) => {
                console.line(&report)?;
                return Ok(Verdict::Differed);
            }
        }
    }
    Ok(Verdict::Held)
}

impl Arguments {
    /// Runs once. Returns a report if a check failed.
    fn cost(&self, hardware: Option<&Hardware>, credits: bool) -> Result<Result<Cost, String>, CallError> {
        let profile = profile_named(&self.profile)?;
        let station = |side| -> Result<Box<dyn Station>, CallError> {
            let device: Box<dyn Device> = match hardware {
                None => {
                    let model = GoldenDevice::with(port_of(side), CAPABILITIES);
                    Box::new(model.picking(seed_of(self.seed, side)))
                }
                Some(hardware) => Box::new(hardware.device(side, &config(profile, self.seed, side))?),
            };
            Ok(Box::new(Checked::new(side, device, port_of(side), PATIENCE)))
        };
        let (x, y) = (station(Side::X)?, station(Side::Y)?);
        let starvation = Starvation {
            credits,
            messages: self.messages as usize,
            lost: self.lost,
            late: 0,
            all_codes: false,
        };
        let mut unwatched = Unwatched;
        let mut fabric = Fabric::new(x, y, PATIENCE, &mut unwatched);
        let outcome = starvation.run(&mut fabric, self.seed);
        match outcome.and_then(|cost| fabric.finish().map(|()| cost)) {
            Ok(cost) => Ok(Ok(cost)),
            Err(Stop::Output(error)) => Err(error.into()),
            Err(Stop::Failed(failure)) => {
                let context = Context {
                    scenario: "bench credits",
                    seed: self.seed,
                    replay: "hca bench credits",
                };
                Ok(Err(report::render(&failure, &context)))
            }
        }
    }
}
