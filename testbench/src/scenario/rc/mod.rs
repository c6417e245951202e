//! Every operation on many connections, both ways, with or without faults of the link and of host memory.
mod breakage;
mod check;
mod plan;
mod soak;
mod software;

use super::connection::{Connection, RECEIVE_CQ, SEND_CQ};
use super::region::all_memory_of;
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::faults::Faults;
use crate::Side;
use breakage::Breakage;
use hca_golden::port::Link;
use hca_golden::verbs::{QpAttributes, QpState, RemoteAccess};
use hca_host::profile::{Profile, SMALL};
use plan::{Plan, Random, Shape, DOMAINS};
use software::Software;

pub use soak::Soak;

/// Entries of every work queue.
const ENTRIES: u32 = 16;
/// Code of `ack_timeout.csv`: 65.536 us.
const TIMEOUT: u8 = 4;
/// Code of `rnr_timer.csv`: 10 us.
const RNR_TIMER: u8 = 1;

/// The amount of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Connections, at most 254.
    pub connections: u32,
    /// Number of messages of each connection, each way.
    pub messages: u32,
    /// One connection in this many has no receive buffers until all others have ended: its requesters get RNR NAKs
    /// again and again. 0: none.
    pub stalled_every: u32,
    pub lengths: Lengths,
}

/// Lengths of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    Any,
    /// Most messages fit into a packet of any PMTU.
    Short,
}

/// A few connections: with the smallest profile, two indices stay free.
const FEW: Size = Size {
    connections: 12,
    messages: 24,
    stalled_every: 0,
    lengths: Lengths::Any,
};

/// A run under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    pub name: &'static str,
    pub size: Size,
    pub faults: Option<Faults>,
    /// So many packets are lost that a QP may run out of retries.
    pub may_give_up: bool,
    pub host: Host,
    /// Number of requests that software of a side posts at a time.
    pub posts: u32,
}

/// Function that is called with the number of ended messages and of all messages.
type OnProgress = dyn Fn(&mut Fabric<'_>, u64, u64);

/// Behaviour of host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Most clock cycles of an answer.
    pub latency: u32,
    /// For one message in this many something fails; 0: nothing ever does.
    pub failing: u32,
}

const SOUND: Host = Host {
    latency: 40,
    failing: 0,
};
const FAILING: Host = Host {
    latency: 600,
    failing: 80,
};

/// No faults.
pub const MIXED: Traffic = Traffic {
    name: "rc-mixed",
    size: FEW,
    faults: None,
    may_give_up: false,
    host: SOUND,
    posts: 1,
};
/// One packet in a hundred is lost.
pub const LOSS_1: Traffic = Traffic {
    name: "rc-loss-1",
    size: FEW,
    faults: Some(Faults {
        lost: 10,
        repeated: 10,
        corrupted: 5,
        delayed: 20,
        overtaken: 0,
        echoed: 0,
    }),
    may_give_up: false,
    host: SOUND,
    posts: 1,
};
/// As many messages as a work queue has entries: a failure of an entry belongs to one of them.
const UNREPEATED: Size = Size {
    connections: FEW.connections,
    messages: ENTRIES,
    stalled_every: 0,
    lengths: Lengths::Any,
};
/// Host memory answers late, and some accesses with errors.
pub const MEMORY_ERRORS: Traffic = Traffic {
    name: "rc-memory-errors",
    size: UNREPEATED,
    faults: None,
    may_give_up: false,
    host: FAILING,
    posts: 1,
};
/// The same while packets are lost.
pub const MEMORY_ERRORS_LOSS_1: Traffic = Traffic {
    name: "rc-memory-errors-loss-1",
    faults: LOSS_1.faults,
    ..MEMORY_ERRORS
};
/// One packet in five is lost.
pub const LOSS_20: Traffic = Traffic {
    name: "rc-loss-20",
    size: FEW,
    faults: Some(Faults {
        lost: 200,
        repeated: 50,
        corrupted: 20,
        delayed: 50,
        overtaken: 0,
        echoed: 0,
    }),
    may_give_up: true,
    host: SOUND,
    posts: 1,
};

