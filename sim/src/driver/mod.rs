//! The driver software of a host: rings in host memory, commands, doorbells, polling.
//!
//! Nothing blocks. A call that needs the register bus returns a [`Ticket`]. Its [`outcome`](Driver::outcome) is
//! available once the clock has carried the call out; calls are carried out in order. A command affects later calls
//! once its outcome is available. The hardware checks commands; the driver refuses only values that do not fit a
//! register.
mod attributes;
mod bus;
mod cq;
mod cq_books;
mod cq_verbs;
mod effect;
mod effects;
mod error;
mod event;
mod event_verbs;
mod extended_counters;
mod group_verbs;
mod handle_verbs;
mod init;
mod limits;
mod port;
mod post;
mod qp;
mod qp_verbs;
mod region;
mod ring;
mod rings;
mod route;
mod state;
mod violation;
mod words;
mod work;

pub use attributes::{EndToEndCredits, QpChanges, QpStatus, RemoteAccess};
pub use bus::Ticket;
pub use cq::Completion;
pub use cq_books::CqBooks;
pub use cq_verbs::{Armed, CqStatus};
pub use error::DriverError;
pub use event::{CompletionHandler, Event, HcaId};
pub use extended_counters::{ExtendedCounters, ExtendedCountersQuery};
pub use group_verbs::Group;
pub use handle_verbs::AddressHandle;
pub use init::{QpInit, Service};
pub use limits::{HcaLimits, HcaQuery};
pub use port::{
    vl_arbitration_table, OfPort, PortCounter, VlArbitrationTable, GIDS, P_KEYS, VL_ARBITRATION_ENTRIES,
};
pub use region::{Region, RegionAccess};
pub use rings::{RINGS, RINGS_SIZE};
pub use route::{AddressVector, EthernetRoute, GlobalRoute};
pub use state::{QpState, Side};
pub use violation::{KeyViolation, ViolationQuery};
pub use work::{Operation, ReceiveWork, SendWork};

use crate::axil::AxilMaster;
use crate::memory::Memory;
use bus::{Job, Jobs};
use cq::Cq;
use event::Events;
use hca_host::profile::Profile;
use qp::Qp;
use rings::Rings;
use route::OwnPort;
use std::collections::BTreeMap;

/// The driver of one HCA.
pub struct Driver {
    id: HcaId,
    profile: Profile,
    jobs: Jobs,
    rings: Rings,
    /// Queue pairs by index, the low bits of the QPN.
    qps: BTreeMap<u32, Qp>,
    cqs: BTreeMap<u32, Cq>,
    events: Events,
    ports: Vec<OwnPort>,
    /// Place among `ports` of the one that calls about a port mean.
    addressed: usize,
}

impl Driver {
    /// Makes a driver. `rings` is the byte address of the first ring in host memory.
    pub fn new(id: HcaId, profile: Profile, rings: u64) -> Driver {
        Driver {
            id,
            profile,
            jobs: Jobs::default(),
            rings: Rings::new(rings),
            qps: BTreeMap::new(),
            cqs: BTreeMap::new(),
            events: Events::default(),
            ports: vec![OwnPort::default(); profile.ports()],
            addressed: 0,
        }
    }

    /// Combines waiting doorbells of one queue into one register write from now on, as software that posts lists does.
    pub fn combine_doorbells(&mut self) {
        self.jobs.combine();
    }

    /// Reads a register. The outcome is its value.
    pub fn read_register(&mut self, addr: u32) -> Ticket {
        self.jobs.push(Job::Read { addr })
    }

    /// Writes a register.
    pub fn write_register(&mut self, addr: u32, value: u32) -> Ticket {
        self.jobs.push(Job::Write { addr, value })
    }

    /// Returns the outcome of a call: `None` while it is not carried out, else the value read (0 if nothing was read),
    /// or why it was refused.
    pub fn outcome(&self, ticket: Ticket) -> Option<Result<u32, DriverError>> {
        self.jobs.outcome(ticket)
    }

    /// Returns true if no call waits for the register bus.
    pub fn is_idle(&self) -> bool {
        self.jobs.is_idle()
    }

    /// Makes progress: passes accesses to the bus and takes its answers.
    pub fn step(&mut self, bus: &mut AxilMaster, memory: &Memory) {
        for (effect, answer) in self.jobs.step(bus) {
            match answer {
                Some(answer) => self.take_effect(effect, &answer, memory),
                None => self.take_back(effect),
            }
        }
    }
}
