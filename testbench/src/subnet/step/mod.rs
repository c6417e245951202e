//! What real programs do to the subnet: each step begins with two adapters at reset.
mod cable;
mod handover;
mod m_key;
mod path_bits;
mod policy;
mod sweep;
mod tools;
mod traffic;

use super::cable::Cable;
use super::session::{Ran, Session};
use super::Node;

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

    /// Whether a replay can be held to what its programs read: counters of traffic depend on when they are read.
    pub fn can_be_recorded(self) -> bool {
        self != Step::Traffic
    }

    /// Plays it on a subnet at reset.
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

/// The default partition of OpenSM, with every port a full member.
const PARTITIONS: &str = "Default=0x7fff, ipoib: ALL=full;\n";
/// PortState of an Active port and of a port that waits for a manager.
const ACTIVE: u8 = 4;
const INIT: u8 = 2;
const DOWN: u8 = 1;

/// Both ports are Active, with LIDs of their own and the same manager.
fn check_active<C: Cable>(session: &mut Session<C>, manager: Node) -> Ran<()> {
    let infos = [session.port_info(Node::Alpha)?, session.port_info(Node::Beta)?];
    let [alpha, beta] = infos;
    for (node, info) in Node::BOTH.into_iter().zip(infos) {
        let name = node.name();
        session.check(info.port_state == ACTIVE, || {
            format!("the port of {name} is in state {}, not Active", info.port_state)
        })?;
        session.check(info.lid != 0, || format!("the port of {name} has no LID"))?;
    }
    session.check(alpha.lid != beta.lid, || {
        format!("both ports have LID {}", alpha.lid)
    })?;
    let manager = infos[manager as usize].lid;
    let masters = [alpha.master_sm_lid, beta.master_sm_lid];
    session.check(masters == [manager; 2], || {
        format!("the manager's LID is {manager}, and the ports say {masters:?}")
    })
}

/// Whether the ports map SLs to more than one VL.
fn has_lanes<C: Cable>(session: &mut Session<C>) -> Ran<bool> {
    Ok(session.port_info(Node::Alpha)?.vl_cap > 1)
}

/// The LID of a node as text.
fn lid<C: Cable>(session: &mut Session<C>, node: Node) -> Ran<String> {
    Ok(session.port_info(node)?.lid.to_string())
}
