//! One run of a scenario on two devices.
use super::arguments::Arguments;
use super::chosen::Chosen;
use crate::cli::console::Console;
use crate::cli::error::CallError;
use crate::cli::hardware::{config_for, seed_of, Hardware};
use crate::cli::recorder::Recorder;
use crate::cli::waves::Waves;
use crate::cli::{decisions, wire};
use crate::decision;
use crate::device::golden::GoldenDevice;
use crate::device::{port_on, Device};
use crate::fabric::{Fabric, Observer, Stop};
use crate::report::{self, Context};
use crate::scenario::Scenario;
use crate::scoreboard::failure::Failure;
use crate::scoreboard::Checked;
use crate::station::Station;
use crate::trace::results::{FailureResult, RunResult};
use crate::wire::hardware::Blocks;
use crate::Side;
use hca_golden::capabilities::Capabilities;
use hca_host::designs::Designs;
use hca_host::profile::Profile;
use hca_sim::hca::SimConfig;
use hca_sim::verilated;

const DEFAULT_PACKETS: u64 = 10_000;
const DEFAULT_DECISIONS: u64 = 100_000;

/// The devices or blocks for scenarios, built once for all runs.
pub(super) struct Bench<'a> {
    profile: &'a Profile,
    /// The hardware; `None` for two models.
    hardware: Option<Hardware>,
    waves: Option<&'a Waves>,
    wire: Vec<Blocks>,
    decisions: Vec<decision::Hardware>,
}

/// The result of a run.
pub(super) struct Ran {
    /// Why the run stopped; `None` if everything held.
    pub stop: Option<Stop>,
    pub cycles: u64,
    /// Number of reported decisions that were judged.
    pub decisions: u64,
    /// Number of packets on the link.
    pub packets: u64,
    /// Whether the waves, if there are any, are complete.
    pub closed: Result<(), verilated::Error>,
}

