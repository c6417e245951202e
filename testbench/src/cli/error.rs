//! The errors of a call: what is wrong, where, and how to mend it. They lead to exit status 2.
use crate::capture::fault::Fault;
use crate::case::{CaseError, Unwritable};
use crate::conformance::program::ProgramError;
use crate::fuzz::store::StoreError;
use crate::fuzz::RunError;
use crate::live::cable::CableError;
use crate::live::recording::Moment;
use crate::live::session::SessionError;
use crate::planted::PlantError;
use crate::subnet::session::{ProgramsError, SessionError as SubnetError};
use crate::trace::lines::RecordingError;
use crate::trace::output::OutputError;
use crate::wire::rate::RateError;
use hca_golden::wire::header::Unencodable;
use hca_hdl::verilog::ExportError;
use hca_sim::verilated::{target_dir, Error};
use std::io;
use std::path::PathBuf;

/// Why a call cannot be carried out: the call or its input is wrong, or the machine lacks something.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("unknown scenario `{name}`")]
    UnknownScenario { name: String, known: String },
    #[error("unknown profile `{name}`")]
    UnknownProfile { name: String, known: String },
    #[error("the conformance table has no row and no area `{name}`")]
    UnknownRow {
        name: String,
        last: &'static str,
        areas: String,
    },
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("no bug `{name}` is planted")]
    UnknownBug { name: String, known: String },
    #[error(transparent)]
    Plant(#[from] PlantError),
    #[error("scenario `{scenario}` needs RDMA and retransmission, which this hardware does not do yet")]
    HardwareLacks { scenario: &'static str },
    #[error("scenario `send` has nothing to send")]
    NoPayload,
    #[error("`{option}` means nothing without scenario `{scenario}`")]
    OnlyFor {
        option: &'static str,
        scenario: &'static str,
    },
    #[error("`{option}` means nothing to scenario `{scenario}`: it runs {runs}")]
    NotForBlocks {
        option: &'static str,
        scenario: &'static str,
        runs: &'static str,
    },
    #[error("cannot read the payload `{}`: {source}", path.display())]
    Payload { path: PathBuf, source: io::Error },
    #[error("cannot take the design in `{}`: {reason}", path.display())]
    Dut {
        path: PathBuf,
        reason: String,
        profile: &'static str,
    },
    #[error("cannot build the simulation: {0}")]
    Build(#[source] Error),
    #[error("cannot start the simulation: {0}")]
    Start(#[source] hca_sim::hca::SimError),
    #[error("cannot write the waves: {0}")]
    Waves(#[source] Error),
    #[error("the run that writes waves to `{}` was killed ({status})", path.display())]
    WavesKilled {
        path: PathBuf,
        status: std::process::ExitStatus,
    },
    #[error("cannot take the case `{}`: {source}", path.display())]
    Case { path: PathBuf, source: CaseError },
    #[error("`{option}` needs the hardware, and the case is of two models")]
    CaseOfModels { option: &'static str },
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the folders hold different campaigns: `{}` and `{}`", first.display(), other.display())]
    OtherCampaign { first: PathBuf, other: PathBuf },
    #[error(
        "the folders are of different builds of this program: `{}` and `{}`",
        first.display(),
        other.display()
    )]
    OtherBuild { first: PathBuf, other: PathBuf },
    #[error("`{}` does not say which cases it was asked for", path.display())]
    Unasked { path: PathBuf },
    #[error("cannot start another process of this program: {0}")]
    Jobs(#[source] io::Error),
    #[error("cannot listen for Ctrl-C: {0}")]
    Signals(#[source] ctrlc::Error),
    #[error("`{option}` holds one run, and {scenarios} scenarios are named")]
    OneScenario { option: &'static str, scenarios: usize },
    #[error("`{option}` needs the hardware, and `--golden-only` leaves it out")]
    NeedsHardware { option: &'static str },
    #[error("the testbench drew a packet that it cannot encode: {0}")]
    Unencodable(#[source] Unencodable),
    #[error("the wire blocks broke a rule of their ports: {0}")]
    Wire(#[source] RateError),
    #[error("the measured run stopped: {0}")]
    Measured(String),
    #[error("the bare model does not run as the device did: {0}")]
    Played(#[source] hca_sim::tape::PlayError),
    #[error("this hardware has no Verilog: {0}")]
    Export(#[source] ExportError),
    #[error("cannot export: {0}")]
    WriteExport(#[source] ExportError),
    #[error("cannot write `{}`: {source}", path.display())]
    WriteInterface { path: PathBuf, source: io::Error },
    #[error("the session ended: {0}")]
    Session(#[source] SessionError),
    #[error("none of `--peer`, `--qemu-socket` and `--tap` is given")]
    NoWire,
    #[error(transparent)]
    Tap(CableError),
    #[error("role `{role}` needs a guest: `--peer` is the wire to another adapter")]
    NeedsGuest { role: String },
    #[error("nobody came to the socket `{}` within {seconds} s", path.display())]
    NobodyCame { path: PathBuf, seconds: u64 },
    #[error(transparent)]
    NotInstalled(#[from] ProgramsError),
    #[error("the subnet cannot be served: {0}")]
    Subnet(#[source] SubnetError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error("a recording holds one step, and not `traffic`")]
    OneStep,
    #[error("the nodes have no port {0}")]
    NoPort(u8),
    #[error(
        "the recording `{}` does not fit this adapter: the input of line {line} came when {needed:?}, and it came no \
         further than {reached:?}",
        path.display()
    )]
    Astray {
        path: PathBuf,
        line: usize,
        needed: Moment,
        reached: Moment,
    },
    #[error("cannot open the capture `{}`: {source}", path.display())]
    OpenCapture { path: PathBuf, source: io::Error },
    #[error("`{}` is a module of another design", path.display())]
    OtherVerilog { path: PathBuf },
    #[error("no capture is named")]
    NoCapture,
    #[error("no rule is called `{name}`")]
    UnknownRule { name: String, last: &'static str },
    #[error("cannot keep a capture in the temporary folder `{}`: {source}", folder.display())]
    Temporary { folder: PathBuf, source: io::Error },
    #[error("cannot decode `{}`: {fault}", path.display())]
    Capture { path: PathBuf, fault: Fault },
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl From<RunError> for CallError {
    fn from(error: RunError) -> CallError {
        match error {
            RunError::Output(error) => error.into(),
            RunError::Waves(error) => CallError::Waves(error),
        }
    }
}

impl CallError {
    /// Returns the text for the terminal.
    pub fn render(&self) -> String {
        format!("error: {self}\n  help: {}\n", self.help())
    }

    /// Returns advice on how to mend the error.
    fn help(&self) -> String {
        let fixed = match self {
            Self::UnknownScenario { known, .. } => return format!("known scenarios: {known}"),
            Self::UnknownProfile { known, .. } => return format!("known profiles: {known}"),
            Self::UnknownRow { last, areas, .. } => {
                return format!("rows are CF001 to {last}, areas {areas}")
            }
            Self::Program(_) => {
                "run it in the project's folder, where cargo builds the cases, or name their test programs: \
                 `--program FILE`"
            }
            Self::UnknownBug { known, .. } => return format!("planted are {known}"),
            Self::Plant(_) => "mend the bug in testbench/planted/bugs.toml: the hardware has changed there",
            Self::HardwareLacks { scenario } => {
                return format!("run it on two models: `scripts/cosim {scenario} --golden-only`");
            }
            Self::NoPayload => "name a file: `scripts/cosim send --payload FILE`",
            Self::OnlyFor { option, scenario } => {
                return format!("name it: `scripts/cosim {scenario} {option} ...`, or leave the option out");
            }
            Self::NotForBlocks { .. } => "leave the option out, or name another scenario",
            Self::Payload { .. } => {
                "--payload takes a readable file; an empty one sends a zero-length message"
            }
            Self::Dut { profile, .. } => {
                return format!(
                    "--dut takes a folder of Verilog files with a module `hca` and the ports of `hca export \
                     --profile {profile} --out DIR`"
                );
            }
            Self::Build(Error::Io { path, .. }) if path.starts_with(target_dir()) => {
                "what is built is kept in cargo's target folder; if it is another user's, name one of your own: \
                 `CARGO_TARGET_DIR=FOLDER hca ...`"
            }
            Self::Build(_) => {
                "`scripts/setup` sets up what the simulation needs; `--golden-only` needs none of it"
            }
            Self::Start(_) => "the design broke a rule of its ports in reset",
            Self::Waves(_) | Self::Output(_) => {
                "name a file in a folder that exists, is writable and has room"
            }
            Self::WavesKilled { .. } => "is its disk full? Name a file in a folder that has room",
            Self::Case { .. } => "name a file that `hca fuzz` wrote, or mend what was changed in it",
            Self::CaseOfModels { .. } => {
                "leave the option out, or write `devices = \"hardware\"` into the case"
            }
            Self::Unwritable(_) | Self::Unencodable(_) | Self::Played(_) => {
                "the fault is in the testbench's source, not in the call"
            }
            Self::Store(_) => {
                "name an empty folder, or the one of a run with the same options, in a place that has room"
            }
            Self::OtherCampaign { .. } => "merge folders of one seed and the same options",
            Self::OtherBuild { .. } => {
                "what two builds come to is not one result: run one of the two again, into an empty folder"
            }
            Self::Unasked { .. } => {
                "an older build wrote it: merge with that build, or run it again into an empty folder"
            }
            Self::Jobs(_) => "is the machine out of memory or processes? `--jobs 1` takes the fewest",
            Self::Signals(_) => "the machine allows no signal handler",
            Self::OneScenario { .. } => "name one scenario",
            Self::NeedsHardware { .. } => "leave one of the two out",
            Self::Wire(_) => "`scripts/cosim wire` shows the packet and compares it with the model",
            Self::Measured(_) => "`scripts/cosim` runs scenarios beside the model and shows what differs",
            Self::Export(_) => "the fault is in the hardware's source, not in the call",
            Self::WriteExport(_) | Self::WriteInterface { .. } => {
                "name a folder that can be made or written and has room"
            }
            Self::Session(_) => "see the peer's own messages: both ends must be up at the same time",
            Self::NoWire => "name the socket of a guest or of a peer, a tap, or `hca live replay FILE`",
            Self::Tap(_) => "run it as root, and make the tap before: `ip tuntap add dev NAME mode tap`",
            Self::NeedsGuest { .. } => "name the socket of a guest: `--qemu-socket PATH`, or run `scripts/live`",
            Self::NobodyCame { .. } => "start the other side, or give it longer: `--patience SECONDS`",
            Self::NotInstalled(ProgramsError::NoLibrary) => {
                "install libumad2sim0 (`scripts/subnet` does), or name it: `--library FILE`"
            }
            Self::NotInstalled(ProgramsError::NoProgram(_)) => {
                "install opensm and infiniband-diags (`scripts/subnet` does)"
            }
            Self::Subnet(_) => "name sockets that no other subnet has, and a temporary folder that has room",
            Self::Recording(_) => "name a whole file that this program of this version wrote with `--record FILE`",
            Self::NoPort(_) => "name adapters with two ports: `--profile pair`, without `--cable memory`",
            Self::OneStep => "name one step, for instance `hca subnet sweep --record FILE`",
            Self::Astray { .. } => "it was made with another build: record it again with `hca live --record FILE`",
            Self::OpenCapture { .. } => "name a readable file, or `-` for standard input",
            Self::OtherVerilog { .. } => "name an empty folder, or one that holds an export alone",
            Self::NoCapture => "name a file, or `-` for standard input",
            Self::UnknownRule { last, .. } => return format!("rules are CF001 to {last}"),
            Self::Temporary { .. } => "name a folder that has room: `TMPDIR=FOLDER hca ...`",
            Self::Capture { fault, .. } => fault.trouble.help(),
        };
        fixed.to_owned()
    }
}