/// Indices that QP0 and QP1 alone have.
const SPECIAL: u32 = 2;
/// A connection for each queue pair of a profile except QP0 and QP1, some of them stalled.
pub const MANY: Traffic = Traffic {
    name: "rc-many",
    size: Size {
        connections: (1 << SMALL.qp_bits) - SPECIAL,
        messages: 8,
        stalled_every: 8,
        lengths: Lengths::Any,
    },
    faults: None,
    may_give_up: false,
    host: SOUND,
    posts: 1,
};

impl Traffic {
    /// The same with as many connections as the profile has queue pairs for them.
    pub fn filling(self, profile: &Profile) -> Traffic {
        let connections = (1 << profile.qp_bits) - SPECIAL;
        let size = Size {
            connections,
            ..self.size
        };
        Traffic { size, ..self }
    }

    /// Runs it; the seed draws messages, their places and the faults.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        if let Some(faults) = self.faults {
            fabric.suffer(faults, seed);
        }
        let progress = |fabric: &mut Fabric<'_>, ended, total| fabric.report_progress(ended, total);
        self.carry(fabric, seed, &progress).map(|_| ())
    }

    /// Creates the connections, carries the messages, and checks the results.
    fn carry(&self, fabric: &mut Fabric<'_>, seed: u64, progress: &OnProgress) -> Result<Plan, Stop> {
        let mut random = Random::new(seed);
        let plan = Plan::random(&mut random, self.size);
        establish(fabric, &plan)?;
        let breakage = Breakage::random(&mut random, &plan, self.host.failing);
        breakage.begin(fabric);
        let mut software = Software::new(&plan, random, self, &breakage);
        software.run(fabric, progress)?;
        fabric.rest()?;
        software.take_completions(fabric)?;
        check::completions(fabric, &plan, &software)?;
        check::memory(fabric, &plan, &software)?;
        Ok(plan)
    }
}

/// QP `n` of a side; its low bits are its index.
pub fn qpn_of(side: Side, n: u32) -> u32 {
    let own = match side {
        Side::X => 0x0A_0000,
        Side::Y => 0x0B_0000,
    };
    own | n << 8 | (n + SPECIAL)
}

fn attributes(link: Link, side: Side, shape: &Shape) -> QpAttributes {
    let connection = Connection {
        link,
        pmtu: shape.pmtu,
        x_psn: shape.psns[Side::X as usize],
        y_psn: shape.psns[Side::Y as usize],
        entries: ENTRIES,
    };
    QpAttributes {
        qpn: qpn_of(side, shape.n),
        dest_qpn: qpn_of(side.other(), shape.n),
        sl: shape.sl,
        min_rnr_timer: RNR_TIMER,
        timeout: TIMEOUT,
        pd: shape.pd,
        access: RemoteAccess {
            write: true,
            read: true,
            atomic: true,
        },
        max_rd_atomic: shape.depth,
        max_dest_rd_atomic: shape.depth,
        credits: shape.credits[side as usize],
        ..connection.attributes(side)
    }
}

/// Moves all connections to RTS, with the memory regions that the messages use.
fn establish(fabric: &mut Fabric<'_>, plan: &Plan) -> Result<(), Stop> {
    let link = fabric.link();
    for side in Side::BOTH {
        let entries = plan.shapes.len() as u32 * ENTRIES;
        let mut verbs: Vec<Verb> = [SEND_CQ, RECEIVE_CQ]
            .map(|cqn| Verb::CreateCq { cqn, entries })
            .into();
        let domains = (1..=DOMAINS).map(|pd| (pd, pd));
        let regions = domains.chain(plan.invalidated[side as usize].iter().copied());
        verbs.extend(regions.map(|(entry, pd)| Verb::RegMr {
            region: all_memory_of(entry, pd),
        }));
        for shape in &plan.shapes {
            let attributes = attributes(link, side, shape);
            let qpn = attributes.qpn;
            verbs.push(Verb::CreateQp {
                attributes,
                send_entries: ENTRIES,
                receive_entries: ENTRIES,
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
        }
        fabric.verbs(side, verbs)?;
    }
    for flow in plan.flows.iter().flatten() {
        for message in &flow.messages {
            let side = message.source_side(flow.from);
            check::write(fabric, side, &message.source, &message.bytes);
        }
    }
    Ok(())
}
