//! Named runs: the actions of software on both sides, and the literal expectations.
pub mod connection;
pub mod credits;
mod entry;
pub mod o2iblnd;
pub mod rc;
pub mod region;
pub mod seed001;
pub mod send;
pub mod services;
mod spread;
pub mod uc;

pub use entry::Entry;

use crate::fabric::{Fabric, Stop};
use credits::Credits;
use hca_golden::verbs::Pmtu;
use rc::{Soak, Traffic};
use services::{Flood, Multicast, Services};
use uc::UcTraffic;

/// All scenarios except those of [`credits`]. The first one runs if none is named.
const OTHERS: &[Entry] = &[
    Entry {
        name: "seed001",
        about: "one 5 KB Send at PMTU 2048, start PSNs 100 and 2000, every packet checked literally",
    },
    Entry {
        name: "send",
        about: "any file as messages from X to Y (--payload FILE, --message-size, --pmtu)",
    },
    Entry {
        name: rc::MIXED.name,
        about: "every operation, mixed, on 12 connections both ways, PSNs near the end of the 24 bits",
    },
    Entry {
        name: rc::LOSS_1.name,
        about: "the same over a link that loses one packet in a hundred, and repeats, corrupts, delays and reorders some",
    },
    Entry {
        name: rc::LOSS_20.name,
        about: "the same with one packet in five lost: a connection may end once its retries run out",
    },
    Entry {
        name: rc::MEMORY_ERRORS.name,
        about: "every operation while host memory answers late and now and then with an error: of data, WQEs, SGEs, CQEs",
    },
    Entry {
        name: rc::MEMORY_ERRORS_LOSS_1.name,
        about: "the same over a link that loses one packet in a hundred",
    },
    Entry {
        name: rc::MANY.name,
        about: "every operation on all the queue pairs of the profile, of which some stall until the others have ended",
    },
    Entry {
        name: uc::MIXED.name,
        about: "Sends and Writes over 12 unreliable connections both ways: everything arrives",
    },
    Entry {
        name: uc::LOSS_1.name,
        about: "the same over a link that loses one packet in a hundred, and repeats, corrupts and delays as many: what is lost is lost whole",
    },
    Entry {
        name: uc::LOSS_20.name,
        about: "the same with a fifth of the packets lost, and as many repeated, corrupted and overtaken",
    },
    Entry {
        name: Services::UD_MIXED.name,
        about: "datagrams between 12 queue pairs of each side, with and without GRH: all arrive that are no longer than a packet",
    },
    Entry {
        name: Services::UD_LOSS_1.name,
        about: "the same over a link that loses one packet in a hundred, and repeats, corrupts and delays as many",
    },
    Entry {
        name: Services::UD_LOSS_20.name,
        about: "the same with a fifth of the packets lost, and as many repeated, corrupted and overtaken",
    },
    Entry {
        name: Multicast::SOUND.name,
        about: "datagrams for four groups, which 12 queue pairs of each side join and leave: every other member gets one copy",
    },
    Entry {
        name: Multicast::LOSS_1.name,
        about: "the same over a link that loses one packet in a hundred, and repeats, corrupts and delays as many: the copies within an adapter all come",
    },
    Entry {
        name: Multicast::LOSS_20.name,
        about: "the same with a fifth of the packets lost, and as many repeated, corrupted and overtaken",
    },
    Entry {
        name: Services::MIXED.name,
        about: "RC, UC and UD at once, on 12 queue pairs of each side",
    },
    Entry {
        name: Services::LOSS_1.name,
        about: "the same over a link that loses one packet in a hundred, and repeats, corrupts and delays as many: RC loses nothing, the others what was lost",
    },
    Entry {
        name: Services::LOSS_20.name,
        about: "the same with a fifth lost, and as many repeated, corrupted and overtaken: a connection of RC may end once its retries run out",
    },
    Entry {
        name: Services::CREDITS.name,
        about: "RC, UC and UD at once by the credits of two VLs: nothing is lost for want of room, and nothing stalls",
    },
    Entry {
        name: Services::CREDITS_LOSS_20.name,
        about: "the same with one packet in five lost: the credits of lost packets come back",
    },
    Entry {
        name: Flood::NAME,
        about: "a connection of RC beside six queue pairs that send datagrams all the time, both ways: it does not starve",
    },
    Entry {
        name: Soak::NAME,
        about: "rounds of short messages of every operation until --packets have crossed a link that loses some; no reset between",
    },
    Entry {
        name: o2iblnd::NAME,
        about: "traffic of Lustre's o2iblnd: messages by credits of its own, bulk data by Write; no RNR NAK, no stall",
    },
    Entry {
        name: "wire",
        about: "random packets, legal and mutated, through parser and builder at every width and framing (--cases)",
    },
    Entry {
        name: "decisions",
        about: "the engines' decisions on random contexts and events, block against model (--cases)",
    },
];

