//! Many rounds of messages on the same two devices.
use super::attributes;
use super::plan::DOMAINS;
use super::plan::{counter, Plan};
use super::traffic::{Host, Lengths, Size, Traffic};
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::faults::Faults;
use crate::scenario::connection::{RECEIVE_CQ, SEND_CQ};
use crate::scenario::region::l_key;
use crate::Side;

/// Runs until this many packets have crossed the link. Between two rounds every queue, queue pair and region is
/// destroyed and created again, while the adapters keep running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soak {
    pub packets: u64,
    /// Number of packets, of a thousand, that are lost. As many are repeated, half as many corrupted, and twice as many
    /// late.
    pub lost: u32,
}

/// The traffic of a round: short messages, because the packets matter, not the data.
const ROUND: Traffic = Traffic {
    name: "soak",
    size: Size {
        connections: 12,
        messages: 200,
        stalled_every: 0,
        lengths: Lengths::Short,
    },
    faults: None,
    may_give_up: false,
    host: Host {
        latency: 40,
        failing: 0,
    },
    posts: 4,
};

impl Soak {
    /// Name of the scenario.
    pub const NAME: &'static str = ROUND.name;
    /// Largest number of clock cycles that host memory takes.
    pub const MEMORY_LATENCY: u32 = ROUND.host.latency;

    /// Runs it. The seed draws all rounds.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        let faults = Faults {
            lost: self.lost,
            repeated: self.lost,
            corrupted: self.lost.div_ceil(2),
            delayed: 2 * self.lost,
            ..Faults::default()
        };
        fabric.suffer(faults, seed);
        let mut round = 0;
        while fabric.packets() < self.packets {
            let packets = self.packets;
            let progress = move |fabric: &mut Fabric<'_>, _, _| {
                fabric.report_progress(fabric.packets().min(packets), packets)
            };
            // Rounds of neighbouring seeds have nothing in common.
            let plan = ROUND.carry(fabric, seed.wrapping_mul(1 << 32).wrapping_add(round), &progress)?;
            clear_away(fabric, &plan)?;
            round += 1;
        }
        fabric.note(&format!("{round} rounds"))
    }
}

/// Destroys the objects of a round, once nothing of them is under way.
fn clear_away(fabric: &mut Fabric<'_>, plan: &Plan) -> Result<(), Stop> {
    fabric.settle()?;
    let (link, ports) = (fabric.link(), fabric.ports());
    for side in Side::BOTH {
        let mut verbs: Vec<Verb> = Vec::new();
        for shape in &plan.shapes {
            let qpn = attributes(link, ports, side, shape).qpn;
            verbs.push(Verb::DestroyQp { qpn });
            for which in 0..2 {
                let addr = counter(side.other(), shape.n, which);
                fabric.station(side).write_memory(addr, &[0; 8]);
            }
        }
        verbs.extend([SEND_CQ, RECEIVE_CQ].map(|cqn| Verb::DestroyCq { cqn }));
        verbs.extend((1..=DOMAINS).map(|entry| Verb::DeregMr { l_key: l_key(entry) }));
        let invalidated = plan.invalidated[side as usize].iter();
        verbs.extend(invalidated.map(|(entry, _)| Verb::DeregMr { l_key: l_key(*entry) }));
        fabric.verbs(side, verbs)?;
    }
    Ok(())
}
