//! Options of `hca cosim`.
use super::super::error::CallError;
use super::super::link::Link;
use super::super::variant::Variant;
use super::seeds::Seeds;
use clap::{Args, ValueEnum};
use hca_golden::verbs::Pmtu;
use hca_host::profile::{self};
use std::path::PathBuf;

/// Options of `hca cosim`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Scenarios to run; without a name, those that need no more than one
    #[arg(value_name = "SCENARIO")]
    pub(super) scenarios: Vec<String>,
    /// Name the scenarios and stop
    #[arg(long)]
    pub(super) list: bool,
    /// Seed of everything random: packets, payload, memory latency, back-pressure
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Run each scenario once for each of these seeds, LAST among them, and print only the runs that fail and how many
    /// held
    #[arg(
        long,
        value_name = "FIRST..LAST",
        conflicts_with_all = ["seed", "pcap", "fst", "fst_from", "json", "junit"]
    )]
    pub(super) seeds: Option<Seeds>,
    /// Configuration of the hardware; `small` if not given
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// Link framing; `ib` if not given
    #[arg(long, value_enum)]
    pub(super) link: Option<Link>,
    /// Two golden models, no hardware; needs no Verilator
    #[arg(long)]
    pub(super) golden_only: bool,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    pub(super) dut: Option<PathBuf>,
    #[command(flatten)]
    pub(super) variant: Variant,
    /// Random packets (scenario `wire`), 10000 if not given; random cases of each decision (scenario `decisions`),
    /// 100000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) cases: Option<u64>,
    /// File to send (scenario `send`)
    #[arg(long, value_name = "FILE")]
    pub(super) payload: Option<PathBuf>,
    /// Bytes of a message (scenario `send`); 65536 if not given
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=1 << 31))]
    pub(super) message_size: Option<u32>,
    /// Path MTU in bytes (scenario `send`); 2048 if not given
    #[arg(long, value_enum, value_name = "BYTES")]
    pub(super) pmtu: Option<PmtuOption>,
    /// Packets that cross the link (scenario `soak`), 100000 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) packets: Option<u64>,
    /// Packets of a thousand that are lost (scenario `soak`), 1 if not given; as many are repeated, half as many
    /// corrupted, twice as many late
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) lost: Option<u32>,
    /// Clock cycles without progress that are a failure; 20000 if not given
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) patience: Option<u64>,
    /// Write the packets, native InfiniBand in ERF or Ethernet frames, for Wireshark (whose version 4.0 guesses what
    /// payloads are, and takes some for broken, without `-o infiniband.identify_payload:FALSE --disable-protocol
    /// rpcordma --disable-protocol infiniband.eoib --disable-protocol fcoib`)
    #[arg(long, value_name = "FILE")]
    pub(super) pcap: Option<PathBuf>,
    /// Write waves: FILE shows the device that differed (X if none did), a file beside it the other one
    #[arg(long, value_name = "FILE")]
    pub(super) fst: Option<PathBuf>,
    /// Write waves from this clock cycle on, of a run that is long
    #[arg(long, value_name = "CYCLE", default_value_t = 0, requires = "fst")]
    pub(super) fst_from: u64,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PmtuOption {
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

pub(super) const PATIENCE: u64 = 20_000;

pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

impl Arguments {
    pub(super) fn profile(&self) -> &str {
        self.profile.as_deref().unwrap_or(profile::SMALL.name)
    }

    pub(super) fn link(&self) -> Link {
        self.link.unwrap_or(Link::Ib)
    }

    pub(super) fn patience(&self) -> u64 {
        self.patience.unwrap_or(PATIENCE)
    }

    pub(super) fn check_hardware_options(&self) -> Result<(), CallError> {
        let given = [(self.dut.is_some(), "--dut"), (self.fst.is_some(), "--fst")];
        match given.into_iter().find(|(given, _)| *given && self.golden_only) {
            Some((_, option)) => Err(CallError::NeedsHardware { option }),
            None => Ok(()),
        }
    }
}
