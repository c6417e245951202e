//! Posts work and rings doorbells.
use super::bus::Job;
use super::ring::Body;
use super::work::{ReceiveWork, SendWork};
use super::{Driver, DriverError, Service, Side, Ticket};
use crate::memory::Memory;
use hca_host::register;
use hca_host::wqe::Wqe;

impl Driver {
    /// Posts a message: writes the WQE now, and rings the doorbell later, as the ticket reports. Also returns the WQE's
    /// index, modulo 2^16.
    pub fn post_send(
        &mut self,
        memory: &mut Memory,
        qpn: u32,
        work: &SendWork,
    ) -> Result<(Ticket, u16), DriverError> {
        let (entry, body) = work.entry()?;
        self.check_state(qpn, Side::Send)?;
        let qp = self.qp(qpn)?;
        if qp.service == Service::Rc && work.operation.is_read_or_atomic() && qp.max_rd_atomic == 0 {
            return Err(DriverError::NoReadDepth(qpn));
        }
        self.post(memory, qpn, Side::Send, work.wr_id, entry, &body)
    }

    /// Posts a receive buffer: writes the WQE now, and rings the doorbell later, as the ticket reports. Also returns
    /// the WQE's index, modulo 2^16.
    pub fn post_receive(
        &mut self,
        memory: &mut Memory,
        qpn: u32,
        work: &ReceiveWork,
    ) -> Result<(Ticket, u16), DriverError> {
        let (entry, body) = work.entry()?;
        self.check_state(qpn, Side::Receive)?;
        self.post(memory, qpn, Side::Receive, work.wr_id, entry, &body)
    }

    fn check_state(&self, qpn: u32, side: Side) -> Result<(), DriverError> {
        let (state, what) = (self.qp(qpn)?.state, side.name());
        match state.takes(side) {
            true => Ok(()),
            false => Err(DriverError::WrongState { qpn, what, state }),
        }
    }

    fn post(
        &mut self,
        memory: &mut Memory,
        qpn: u32,
        side: Side,
        wr_id: u64,
        entry: Wqe,
        body: &Body<'_>,
    ) -> Result<(Ticket, u16), DriverError> {
        let qp = self.qp_mut(qpn)?;
        if qp.ring(side).is_full() {
            let what = side.name();
            return Err(DriverError::QueueFull { qpn, what });
        }
        let cqn = qp.cqn(side);
        let ring = qp.ring_mut(side);
        let posted = ring.post(memory, wr_id, entry, body);
        let producer = ring.producer();
        if self.cqs.get_mut(&cqn).is_some_and(|cq| !cq.reserve()) {
            self.announce(cqn);
        }
        Ok((self.ring(qpn, side, producer), posted))
    }

    /// Rings a doorbell, even a wrong one. It announces that the WQEs before `producer` exist.
    pub fn ring(&mut self, qpn: u32, side: Side, producer: u16) -> Ticket {
        let base = match side {
            Side::Send => register::SQ_DOORBELL,
            Side::Receive => register::RQ_DOORBELL,
        };
        let index = qpn & ((1 << self.profile.qp_bits) - 1);
        self.jobs.push(Job::Doorbell {
            addr: base + register::QP_STRIDE * index,
            value: producer.into(),
        })
    }

    /// Returns the address in host memory of WQE `index` (modulo 2^16) of the receive queue (`receive`) or of the send
    /// queue.
    pub fn wqe_address(&self, qpn: u32, receive: bool, index: u16) -> Result<u64, DriverError> {
        let side = if receive { Side::Receive } else { Side::Send };
        Ok(self.qp(qpn)?.ring(side).entry(index))
    }

    /// Returns the address of that WQE's area, which holds its list of SGEs or its copy of inline data.
    pub fn area_address(&self, qpn: u32, receive: bool, index: u16) -> Result<u64, DriverError> {
        let side = if receive { Side::Receive } else { Side::Send };
        Ok(self.qp(qpn)?.ring(side).area(index))
    }

    /// Returns the number of WQEs posted to a queue so far, modulo 2^16.
    pub fn producer(&self, qpn: u32, side: Side) -> Result<u16, DriverError> {
        Ok(self.qp(qpn)?.ring(side).producer())
    }
}
