//! Steps: what real programs do to the subnet. Each step begins with two adapters at reset.
mod cable;
mod expectation;
mod handover;
mod m_key;
mod path_bits;
mod policy;
mod sweep;
mod tools;
mod traffic;

use super::cable::Cable;
use super::session::{Ran, Session};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Step {
    /// OpenSM sweeps once: two nodes, LIDs, both ports Active
    Sweep,
    /// Two partitions, SLs on VLs, arbitration tables, the high limit
    Policy,
    /// An M_Key, its protection, its violations with their trap, and its lease
    MKey,
    /// LMC 2: each port answers to four LIDs
    PathBits,
    /// The cable is pulled and plugged in, ports are disabled and enabled
    Cable,
    /// Programs of infiniband-diags
    Tools,
    /// A second manager takes over from the first
    Handover,
    /// Messages on four SLs of the adapters beside perfquery
    Traffic,
}

impl Step {
    /// All steps, in the order in which they are played.
    pub const ALL: [Step; 8] = [
        Step::Sweep,
        Step::Policy,
        Step::MKey,
        Step::PathBits,
        Step::Cable,
        Step::Tools,
        Step::Handover,
        Step::Traffic,
    ];

    /// Returns true if a replay must match what the programs read. Counters of traffic depend on the time at which they
    /// are read.
    pub fn can_be_recorded(self) -> bool {
        self != Step::Traffic
    }

    /// Plays the step on a subnet at reset.
    pub fn play<C: Cable>(self, session: &mut Session<C>) -> Ran<()> {
        match self {
            Step::Sweep => sweep::play(session),
            Step::Policy => policy::play(session),
            Step::MKey => m_key::play(session),
            Step::PathBits => path_bits::play(session),
            Step::Cable => cable::play(session),
            Step::Tools => tools::play(session),
            Step::Handover => handover::play(session),
            Step::Traffic => traffic::play(session),
        }
    }
}
