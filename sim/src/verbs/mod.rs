//! Two HCAs on a cable, and software that waits for its verbs: a test needs no register.
//!
//! ```no_run
//! use hca_sim::verbs::{self, Connection, Pair, QpInitAttributes};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let design = hca_rtl::export::hca(&hca_host::profile::SMALL)?;
//! let library = hca_sim::design::library(&design)?;
//! let mut pair = Pair::new(&library, &hca_sim::SimConfig::default())?;
//! let cq = pair.x().create_cq(16)?;
//! let qp = pair.x().create_qp(&QpInitAttributes::new(cq, cq))?;
//! # let _ = qp;
//! # Ok(())
//! # }
//! ```
mod connection;
mod handles;
mod host;
mod limits;
mod numbers;

pub use connection::Connection;
pub use handles::{Cq, Mr, MrAttributes, Qp, QpInitAttributes};
pub use host::Host;
pub use limits::HcaLimits;

use crate::driver::{DriverError, HcaId, Ticket};
use crate::hca::{SimConfig, SimError, SimHca};
use crate::verilated::{self, Library};
use hca_host::profile::Profile;
use numbers::Numbers;

/// Clock cycles within which a verb has its outcome, or an awaited event occurs.
const PATIENCE: u64 = 1_000_000;
/// The default partition, full member (`protocol/headers.md` section 5).
const DEFAULT_P_KEY: u16 = 0xFFFF;
/// Entries of each event queue.
const EVENTS: u32 = 256;

/// Why a verb, or the simulation, did not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The verb was refused, and nothing changed.
    #[error(transparent)]
    Refused(#[from] DriverError),
    #[error(transparent)]
    Simulation(#[from] SimError),
    #[error(transparent)]
    Build(#[from] verilated::Error),
    #[error("{what} did not come in {PATIENCE} clock cycles")]
    Stalled { what: &'static str },
}

/// HCAs X and Y with a cable between them; a packet of one arrives at the other in the next clock.
pub struct Pair {
    hcas: [SimHca; 2],
    numbers: [Numbers; 2],
    profile: Profile,
}

impl Pair {
    /// Two HCAs whose ports have LIDs 1 and 2, or addresses 10.0.0.1 and 10.0.0.2; their events are enabled, and every
    /// QP can use the default partition by P_Key index 0.
    pub fn new(library: &Library, config: &SimConfig) -> Result<Pair, Error> {
        let profile = config.profile;
        let hca = |id: u32| {
            let config = SimConfig {
                id: HcaId(id),
                seed: config.seed.wrapping_mul(2).wrapping_add(id.into()),
                ..config.clone()
            };
            SimHca::new(library, &config)
        };
        let numbers = || Numbers::new(&profile);
        let mut pair = Pair {
            hcas: [hca(0)?, hca(1)?],
            numbers: [numbers(), numbers()],
            profile,
        };
        for side in [0, 1] {
            pair.start(side)?;
        }
        Ok(pair)
    }

    fn start(&mut self, side: usize) -> Result<(), Error> {
        let port = connection::port(side);
        let driver = self.hcas[side].driver();
        driver.set_port(port.lid, 0);
        driver.set_mac(&port.mac);
        driver.set_gid(&port.gid);
        driver.set_p_keys(&[DEFAULT_P_KEY, 0, 0, 0]);
        driver.enable_interrupt(true);
        let started = self.hcas[side].start_events(EVENTS)?;
        self.wait(side, started).map(drop)
    }

    /// HCA X with its software.
    pub fn x(&mut self) -> Host<'_> {
        Host::new(self, 0)
    }

    /// HCA Y with its software.
    pub fn y(&mut self) -> Host<'_> {
        Host::new(self, 1)
    }

    /// Moves a QP of X and a QP of Y from Reset to RTS, connected to each other.
    pub fn connect(&mut self, x: Qp, y: Qp, connection: &Connection) -> Result<(), Error> {
        let roce = self.profile.link == hca_host::profile::Link::Roce;
        self.x().connect(x, &connection.with_peer(1, y, roce))?;
        self.y().connect(y, &connection.with_peer(0, x, roce))
    }

    /// Clock cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.hcas[0].cycle()
    }

    /// Runs both for one clock cycle.
    pub fn clock(&mut self) -> Result<(), Error> {
        for hca in &mut self.hcas {
            hca.clock()?;
            while hca.retired().is_some() {}
        }
        let [x, y] = &mut self.hcas;
        while let Some(packet) = x.packet_out() {
            y.send_packet(packet.bytes);
        }
        while let Some(packet) = y.packet_out() {
            x.send_packet(packet.bytes);
        }
        Ok(())
    }

    /// Runs clocks until a call has its outcome.
    fn wait(&mut self, side: usize, ticket: Ticket) -> Result<u32, Error> {
        self.wait_for("a verb's outcome", |pair| Ok(pair.hcas[side].outcome(ticket)))?
            .map_err(Error::from)
    }

    /// Runs clocks until `come` returns a value.
    fn wait_for<T>(
        &mut self,
        what: &'static str,
        mut come: impl FnMut(&mut Pair) -> Result<Option<T>, Error>,
    ) -> Result<T, Error> {
        let start = self.cycle();
        while self.cycle() - start < PATIENCE {
            if let Some(come) = come(self)? {
                return Ok(come);
            }
            self.clock()?;
        }
        Err(Error::Stalled { what })
    }
}
