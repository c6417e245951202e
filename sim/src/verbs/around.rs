//! What runs while the software of a host waits: one adapter or two, on one clock.
use super::numbers::Numbers;
use super::{Error, Port, DEFAULT_P_KEY, EVENTS, PATIENCE};
use crate::driver::{HcaId, Ticket};
use crate::hca::{SimConfig, SimHca};
use crate::verilated::Library;

/// An HCA, and the numbers that its software has assigned.
pub(super) struct End {
    pub hca: SimHca,
    pub numbers: Numbers,
}

impl End {
    pub fn new(library: &Library, config: &SimConfig) -> Result<End, Error> {
        Ok(End {
            hca: SimHca::new(library, config)?,
            numbers: Numbers::new(&config.profile),
        })
    }

    /// Makes the HCA with this number on the host. It draws its own random numbers.
    pub fn numbered(library: &Library, config: &SimConfig, id: u32) -> Result<End, Error> {
        let config = SimConfig {
            id: HcaId(id),
            seed: config.seed.wrapping_mul(2).wrapping_add(id.into()),
            ..config.clone()
        };
        End::new(library, &config)
    }

    /// Sets up the port, the event queue and the default partition, and makes a native port Active.
    pub fn start(&mut self, port: &Port) -> Result<Ticket, Error> {
        let driver = self.hca.driver();
        driver.set_port(port.lid, 0);
        driver.set_mac(&port.mac);
        driver.set_gid(&port.gid);
        driver.set_p_keys(&[DEFAULT_P_KEY, 0, 0, 0]);
        driver.enable_interrupt(true);
        let started = self.hca.start_events(EVENTS)?;
        self.hca.activate_ports()?;
        Ok(started)
    }
}

/// One or more HCAs on one clock.
pub(super) trait Around {
    /// Returns the HCA of this side.
    fn end(&mut self, side: usize) -> &mut End;
    /// Returns the number of clock cycles since reset.
    fn cycle(&self) -> u64;
    /// Runs all HCAs for one clock cycle.
    fn clock(&mut self) -> Result<(), Error>;
}

/// Runs clocks until a call has its outcome, and returns it.
pub(super) fn wait(around: &mut dyn Around, side: usize, ticket: Ticket) -> Result<u32, Error> {
    let outcome = |around: &mut dyn Around| Ok(around.end(side).hca.outcome(ticket));
    wait_for(around, "a verb's outcome", outcome)?.map_err(Error::from)
}

/// Runs clocks until `come` returns a value, and returns it.
pub(super) fn wait_for<T>(
    around: &mut dyn Around,
    what: &'static str,
    mut come: impl FnMut(&mut dyn Around) -> Result<Option<T>, Error>,
) -> Result<T, Error> {
    let start = around.cycle();
    while around.cycle() - start < PATIENCE {
        if let Some(come) = come(around)? {
            return Ok(come);
        }
        around.clock()?;
    }
    Err(Error::Stalled { what })
}
