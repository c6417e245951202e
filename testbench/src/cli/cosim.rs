//! `hca cosim`: scenarios on the hardware beside the model, or on two models.
mod replay;

use super::console::Console;
use super::error::CallError;
use super::hardware::{config, seed_of, Hardware};
use super::link::Link;
use super::recorder::Recorder;
use super::variant::Variant;
use super::waves::{supervise, Waves};
use super::{decisions, wire, Verdict};
use crate::device::golden::GoldenDevice;
use crate::device::{port_on, Device, CAPABILITIES};
use crate::fabric::{Fabric, Stop};
use crate::report::{self, Context};
use crate::scenario::credits::Credits;
use crate::scenario::o2iblnd;
use crate::scenario::{all, rc, Scenario};
use crate::scoreboard::failure::Failure;
use crate::scoreboard::Checked;
use crate::station::Station;
use crate::trace::junit;
use crate::trace::output::{OutputError, OutputFile};
use crate::trace::results::{FailureResult, RunResult};
use crate::Side;
use clap::{Args, ValueEnum};
use hca_golden::capabilities::Capabilities;
use hca_golden::verbs::Pmtu;
use hca_rtl::profile::{self, Profile};
use hca_sim::hca::SimConfig;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `hca cosim`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Scenarios to run; without a name, those that need no more than one
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,
    /// Name the scenarios and stop
    #[arg(long)]
    list: bool,
    /// Seed of everything random: packets, payload, memory latency, back-pressure
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Configuration of the hardware; `small` if not given
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Link framing; `ib` if not given
    #[arg(long, value_enum)]
    link: Option<Link>,
    /// Two golden models, no hardware; needs no Verilator
    #[arg(long)]
    golden_only: bool,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    dut: Option<PathBuf>,
    #[command(flatten)]
    variant: Variant,
    /// Random packets (scenario `wire`), 10000 if not given; random cases of each decision (scenario `decisions`), 100000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cases: Option<u64>,
    /// File to send (scenario `send`)
    #[arg(long, value_name = "FILE")]
    payload: Option<PathBuf>,
    /// Bytes of a message (scenario `send`); 65536 if not given
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=1 << 31))]
    message_size: Option<u32>,
    /// Path MTU in bytes (scenario `send`); 2048 if not given
    #[arg(long, value_enum, value_name = "BYTES")]
    pmtu: Option<PmtuOption>,
    /// Packets that cross the link (scenario `soak`), 100000 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    packets: Option<u64>,
    /// Packets of a thousand that are lost (scenario `soak`), 1 if not given; as many are repeated, half as many corrupted, twice
    /// as many late
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    lost: Option<u32>,
    /// Clock cycles without progress that are a failure; 20000 if not given
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    patience: Option<u64>,
    /// Write the packets, native InfiniBand in ERF or Ethernet frames, for Wireshark (whose version 4.0 takes Sends below 8 bytes
    /// for broken RPC over RDMA: `tshark --disable-protocol rpcordma -r FILE`)
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Write waves: FILE shows the device that differed (X if none did), a file beside it the other one
    #[arg(long, value_name = "FILE")]
    fst: Option<PathBuf>,
    /// Write waves from this clock cycle on, of a run that is long
    #[arg(long, value_name = "CYCLE", default_value_t = 0, requires = "fst")]
    fst_from: u64,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PmtuOption {
    #[value(name = "256")]
    B256,
    #[value(name = "512")]
    B512,
    #[value(name = "1024")]
    B1024,
    #[value(name = "2048")]
    B2048,
    #[value(name = "4096")]
    B4096,
}

impl From<PmtuOption> for Pmtu {
    fn from(option: PmtuOption) -> Pmtu {
        match option {
            PmtuOption::B256 => Pmtu::B256,
            PmtuOption::B512 => Pmtu::B512,
            PmtuOption::B1024 => Pmtu::B1024,
            PmtuOption::B2048 => Pmtu::B2048,
            PmtuOption::B4096 => Pmtu::B4096,
        }
    }
}

const DEFAULT_MESSAGE_SIZE: u32 = 65_536;
const DEFAULT_PACKETS: u64 = 10_000;
const DEFAULT_DECISIONS: u64 = 100_000;
const DEFAULT_SOAK: u64 = 100_000;
const DEFAULT_LOST: u32 = 1;
const PATIENCE: u64 = 20_000;

