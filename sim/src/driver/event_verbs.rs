//! Verbs of the event queue (`protocol/qp_cq.md` sections 7 and 8).
use super::event::{Event, Events, HcaId};
use super::ring::{slot_address, Place};
use super::{ring, Driver, DriverError, QpState, Ticket};
use crate::memory::Memory;
use hca_host::{eqe, register};

impl Driver {
    /// Starts an event queue of `entries`, rounded up to a power of two, at most 32768. The queue runs once the ticket
    /// is done.
    pub fn start_events(&mut self, memory: &mut Memory, entries: u32) -> Result<Ticket, DriverError> {
        let log_size = ring::log_size(entries)?;
        let base = self.rings.allocate(eqe::BYTES, log_size)?;
        memory.write(base, &vec![0; eqe::BYTES << log_size]);
        let handler = self.events.handler.take();
        if let Some(former) = self.events.place {
            self.rings.release(former.base);
        }
        self.events = Events {
            place: Some(Place { base, log_size }),
            handler,
            ..Events::default()
        };
        self.write_register(register::EQ_BASE_HIGH, (base >> 32) as u32);
        self.write_register(register::EQ_BASE_LOW, base as u32);
        let control = register::EQ_ENABLE | u32::from(log_size);
        Ok(self.write_register(register::EQ_CONTROL, control))
    }

    /// Returns true if an event queue was started.
    pub fn has_events(&self) -> bool {
        self.events.place.is_some()
    }

    /// Sets whether events raise the interrupt line.
    pub fn enable_interrupt(&mut self, enable: bool) -> Ticket {
        let causes = register::IRQ_EVENT | register::IRQ_HOST_MEMORY;
        self.write_register(register::IRQ_ENABLE, if enable { causes } else { 0 })
    }

    /// Lowers the interrupt line. The next [`poll_event`](Driver::poll_event) sees all events that were written before
    /// that.
    pub fn acknowledge_interrupt(&mut self) -> Ticket {
        self.write_register(register::IRQ_STATUS, register::IRQ_EVENT)
    }

    /// Sets the function that is called for each completion event that is polled.
    pub fn set_completion_handler(&mut self, handler: impl FnMut(HcaId, u32) + 'static) {
        self.events.handler = Some(Box::new(handler));
    }

    /// Takes the oldest event that was not polled yet.
    pub fn poll_event(&mut self, memory: &Memory) -> Result<Option<Event>, DriverError> {
        self.collect_events(memory)?;
        let event = self.events.collected.pop_front();
        match event {
            Some(Event::Completion { cqn }) => {
                if let Some(handler) = &mut self.events.handler {
                    handler(self.id, cqn);
                }
            }
            Some(Event::CqError { cqn }) => {
                if let Some(cq) = self.cqs.get_mut(&cqn) {
                    cq.failed = true;
                }
            }
            Some(Event::QpFatal { qpn }) => {
                if let Some(qp) = self.qps.values_mut().find(|qp| qp.qpn == qpn) {
                    qp.note_failure(QpState::Error);
                }
            }
            _ => {}
        }
        Ok(event)
    }

    /// Sets whether polled entries stay taken, or are freed by the next [`poll_event`](Driver::poll_event). Events that
    /// find the queue full wait.
    pub fn keep_entries(&mut self, keep: bool) {
        self.events.keeps = keep;
    }

    fn collect_events(&mut self, memory: &Memory) -> Result<(), DriverError> {
        let Some(place) = self.events.place else {
            return Ok(());
        };
        loop {
            let mut bytes = [0; eqe::BYTES];
            memory.read(slot_address(place, self.events.read, eqe::BYTES), &mut bytes);
            let entry = eqe::Eqe::from_bytes(&bytes);
            if entry.phase != (self.events.read >> place.log_size & 1 == 0) {
                break;
            }
            self.events.read += 1;
            let event = Event::of(entry.kind, entry.number).ok_or(DriverError::UnknownEvent(entry.kind))?;
            self.events.collected.push_back(event);
        }
        if self.events.announced != self.events.read && !self.events.keeps {
            self.events.announced = self.events.read;
            let consumer = u32::from(self.events.read as u16);
            self.write_register(register::EQ_CONSUMER, consumer);
        }
        Ok(())
    }
}
