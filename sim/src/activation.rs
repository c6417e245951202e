//! Brings the ports of a native adapter up. Elsewhere a subnet manager does this (`protocol/link.md` section 1).
use crate::driver::{DriverError, Event, Ticket};
use crate::hca::{SimError, SimHca};
use hca_host::profile::Link;
use hca_host::register;
use hca_host::register::port_state::{ACTIVE, ARMED, CHANGING, DOWN, STATE};

/// Largest number of clock cycles that each step may take, beside those for which software leaves the event queue full.
const PATIENCE: u64 = 10_000;

/// Why the port is not Active.
#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    #[error(transparent)]
    Simulation(#[from] SimError),
    #[error("the port does not become Active: {0}")]
    Refused(#[from] DriverError),
    #[error("the port does not become Active: PORT_STATE is {0:08X}h")]
    Stays(u32),
    #[error("the port does not become Active: no {what} in {cycles} clock cycles")]
    Silent { what: &'static str, cycles: u64 },
}

impl SimHca {
    /// Makes the ports Active, one after another, and takes what the adapter reports of them: its records and, if the
    /// event queue is on, its events. The adapter must be out of reset; one over Ethernet is left as it is. Clock
    /// cycles are counted from 0 again.
    pub fn activate_ports(&mut self) -> Result<(), ActivationError> {
        if self.profile().link == Link::Roce {
            return Ok(());
        }
        for port in 1..=self.profile().ports() as u8 {
            self.activate(port)?;
        }
        while self.retired().is_some() {}
        self.begin_cycles();
        Ok(())
    }

    fn activate(&mut self, port: u8) -> Result<(), ActivationError> {
        for state in [ARMED, ACTIVE] {
            self.settled_port(port)?;
            self.driver().port(port).set_port_state(state);
        }
        let state = self.settled_port(port)?;
        if state != ACTIVE {
            return Err(ActivationError::Stays(state));
        }
        match self.driver().has_events() {
            true => self.take_port_active(port),
            false => Ok(()),
        }
    }

    /// Returns the port's state, once the link is up and no step is under way.
    fn settled_port(&mut self, port: u8) -> Result<u32, ActivationError> {
        let end = self.cycle() + PATIENCE;
        loop {
            let ticket = self.driver().port(port).port_state();
            let state = self.answer(ticket)?;
            if state & CHANGING == 0 && state & STATE != DOWN {
                return Ok(state & STATE);
            }
            if self.cycle() > end {
                return Err(ActivationError::Stays(state));
            }
        }
    }

    /// Polls the event and clears its cause of an interrupt.
    fn take_port_active(&mut self, port: u8) -> Result<(), ActivationError> {
        let event = |hca: &mut SimHca| Ok(hca.poll_event()?);
        while self.until("event", event)? != (Event::PortActive { port }) {}
        let end = self.cycle() + PATIENCE;
        loop {
            let ticket = self.driver().read_register(register::IRQ_STATUS);
            if self.answer(ticket)? & register::IRQ_EVENT != 0 {
                break;
            }
            if self.cycle() > end {
                return Err(ActivationError::Silent {
                    what: "cause of an interrupt",
                    cycles: PATIENCE,
                });
            }
        }
        let ticket = self.driver().acknowledge_interrupt();
        self.answer(ticket).map(drop)
    }

    fn answer(&mut self, ticket: Ticket) -> Result<u32, ActivationError> {
        let outcome = |hca: &mut SimHca| Ok(hca.outcome(ticket).transpose()?);
        self.until("answer to a register access", outcome)
    }

    /// Runs clocks until `come` returns a value, and returns it.
    fn until<T>(
        &mut self,
        what: &'static str,
        mut come: impl FnMut(&mut SimHca) -> Result<Option<T>, ActivationError>,
    ) -> Result<T, ActivationError> {
        let cycles = PATIENCE + self.event_lag();
        for _ in 0..cycles {
            if let Some(come) = come(self)? {
                return Ok(come);
            }
            self.clock()?;
        }
        Err(ActivationError::Silent { what, cycles })
    }
}