/// Returns all scenarios, for `--list`.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    OTHERS.iter().chain(credits::ALL.iter().map(|(_, entry)| entry))
}

/// A scenario with its parameters.
#[derive(Clone, Debug)]
pub enum Scenario {
    Seed001,
    Send {
        payload: Vec<u8>,
        /// Length of a message in bytes, at least 1. The last message may be shorter.
        message_size: u32,
        pmtu: Pmtu,
    },
    Rc(Traffic),
    Uc(UcTraffic),
    Services(Services),
    Multicast(Multicast),
    Flood,
    Soak(Soak),
    Credits(Credits),
    O2iblnd,
}

impl Scenario {
    /// Returns its name in [`all`].
    pub fn name(&self) -> &'static str {
        match self {
            Scenario::Seed001 => "seed001",
            Scenario::Send { .. } => "send",
            Scenario::Rc(traffic) => traffic.name,
            Scenario::Uc(traffic) => traffic.name,
            Scenario::Services(services) => services.name,
            Scenario::Multicast(multicast) => multicast.name,
            Scenario::Flood => Flood::NAME,
            Scenario::Soak(_) => Soak::NAME,
            Scenario::Credits(credits) => credits.name(),
            Scenario::O2iblnd => o2iblnd::NAME,
        }
    }

    /// Returns true if it needs more than Sends: RDMA, protection, retransmission.
    pub fn needs_all_of_rc(&self) -> bool {
        matches!(
            self,
            Scenario::Rc(_)
                | Scenario::Uc(_)
                | Scenario::Services(_)
                | Scenario::Multicast(_)
                | Scenario::Flood
                | Scenario::Soak(_)
                | Scenario::Credits(_)
                | Scenario::O2iblnd
        )
    }

    /// Returns the largest number of clock cycles that host memory takes.
    pub fn memory_latency(&self) -> Option<u32> {
        match self {
            Scenario::Rc(traffic) => Some(traffic.host.latency),
            Scenario::Soak(_) => Some(Soak::MEMORY_LATENCY),
            _ => None,
        }
    }

    /// Runs the scenario to its end.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        match self {
            Scenario::Seed001 => seed001::run(fabric, seed)?,
            Scenario::Send {
                payload,
                message_size,
                pmtu,
            } => send::run(fabric, seed, payload, *message_size, *pmtu)?,
            Scenario::Rc(traffic) => traffic.run(fabric, seed)?,
            Scenario::Uc(traffic) => traffic.run(fabric, seed)?,
            Scenario::Services(services) => services.run(fabric, seed)?,
            Scenario::Multicast(multicast) => multicast.run(fabric, seed)?,
            Scenario::Flood => Flood.run(fabric)?,
            Scenario::Soak(soak) => soak.run(fabric, seed)?,
            Scenario::Credits(credits) => credits.run(fabric, seed)?,
            Scenario::O2iblnd => o2iblnd::run(fabric, seed)?,
        }
        fabric.finish()
    }
}
