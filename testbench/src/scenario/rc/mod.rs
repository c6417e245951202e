//! Every operation on many connections, in both directions, with or without faults of the link and of host memory.
mod breakage;
mod check;
mod plan;
mod soak;
mod software;
mod traffic;

use super::connection::{Connection, RECEIVE_CQ, SEND_CQ};
use super::region::all_memory_of;
use super::spread::{self, spread};
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::Side;
use breakage::Breakage;
use hca_golden::port::Link;
use hca_golden::verbs::{QpAttributes, QpState, RemoteAccess};
use hca_host::profile::Profile;
use plan::{Plan, Random, Shape, DOMAINS};
use software::Software;
use traffic::{OnProgress, ENTRIES, SPECIAL};

pub use soak::Soak;
pub use traffic::{
    qpn_of, Host, Lengths, Size, Traffic, LOSS_1, LOSS_20, MANY, MEMORY_ERRORS, MEMORY_ERRORS_LOSS_1, MIXED,
};

/// Local ack timeout, a code of `ack_timeout.csv`: 65.536 us.
const TIMEOUT: u8 = 4;
/// Timer code of RNR NAKs, as in `rnr_timer.csv`: 10 us.
const RNR_TIMER: u8 = 1;

impl Traffic {
    /// Returns the same traffic with as many connections as the profile has queue pairs for them.
    pub fn filling(self, profile: &Profile) -> Traffic {
        let connections = (1 << profile.qp_bits) - SPECIAL;
        let size = Size {
            connections,
            ..self.size
        };
        Traffic { size, ..self }
    }

    /// Runs it. The seed draws messages, their places and the faults.
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

fn attributes(link: Link, ports: u8, side: Side, shape: &Shape) -> QpAttributes {
    let connection = Connection {
        link,
        pmtu: shape.pmtu,
        x_psn: shape.psns[Side::X as usize],
        y_psn: shape.psns[Side::Y as usize],
        entries: ENTRIES,
    };
    let attributes = QpAttributes {
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
    };
    spread(ports, link, side, shape.n, attributes)
}

/// Moves all connections to RTS, with the memory regions that the messages use.
fn establish(fabric: &mut Fabric<'_>, plan: &Plan) -> Result<(), Stop> {
    let (link, ports) = (fabric.link(), fabric.ports());
    spread::begin(fabric)?;
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
            let attributes = attributes(link, ports, side, shape);
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
