//! Messages of several services on one adapter, both ways, on a sound link and on one that loses packets.
mod flood;
mod flow;
mod message;
mod multicast;
mod origin;
mod setup;

use super::uc;
use crate::fabric::{Fabric, Stop};
use crate::faults::Faults;
use crate::Side;
use flow::{Flow, Flows};
use hca_golden::port::Link;
use hca_golden::verbs::{Completion, Service, Sge};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use flood::Flood;
pub use multicast::Multicast;

/// Queue pairs of a side; with the smallest profile, two indices stay free.
const QPS: u32 = 12;
/// Messages of a queue pair; as many receive WQEs wait for them.
const MESSAGES: u32 = 24;
/// Entries of every work queue, a power of two.
const ENTRIES: u32 = 32;
/// Most bytes of a message.
const LONGEST: u32 = 6000;
/// Bytes from one message's place to the next.
const STRIDE: u64 = 0x2000;
/// Places that messages come from, and where they go: of a Send by its receive WQE, of a Write by its own number.
const SOURCES: u64 = 0x1000_0000;
const BUFFERS: u64 = 0x2000_0000;
const TARGETS: u64 = 0x3000_0000;
/// Bytes that Reads bring, and where they go.
const READ: u64 = 0x4000_0000;
const BROUGHT: u64 = 0x5000_0000;
/// Bit of `wr_id` that marks a receive WQE.
const RECEIVE: u64 = 1 << 32;
/// Index of the first queue pair; those before it are QP0 and QP1.
const FIRST: u32 = 2;

/// A run under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Services {
    pub name: &'static str,
    /// Queue pairs have them in turn.
    services: &'static [Service],
    faults: Option<Faults>,
    /// Flow control of the link, with the VL of each SL as in [`Fabric::control_flow`].
    credits: Option<u16>,
}

const UD: &[Service] = &[Service::Ud];
const ALL: &[Service] = &[Service::Rc, Service::Uc, Service::Ud];

impl Services {
    /// Datagrams on a sound link: all arrive that are no longer than a packet.
    pub const UD_MIXED: Services = Services::of("ud-mixed", UD, None);
    /// One packet in a hundred is lost, others are repeated, corrupted or delayed.
    pub const UD_LOSS_1: Services = Services::of("ud-loss-1", UD, uc::LOSS_1.faults);
    /// One packet in five is lost.
    pub const UD_LOSS_20: Services = Services::of("ud-loss-20", UD, uc::LOSS_20.faults);
    /// RC, UC and UD at once.
    pub const MIXED: Services = Services::of("services-mixed", ALL, None);
    pub const LOSS_1: Services = Services::of("services-loss-1", ALL, uc::LOSS_1.faults);
    pub const LOSS_20: Services = Services::of("services-loss-20", ALL, uc::LOSS_20.faults);

    /// The same by credits of the link, on two VLs.
    pub const CREDITS: Services = Services::by_credits("services-credits", None);
    /// One packet in five is lost, and its credits come back.
    pub const CREDITS_LOSS_20: Services = Services::by_credits(
        "services-credits-loss-20",
        Some(Faults {
            lost: 200,
            repeated: 0,
            echoed: 0,
            corrupted: 20,
            delayed: 0,
            overtaken: 0,
        }),
    );

    const RUNS: [Services; 8] = [
        Services::UD_MIXED,
        Services::UD_LOSS_1,
        Services::UD_LOSS_20,
        Services::MIXED,
        Services::LOSS_1,
        Services::LOSS_20,
        Services::CREDITS,
        Services::CREDITS_LOSS_20,
    ];

    const fn of(name: &'static str, services: &'static [Service], faults: Option<Faults>) -> Services {
        Services {
            name,
            services,
            faults,
            credits: None,
        }
    }

    /// By credits, on two VLs: SL 2 is on VL 0, SL 3 on VL 1. Ethernet has neither.
    const fn by_credits(name: &'static str, faults: Option<Faults>) -> Services {
        Services {
            credits: Some(0xAAAA),
            ..Services::of(name, ALL, faults)
        }
    }

    /// The run with this name.
    pub fn named(name: &str) -> Option<Services> {
        Services::RUNS.into_iter().find(|run| run.name == name)
    }

    fn service(&self, n: u32) -> Service {
        self.services[n as usize % self.services.len()]
    }

    /// Queue pairs of datagrams.
    fn datagrams(&self) -> Vec<u32> {
        (0..QPS).filter(|n| self.service(*n) == Service::Ud).collect()
    }

    /// Runs it; the seed draws messages, their places and the faults.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        setup::establish(self, fabric, &mut random)?;
        if let Some(vls) = self.credits.filter(|_| fabric.link() == Link::InfiniBand) {
            fabric.control_flow(vls)?;
        }
        let mut flows = Flows::random(self, &mut random);
        flows.write(fabric);
        if let Some(faults) = self.faults {
            fabric.suffer(faults, seed);
        }
        let total = u64::from(QPS * 2 * MESSAGES);
        while let Some(turn) = flows.next(&mut random) {
            flows.all[turn].post(fabric);
            for _ in 0..random.next_u32() % 64 {
                fabric.step()?;
            }
            flows.take(fabric)?;
            fabric.report_progress(flows.posted(), total);
        }
        fabric.settle()?;
        fabric.watch()?;
        flows.take(fabric)?;
        flows.check(fabric)
    }
}

fn qpn_of(side: Side, n: u32) -> u32 {
    let own = match side {
        Side::X => 0x0A_0000,
        Side::Y => 0x0B_0000,
    };
    own | n << 8 | (n + FIRST)
}

/// Number of a queue pair by its QPN.
fn number_of(qpn: u32) -> u32 {
    qpn >> 8 & 0xFF
}

/// Place of message `m` of queue pair `n` in an area.
fn place(area: u64, n: u32, m: u32) -> u64 {
    area + u64::from(n * ENTRIES + m) * STRIDE
}

/// Whether a completion is that of a receive WQE.
fn is_received(completion: &Completion) -> bool {
    completion.wr_id & RECEIVE != 0
}

/// SGEs that follow each other in memory, of this many bytes together.
fn split(random: &mut ChaCha8Rng, addr: u64, length: u32) -> Vec<Sge> {
    uc::split(random, addr, length)
}

/// Bytes of a side's memory.
fn read(fabric: &mut Fabric<'_>, side: Side, addr: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    fabric.station(side).read_memory(addr, &mut bytes);
    bytes
}

/// What the flow of a queue pair is named in a report.
fn named(flow: &Flow, what: &str) -> String {
    format!("{what} of QP {:06X}h", qpn_of(flow.from, flow.n))
}