/// Scenarios of single blocks, and what they run.
const BLOCKS: [(&str, &str); 2] = [
    (
        "wire",
        "link receive and packet builder alone, at every width and framing",
    ),
    ("decisions", "the decision blocks alone"),
];

/// What runs under a scenario's name.
enum Chosen {
    /// Two devices on a link.
    Fabric(Scenario),
    /// The wire blocks alone.
    Wire,
    /// The decision blocks alone.
    Decisions,
}

impl Chosen {
    /// The name of a scenario that the hardware cannot run.
    fn lacks(&self, golden_only: bool) -> Option<&'static str> {
        match self {
            Chosen::Fabric(scenario) => {
                let lacks = scenario.needs_all_of_rc() && !golden_only && !CAPABILITIES.remote_access;
                lacks.then_some(scenario.name())
            }
            Chosen::Wire | Chosen::Decisions => None,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    if arguments.list {
        let mut console = Console::new();
        for entry in all() {
            console.line(&format!("{:<21} {}", entry.name, entry.about))?;
        }
        return Ok(Verdict::Held);
    }
    let profile = profile_named(arguments.profile())?.over(arguments.link().hardware());
    let scenarios = arguments.scenarios(&profile)?;
    arguments.check_hardware_options()?;
    let waves = arguments.fst.as_deref().map(Waves::of_this_process);
    if let (Some(None), Some(file)) = (&waves, &arguments.fst) {
        return supervise(file);
    }
    let waves = waves.flatten();
    if let Some(lacking) = scenarios.iter().find_map(|s| s.lacks(arguments.golden_only)) {
        return Err(CallError::HardwareLacks { scenario: lacking });
    }
    let hardware = match scenarios.iter().any(|s| matches!(s, Chosen::Fabric(_))) {
        true => arguments.hardware(&profile)?,
        false => None,
    };
    let mut results = Vec::new();
    for scenario in &scenarios {
        results.push(match scenario {
            Chosen::Fabric(scenario) => {
                arguments.run_one(scenario, &profile, hardware.as_ref(), waves.as_ref())?
            }
            Chosen::Wire => wire::run(arguments.seed, arguments.cases.unwrap_or(DEFAULT_PACKETS))?,
            Chosen::Decisions => {
                decisions::run(arguments.seed, arguments.cases.unwrap_or(DEFAULT_DECISIONS))?
            }
        });
    }
    let json = |out: &mut OutputFile| serde_json::to_writer_pretty(out, &results).map_err(io::Error::other);
    write_file(arguments.json.as_deref(), json)?;
    write_file(arguments.junit.as_deref(), |out| junit::write(&results, out))?;
    let held = results.iter().all(|r| r.held);
    Ok(if held { Verdict::Held } else { Verdict::Differed })
}

/// The profile of that name.
pub fn profile_named(name: &str) -> Result<&'static Profile, CallError> {
    profile::by_name(name).ok_or_else(|| CallError::UnknownProfile {
        name: name.to_owned(),
        known: list(profile::ALL.iter().map(|p| p.name)),
    })
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn write_file(
    path: Option<&Path>,
    write: impl FnOnce(&mut OutputFile) -> io::Result<()>,
) -> Result<(), OutputError> {
    let Some(path) = path else {
        return Ok(());
    };
    let mut file = OutputFile::create(path)?;
    write(&mut file).map_err(|e| OutputFile::error(path, e))?;
    file.write_all(b"\n").map_err(|e| OutputFile::error(path, e))?;
    file.finish()
}

impl Arguments {
    fn profile(&self) -> &str {
        self.profile.as_deref().unwrap_or(profile::SMALL.name)
    }

    fn link(&self) -> Link {
        self.link.unwrap_or(Link::Ib)
    }

    fn patience(&self) -> u64 {
        self.patience.unwrap_or(PATIENCE)
    }

