//! What can be wrong with a call: what, where, how to mend it. Exit status 2.
use crate::capture::fault::Fault;
use crate::case::{CaseError, Untold};
use crate::conformance::program::ProgramError;
use crate::fuzz::store::StoreError;
use crate::fuzz::LiveError;
use crate::planted::PlantError;
use crate::trace::output::OutputError;
use crate::wire::rate::RateError;
use hca_golden::wire::header::Unencodable;
use hca_hdl::verilog::ExportError;
use miette::Diagnostic;
use std::io;
use std::path::PathBuf;

/// The call or its input was wrong, or the machine cannot carry it out.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum CallError {
    #[error("unknown scenario `{name}`")]
    #[diagnostic(help("known scenarios: {known}"))]
    UnknownScenario { name: String, known: String },
    #[error("unknown profile `{name}`")]
    #[diagnostic(help("known profiles: {known}"))]
    UnknownProfile { name: String, known: String },
    #[error("the conformance table has no row and no area `{name}`")]
    #[diagnostic(help("rows are CF001 to {last}, areas {areas}"))]
    UnknownRow {
        name: String,
        last: &'static str,
        areas: String,
    },
    #[error(transparent)]
    #[diagnostic(help(
        "run it in the project's folder, where cargo builds the cases, or name their test programs: `--program FILE`"
    ))]
    Program(#[from] ProgramError),
    #[error("no bug `{name}` is planted")]
    #[diagnostic(help("planted are {known}"))]
    UnknownBug { name: String, known: String },
    #[error(transparent)]
    #[diagnostic(help("mend the bug in testbench/planted/bugs.toml: the hardware has changed there"))]
    Plant(#[from] PlantError),
    #[error("scenario `{scenario}` needs RDMA and retransmission, which this hardware does not do yet")]
    #[diagnostic(help("run it on two models: `scripts/cosim {scenario} --golden-only`"))]
    HardwareLacks { scenario: &'static str },
    #[error("scenario `send` has nothing to send")]
    #[diagnostic(help("name a file: `scripts/cosim send --payload FILE`"))]
    NoPayload,
    #[error("`{option}` means nothing without scenario `{scenario}`")]
    #[diagnostic(help("name it: `scripts/cosim {scenario} {option} ...`, or leave the option out"))]
    OnlyFor {
        option: &'static str,
        scenario: &'static str,
    },
    #[error("`{option}` means nothing to scenario `{scenario}`: it runs {runs}")]
    #[diagnostic(help("leave the option out, or name another scenario"))]
    NotForBlocks {
        option: &'static str,
        scenario: &'static str,
        runs: &'static str,
    },
    #[error("cannot read the payload `{}`: {source}", path.display())]
    #[diagnostic(help("--payload takes a readable file; an empty one sends a zero-length message"))]
    Payload { path: PathBuf, source: io::Error },
    #[error("cannot take the design in `{}`: {reason}", path.display())]
    #[diagnostic(help(
        "--dut takes a folder of Verilog files with a module `hca` and the ports of \
         `hca export --profile {profile} --out DIR`"
    ))]
    Dut {
        path: PathBuf,
        reason: String,
        profile: &'static str,
    },
    #[error("cannot build the simulation: {0}")]
    #[diagnostic(help(
        "`scripts/setup` sets up what the simulation needs; `--golden-only` needs none of it"
    ))]
    Build(#[source] hca_sim::verilated::Error),
    #[error("cannot start the simulation: {0}")]
    #[diagnostic(help("the design broke a rule of its ports in reset"))]
    Start(#[source] hca_sim::hca::SimError),
    #[error("cannot write the waves: {0}")]
    #[diagnostic(help("name a file in a folder that exists, is writable and has room"))]
    Waves(#[source] hca_sim::verilated::Error),
    #[error("the run that writes waves to `{}` was killed ({status})", path.display())]
    #[diagnostic(help("is its disk full? Name a file in a folder that has room"))]
    WavesKilled {
        path: PathBuf,
        status: std::process::ExitStatus,
    },
    #[error("cannot take the case `{}`: {source}", path.display())]
    #[diagnostic(help("name a file that `hca fuzz` wrote, or mend what was changed in it"))]
    Case { path: PathBuf, source: CaseError },
    #[error("`{option}` needs the hardware, and the case is of two models")]
    #[diagnostic(help("leave the option out, or write `devices = \"hardware\"` into the case"))]
    CaseOfModels { option: &'static str },
    #[error(transparent)]
    #[diagnostic(help("the fault is in the testbench's source, not in the call"))]
    Untold(#[from] Untold),
    #[error(transparent)]
    #[diagnostic(help(
        "name an empty folder, or the one of a run with the same options, in a place that has room"
    ))]
    Store(#[from] StoreError),
    #[error("the folders hold different campaigns: `{}` and `{}`", first.display(), other.display())]
    #[diagnostic(help("merge folders of one seed and the same options"))]
    OtherCampaign { first: PathBuf, other: PathBuf },
    #[error("the folders are of different builds of this program: `{}` and `{}`", first.display(), other.display())]
    #[diagnostic(help(
        "what two builds come to is not one result: run one of the two again, into an empty folder"
    ))]
    OtherBuild { first: PathBuf, other: PathBuf },
    #[error("`{}` does not say which cases it was asked for", path.display())]
    #[diagnostic(help(
        "an older build wrote it: merge with that build, or run it again into an empty folder"
    ))]
    Unasked { path: PathBuf },
    #[error("cannot start another process of this program: {0}")]
    #[diagnostic(help("is the machine out of memory or processes? `--jobs 1` takes the fewest"))]
    Jobs(#[source] io::Error),
    #[error("cannot listen for Ctrl-C: {0}")]
    #[diagnostic(help("the machine allows no signal handler"))]
    Signals(#[source] ctrlc::Error),
    #[error("`{option}` holds one run, and {scenarios} scenarios are named")]
    #[diagnostic(help("name one scenario"))]
    OneScenario { option: &'static str, scenarios: usize },
    #[error("`{option}` needs the hardware, and `--golden-only` leaves it out")]
    #[diagnostic(help("leave one of the two out"))]
    NeedsHardware { option: &'static str },
    #[error("the testbench drew a packet that it cannot encode: {0}")]
    #[diagnostic(help("the fault is in the testbench's source, not in the call"))]
    Unencodable(#[source] Unencodable),
    #[error("the wire blocks broke a rule of their ports: {0}")]
    #[diagnostic(help("`scripts/cosim wire` shows the packet and compares it with the model"))]
    Wire(#[source] RateError),
    #[error("the measured run stopped: {0}")]
    #[diagnostic(help("`scripts/cosim` runs scenarios beside the model and shows what differs"))]
    Measured(String),
    #[error("the bare model does not run as the device did: {0}")]
    #[diagnostic(help("the fault is in the testbench's source, not in the call"))]
    Played(#[source] hca_sim::tape::PlayError),
    #[error("this hardware has no Verilog: {0}")]
    #[diagnostic(help("the fault is in the hardware's source, not in the call"))]
    Export(#[source] ExportError),
    #[error("cannot export: {0}")]
    #[diagnostic(help("name a folder that can be made or written and has room"))]
    WriteExport(#[source] ExportError),
    #[error("cannot write `{}`: {source}", path.display())]
    #[diagnostic(help("name a folder that can be made or written and has room"))]
    WriteInterface { path: PathBuf, source: io::Error },
    #[error("cannot open the capture `{}`: {source}", path.display())]
    #[diagnostic(help("name a readable file, or `-` for standard input"))]
    OpenCapture { path: PathBuf, source: io::Error },
    #[error("cannot decode `{}`: {fault}", path.display())]
    #[diagnostic(help("{}", fault.trouble.help()))]
    Capture { path: PathBuf, fault: Fault },
    #[error(transparent)]
    #[diagnostic(help("name a file in a folder that exists, is writable and has room"))]
    Output(#[from] OutputError),
}

impl From<LiveError> for CallError {
    fn from(error: LiveError) -> CallError {
        match error {
            LiveError::Output(error) => error.into(),
            LiveError::Waves(error) => CallError::Waves(error),
        }
    }
}

impl CallError {
    /// As it goes to the terminal.
    pub fn render(&self) -> String {
        let mut text = format!("error: {self}\n");
        if let Some(help) = self.help() {
            text += &format!("  help: {help}\n");
        }
        text
    }
}
