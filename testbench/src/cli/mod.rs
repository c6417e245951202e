//! The command line: `hca cosim`, `hca live`, `hca subnet`, `hca decode`, `hca check`, `hca fuzz`, `hca replay`, `hca
//! conformance`, `hca export`, `hca interface`, `hca bench`.
pub mod bench;
mod bench_check;
mod bench_cq;
mod bench_credits;
mod bench_decisions;
mod bench_fuzz;
mod bench_link;
mod bench_pipes;
mod bench_rc;
mod bench_simulation;
mod bench_wire;
pub mod check;
mod conformance;
pub mod console;
pub mod cosim;
mod decisions;
pub mod decode;
pub mod error;
pub mod export;
mod exported;
pub mod fuzz;
pub mod hardware;
pub mod intake;
pub mod interface;
pub mod link;
pub mod live;
pub mod recorder;
pub mod subnet;
pub mod variant;
mod verdict;
mod waves;
mod wire;
mod words;

pub use verdict::Verdict;

use clap::{Parser, Subcommand};
use error::CallError;
use hca_host::designs::Designs;

/// An InfiniBand host channel adapter in hardware, beside its golden model.
#[derive(Debug, Parser)]
#[command(name = "hca", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say on standard error why a design's simulation is slower than it might be
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run scenarios on the hardware beside the model
    Cosim(cosim::Arguments),
    /// Run the adapter, its model beside it, as a live peer of Linux in a virtual machine or of another such adapter
    Live(live::Arguments),
    /// Run OpenSM and other real programs on a subnet of two nodes
    Subnet(subnet::Arguments),
    /// Print the packets of a capture, with all their fields and what their CRCs are worth
    Decode(decode::Arguments),
    /// Judge a capture of other people's traffic against the transport's rules
    Check(check::Arguments),
    /// Run random cases on the hardware beside the model, shrink what differs, write it to files
    Fuzz(fuzz::Arguments),
    /// Run a case of `hca fuzz` again, bit for bit
    Replay(fuzz::replay::Arguments),
    /// Print, for each requirement, its cases and their results on the model and on the hardware
    Conformance(conformance::Arguments),
    /// The process of `hca fuzz` that runs cases
    #[command(hide = true)]
    FuzzWorker,
    /// Write the hardware as Verilog, one file a module, with a file list
    Export(export::Arguments),
    /// Write the host interface: register map as a page and as SystemRDL, all numbers as a C header
    Interface(interface::Arguments),
    /// Measure cycles per packet and the simulation's speed
    Bench(bench::Arguments),
}

impl Cli {
    /// Carries out the call with the adapter of `designs`.
    pub fn run(self, designs: Designs) -> Result<Verdict, CallError> {
        if self.verbose {
            hardware::explain_builds();
        }
        match self.command {
            Command::Cosim(arguments) => cosim::run(designs, &arguments),
            Command::Live(arguments) => live::run(designs, &arguments),
            Command::Subnet(arguments) => subnet::run(designs, &arguments),
            Command::Decode(arguments) => decode::run(&arguments),
            Command::Check(arguments) => check::run(&arguments),
            Command::Fuzz(arguments) => fuzz::run(&arguments),
            Command::Replay(arguments) => fuzz::replay::run(designs, &arguments),
            Command::Conformance(arguments) => conformance::run(designs, &arguments),
            Command::FuzzWorker => fuzz::worker::run(designs),
            Command::Export(arguments) => export::run(designs, &arguments),
            Command::Interface(arguments) => interface::run(&arguments),
            Command::Bench(arguments) => bench::run(designs, &arguments),
        }
    }
}