    /// The scenarios of the call, each with what it needs.
    fn scenarios(&self, profile: &Profile) -> Result<Vec<Chosen>, CallError> {
        let names: Vec<&str> = match &self.scenarios[..] {
            [] => vec!["seed001"],
            named => named.iter().map(String::as_str).collect(),
        };
        for (scenario, given, option) in [
            ("send", self.payload.is_some(), "--payload"),
            ("send", self.message_size.is_some(), "--message-size"),
            ("send", self.pmtu.is_some(), "--pmtu"),
            (rc::Soak::NAME, self.packets.is_some(), "--packets"),
            (rc::Soak::NAME, self.lost.is_some(), "--lost"),
            (
                "wire",
                self.cases.is_some() && !names.contains(&"decisions"),
                "--cases",
            ),
        ] {
            if given && !names.contains(&scenario) {
                return Err(CallError::OnlyFor { option, scenario });
            }
        }
        for (given, option) in [
            (self.golden_only, "--golden-only"),
            (self.dut.is_some(), "--dut"),
            (self.pcap.is_some(), "--pcap"),
            (self.fst.is_some(), "--fst"),
            (self.profile.is_some(), "--profile"),
            (self.link.is_some(), "--link"),
            (self.patience.is_some(), "--patience"),
        ] {
            for (scenario, runs) in BLOCKS {
                if given && names.contains(&scenario) {
                    return Err(CallError::NotForBlocks {
                        option,
                        scenario,
                        runs,
                    });
                }
            }
        }
        for (given, option) in [(self.pcap.is_some(), "--pcap"), (self.fst.is_some(), "--fst")] {
            if given && names.len() > 1 {
                let scenarios = names.len();
                return Err(CallError::OneScenario { option, scenarios });
            }
        }
        names
            .into_iter()
            .map(|name| self.scenario(name, profile))
            .collect()
    }

    fn scenario(&self, name: &str, profile: &Profile) -> Result<Chosen, CallError> {
        match name {
            "seed001" => Ok(Chosen::Fabric(Scenario::Seed001)),
            "wire" => Ok(Chosen::Wire),
            "decisions" => Ok(Chosen::Decisions),
            name if name == rc::MIXED.name => Ok(Chosen::Fabric(Scenario::Rc(rc::MIXED))),
            name if name == rc::LOSS_1.name => Ok(Chosen::Fabric(Scenario::Rc(rc::LOSS_1))),
            name if name == rc::LOSS_20.name => Ok(Chosen::Fabric(Scenario::Rc(rc::LOSS_20))),
            name if name == rc::MEMORY_ERRORS.name => Ok(Chosen::Fabric(Scenario::Rc(rc::MEMORY_ERRORS))),
            name if name == rc::MEMORY_ERRORS_LOSS_1.name => {
                Ok(Chosen::Fabric(Scenario::Rc(rc::MEMORY_ERRORS_LOSS_1)))
            }
            name if name == rc::MANY.name => Ok(Chosen::Fabric(Scenario::Rc(rc::MANY.filling(profile)))),
            rc::Soak::NAME => Ok(Chosen::Fabric(Scenario::Soak(rc::Soak {
                packets: self.packets.unwrap_or(DEFAULT_SOAK),
                lost: self.lost.unwrap_or(DEFAULT_LOST),
            }))),
            o2iblnd::NAME => Ok(Chosen::Fabric(Scenario::O2iblnd)),
            "send" => {
                let path = self.payload.as_ref().ok_or(CallError::NoPayload)?;
                let payload = std::fs::read(path).map_err(|source| CallError::Payload {
                    path: path.clone(),
                    source,
                })?;
                Ok(Chosen::Fabric(Scenario::Send {
                    payload,
                    message_size: self.message_size.unwrap_or(DEFAULT_MESSAGE_SIZE),
                    pmtu: self.pmtu.map_or(Pmtu::B2048, Pmtu::from),
                }))
            }
            name => match Credits::named(name) {
                Some(credits) => Ok(Chosen::Fabric(Scenario::Credits(credits))),
                None => Err(CallError::UnknownScenario {
                    name: name.to_owned(),
                    known: list(all().map(|e| e.name)),
                }),
            },
        }
    }

    fn check_hardware_options(&self) -> Result<(), CallError> {
        let given = [(self.dut.is_some(), "--dut"), (self.fst.is_some(), "--fst")];
        match given.into_iter().find(|(given, _)| *given && self.golden_only) {
            Some((_, option)) => Err(CallError::NeedsHardware { option }),
            None => Ok(()),
        }
    }

