//! `hca cosim`: scenarios on the hardware beside the model, or on two models.
mod chosen;
mod replay;
mod run;
mod seeds;

use super::console::Console;
use super::error::CallError;
use super::link::Link;
use super::variant::Variant;
use super::waves::{supervise, Waves};
use super::Verdict;
use crate::scenario::all;
use crate::trace::junit;
use crate::trace::output::{OutputError, OutputFile};
use chosen::Chosen;
use clap::{Args, ValueEnum};
use hca_golden::verbs::Pmtu;
use hca_host::designs::Designs;
use hca_host::profile::{self, Profile};
use run::Bench;
use seeds::Seeds;
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
    /// Run each scenario once for each of these seeds, LAST among them, and print only the runs that fail and how many
    /// held
    #[arg(
        long,
        value_name = "FIRST..LAST",
        conflicts_with_all = ["seed", "pcap", "fst", "fst_from", "json", "junit"]
    )]
    seeds: Option<Seeds>,
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
    /// Random packets (scenario `wire`), 10000 if not given; random cases of each decision (scenario `decisions`),
    /// 100000
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
    /// Packets of a thousand that are lost (scenario `soak`), 1 if not given; as many are repeated, half as many
    /// corrupted, twice as many late
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    lost: Option<u32>,
    /// Clock cycles without progress that are a failure; 20000 if not given
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    patience: Option<u64>,
    /// Write the packets, native InfiniBand in ERF or Ethernet frames, for Wireshark (whose version 4.0 takes Sends
    /// below 8 bytes for broken RPC over RDMA: `tshark --disable-protocol rpcordma -r FILE`)
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

const PATIENCE: u64 = 20_000;

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
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
    let mut bench = Bench::new(designs, arguments, &scenarios, &profile, waves.as_ref())?;
    if let Some(seeds) = &arguments.seeds {
        return seeds::run(arguments, seeds, &scenarios, &mut bench);
    }
    let mut results = Vec::new();
    for scenario in &scenarios {
        results.push(bench.show(arguments, scenario, arguments.seed)?);
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

    fn check_hardware_options(&self) -> Result<(), CallError> {
        let given = [(self.dut.is_some(), "--dut"), (self.fst.is_some(), "--fst")];
        match given.into_iter().find(|(given, _)| *given && self.golden_only) {
            Some((_, option)) => Err(CallError::NeedsHardware { option }),
            None => Ok(()),
        }
    }
}