impl<'a> Bench<'a> {
    /// Builds what these scenarios need.
    pub fn new(
        designs: Designs,
        arguments: &Arguments,
        scenarios: &[Chosen],
        profile: &'a Profile,
        waves: Option<&'a Waves>,
    ) -> Result<Bench<'a>, CallError> {
        let needs = |is: fn(&Chosen) -> bool| scenarios.iter().any(is);
        let mut bench = Bench {
            profile,
            hardware: None,
            waves,
            wire: Vec::new(),
            decisions: Vec::new(),
        };
        if needs(|s| matches!(s, Chosen::Fabric(_))) && !arguments.golden_only {
            let hardware = Hardware::build(
                designs,
                profile,
                arguments.dut.as_deref(),
                arguments.fst.is_some(),
            )?;
            bench.hardware = Some(hardware.selecting(arguments.variant.select));
        }
        if needs(|s| matches!(s, Chosen::Wire)) {
            bench.wire = wire::built(designs)?;
        }
        if needs(|s| matches!(s, Chosen::Decisions)) {
            bench.decisions = decisions::built(designs)?;
        }
        Ok(bench)
    }

    /// Runs a scenario on two fresh devices.
    pub fn run(
        &self,
        arguments: &Arguments,
        scenario: &Scenario,
        seed: u64,
        observer: &mut dyn Observer,
    ) -> Result<Ran, CallError> {
        let x = self.station(arguments, scenario, seed, Side::X)?;
        let y = self.station(arguments, scenario, seed, Side::Y)?;
        let mut fabric = Fabric::new(x, y, arguments.patience(), observer).over(arguments.link().golden());
        let stop = scenario.run(&mut fabric, seed).err();
        Ok(Ran {
            stop,
            cycles: fabric.cycle(),
            decisions: fabric.events(),
            packets: fabric.packets(),
            closed: fabric.close(),
        })
    }

    fn station(
        &self,
        arguments: &Arguments,
        scenario: &Scenario,
        seed: u64,
        side: Side,
    ) -> Result<Box<dyn Station>, CallError> {
        let port = port_on(arguments.link().golden(), side);
        let device: Box<dyn Device> = match &self.hardware {
            None if scenario.needs_all_of_rc() => {
                let device = GoldenDevice::with(port, Capabilities::HARDWARE);
                Box::new(device.picking(seed_of(seed, side)))
            }
            None => Box::new(GoldenDevice::new(port)),
            Some(hardware) => {
                let config = SimConfig {
                    trace: self.waves.map(|w| w.of(side)),
                    trace_from: arguments.fst_from,
                    ..config_for(scenario, self.profile, seed, side)
                };
                Box::new(hardware.device_behind(port, &config)?)
            }
        };
        Ok(Box::new(Checked::new(side, device, port, arguments.patience())))
    }

    /// Runs a scenario of single blocks.
    pub fn run_blocks(
        &mut self,
        arguments: &Arguments,
        scenario: &Chosen,
        seed: u64,
        console: &mut Console,
    ) -> Result<RunResult, CallError> {
        let cases = |default| arguments.cases.unwrap_or(default);
        match scenario {
            Chosen::Decisions => decisions::run(seed, cases(DEFAULT_DECISIONS), &mut self.decisions, console),
            _ => wire::run(seed, cases(DEFAULT_PACKETS), &self.wire, console),
        }
    }

    /// Runs a scenario and shows its traffic.
    pub fn show(
        &mut self,
        arguments: &Arguments,
        scenario: &Chosen,
        seed: u64,
    ) -> Result<RunResult, CallError> {
        let Chosen::Fabric(scenario) = scenario else {
            return self.run_blocks(arguments, scenario, seed, &mut Console::new());
        };
        let profile = self.profile;
        let mut recorder = Recorder::new(
            arguments.pcap.as_deref(),
            arguments.link().golden(),
            arguments.json.is_some(),
            profile.clock_hz,
            "--pcap and --json have them all",
        )?;
        let devices = match self.hardware {
            None => "two golden models".to_owned(),
            Some(_) => format!(
                "two Verilated HCAs (profile {}), each beside its golden model",
                profile.name
            ),
        };
        recorder.line(&format!("{}, seed {seed}: {devices}", scenario.name()))?;
        let ran = self.run(arguments, scenario, seed, &mut recorder)?;
        let failure = match ran.stop {
            None => None,
            Some(Stop::Failed(failure)) => Some(failure),
            Some(Stop::Output(error)) => return Err(error.into()),
        };
        recorder.finish()?;
        ran.closed.map_err(CallError::Waves)?;
        if let Some(waves) = self.waves {
            let differed = failure.as_ref().and_then(|f| f.side).unwrap_or(Side::X);
            recorder.line(&waves.settle(differed)?)?;
        }
        let failure = failure.map(|f| failure_result(arguments, scenario, seed, &f));
        let (packets, decisions, cycles) = (ran.packets, ran.decisions, ran.cycles);
        match &failure {
            None => recorder.line(&format!(
                "HELD: {packets} packets, {} completions, {decisions} decisions in {cycles} cycles; nothing differed",
                recorder.completions()
            ))?,
            Some(failure) => recorder.line(&format!("\n{}", failure.report))?,
        }
        Ok(RunResult {
            scenario: scenario.name(),
            seed,
            profile: profile.name,
            link: arguments.link().name(),
            golden_only: arguments.golden_only,
            held: failure.is_none(),
            cycles,
            decisions,
            packets: recorder.packets.take().unwrap_or_default(),
            completions: std::mem::take(&mut recorder.kept_completions),
            failure,
        })
    }
}

/// Returns what did not hold, and how to repeat it.
pub(super) fn failure_result(
    arguments: &Arguments,
    scenario: &Scenario,
    seed: u64,
    failure: &Failure,
) -> FailureResult {
    let replay = arguments.replay(scenario, seed);
    let context = Context {
        scenario: scenario.name(),
        seed,
        replay: &replay,
    };
    FailureResult {
        field: failure.field(),
        device: failure.side,
        cycle: failure.cycle,
        report: report::render(failure, &context),
        replay: replay.clone(),
    }
}