    /// The hardware to run on; none if only models run.
    fn hardware(&self, profile: &Profile) -> Result<Option<Hardware>, CallError> {
        if self.golden_only {
            return Ok(None);
        }
        let hardware = Hardware::build(profile, self.dut.as_deref(), self.fst.is_some())?;
        Ok(Some(hardware.selecting(self.variant.select)))
    }

    fn station(
        &self,
        scenario: &Scenario,
        side: Side,
        profile: &Profile,
        hardware: Option<&Hardware>,
        waves: Option<&Waves>,
    ) -> Result<Box<dyn Station>, CallError> {
        let port = port_on(self.link().golden(), side);
        let device: Box<dyn Device> = match hardware {
            None if scenario.needs_all_of_rc() => {
                let device = GoldenDevice::with(port, Capabilities::HARDWARE);
                Box::new(device.picking(seed_of(self.seed, side)))
            }
            None => Box::new(GoldenDevice::new(port)),
            Some(hardware) => {
                let config = config(profile, self.seed, side);
                let (first, last) = (*config.memory_latency.start(), *config.memory_latency.end());
                let config = SimConfig {
                    trace: waves.map(|w| w.of(side)),
                    trace_from: self.fst_from,
                    memory_latency: first..=scenario.memory_latency().unwrap_or(last),
                    ..config
                };
                Box::new(hardware.device_behind(port, &config)?)
            }
        };
        Ok(Box::new(Checked::new(side, device, port, self.patience())))
    }

    fn run_one(
        &self,
        scenario: &Scenario,
        profile: &Profile,
        hardware: Option<&Hardware>,
        waves: Option<&Waves>,
    ) -> Result<RunResult, CallError> {
        let x = self.station(scenario, Side::X, profile, hardware, waves)?;
        let y = self.station(scenario, Side::Y, profile, hardware, waves)?;
        let mut recorder = Recorder::new(
            self.pcap.as_deref(),
            self.link().golden(),
            self.json.is_some(),
            profile.clock_hz,
            "--pcap and --json have them all",
        )?;
        let devices = match hardware {
            None => "two golden models".to_owned(),
            Some(_) => format!(
                "two Verilated HCAs (profile {}), each beside its golden model",
                profile.name
            ),
        };
        recorder.line(&format!("{}, seed {}: {devices}", scenario.name(), self.seed))?;
        let mut fabric = Fabric::new(x, y, self.patience(), &mut recorder).over(self.link().golden());
        let stop = scenario.run(&mut fabric, self.seed).err();
        let (cycles, decisions, packets) = (fabric.cycle(), fabric.events(), fabric.packets());
        let closed = fabric.close();
        drop(fabric);
        let failure = match stop {
            None => None,
            Some(Stop::Failed(failure)) => Some(failure),
            Some(Stop::Output(error)) => return Err(error.into()),
        };
        recorder.finish()?;
        closed.map_err(CallError::Waves)?;
        if let Some(waves) = waves {
            let differed = failure.as_ref().and_then(|f| f.side).unwrap_or(Side::X);
            recorder.line(&waves.settle(differed)?)?;
        }
        let failure = failure.map(|f| self.failure_result(scenario, &f));
        match &failure {
            None => recorder.line(&format!(
                "HELD: {packets} packets, {} completions, {decisions} decisions in {cycles} cycles; nothing differed",
                recorder.completions()
            ))?,
            Some(failure) => recorder.line(&format!("\n{}", failure.report))?,
        }
        Ok(RunResult {
            scenario: scenario.name(),
            seed: self.seed,
            profile: profile.name,
            link: self.link().name(),
            golden_only: self.golden_only,
            held: failure.is_none(),
            cycles,
            decisions,
            packets: recorder.packets.take().unwrap_or_default(),
            completions: std::mem::take(&mut recorder.kept_completions),
            failure,
        })
    }

    fn failure_result(&self, scenario: &Scenario, failure: &Failure) -> FailureResult {
        let replay = self.replay(scenario);
        let context = Context {
            scenario: scenario.name(),
            seed: self.seed,
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
}
