//! The event queue, and the objects of its events (`protocol/qp_cq.md` sections 7 and 8).
use super::ring::{slot_address, Place};
use super::{ring, Driver, DriverError, QpState, Ticket};
use crate::memory::Memory;
use hca_host::{eqe, register};
use std::collections::VecDeque;

/// Number of an HCA of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HcaId(pub u32);

/// Events for software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A completion that this CQ was armed for.
    Completion { cqn: u32 },
    /// This CQ had no room for a completion and is unusable.
    CqError { cqn: u32 },
    /// The first request arrived at a QP in RTR.
    CommunicationEstablished { qpn: u32 },
    /// In SQD, every started message is complete.
    SqDrained { qpn: u32 },
    /// An invalid request was refused.
    QpRequestError { qpn: u32 },
    /// A request was refused because of its keys.
    QpAccessError { qpn: u32 },
    /// Host memory failed the QP, or one of its doorbells was refused.
    QpFatal { qpn: u32 },
    /// A request found no receive WQE: `QpInit::dry_event` was set.
    RqDry { qpn: u32 },
    /// A native port has become Active.
    PortActive { port: u8 },
    /// A native port was Active and went Down.
    PortError { port: u8 },
}

impl Event {
    /// `None` if no event has this kind.
    fn of(kind: u8, number: u32) -> Option<Event> {
        let (cqn, qpn) = (number, number);
        let port = number as u8;
        Some(match kind {
            eqe::COMPLETION => Event::Completion { cqn },
            eqe::CQ_ERROR => Event::CqError { cqn },
            eqe::COMMUNICATION_ESTABLISHED => Event::CommunicationEstablished { qpn },
            eqe::SQ_DRAINED => Event::SqDrained { qpn },
            eqe::QP_REQUEST_ERROR => Event::QpRequestError { qpn },
            eqe::QP_ACCESS_ERROR => Event::QpAccessError { qpn },
            eqe::QP_FATAL => Event::QpFatal { qpn },
            eqe::RQ_DRY => Event::RqDry { qpn },
            eqe::PORT_ACTIVE => Event::PortActive { port },
            eqe::PORT_ERROR => Event::PortError { port },
            _ => return None,
        })
    }
}

/// Function that is called with the HCA and the CQ of a completion event (CF263).
pub type CompletionHandler = Box<dyn FnMut(HcaId, u32)>;

#[derive(Default)]
pub(super) struct Events {
    place: Option<Place>,
    read: u64,
    announced: u64,
    collected: VecDeque<Event>,
    keeps: bool,
    handler: Option<CompletionHandler>,
}

impl Driver {
    /// Starts an event queue of `entries`, rounded up to a power of two, at most 32768. It is started once the ticket
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

    /// Whether an event queue was started.
    pub fn has_events(&self) -> bool {
        self.events.place.is_some()
    }

    /// Sets whether events raise the interrupt line.
    pub fn enable_interrupt(&mut self, enable: bool) -> Ticket {
        let causes = register::IRQ_EVENT | register::IRQ_HOST_MEMORY;
        self.write_register(register::IRQ_ENABLE, if enable { causes } else { 0 })
    }

    /// Lowers the interrupt line. The next [`poll_event`](Driver::poll_event) sees all events that were written before.
    pub fn acknowledge_interrupt(&mut self) -> Ticket {
        self.write_register(register::IRQ_STATUS, register::IRQ_EVENT)
    }

    /// Sets the function that is called for each completion event that is polled.
    pub fn set_completion_handler(&mut self, handler: impl FnMut(HcaId, u32) + 'static) {
        self.events.handler = Some(Box::new(handler));
    }

    /// The oldest event that was not polled yet.
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

    /// Sets whether polled entries stay taken from now on or are freed by the next [`poll_event`](Driver::poll_event).
    /// Events that find the queue full wait.
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
