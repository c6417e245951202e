//! Verbs of completion queues (`protocol/qp_cq.md` sections 6 and 7).
use super::bus::Job;
use super::cq::Cq;
use super::cq_books::CqBooks;
use super::effect::Effect;
use super::ring::{self, Place};
use super::{Completion, Driver, DriverError, Ticket};
use crate::memory::Memory;
use hca_host::argument::cq::{ARMED, CONSUMER, FAILED, PRODUCER};
use hca_host::command::{self, create_cq, destroy_cq, query_cq, resize_cq};
use hca_host::{cqe, register};

/// The completions for which a CQ is armed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Armed {
    No,
    Solicited,
    Next,
}

/// The answer to `query_cq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CqStatus {
    pub books: CqBooks,
    /// True if the queue had no room for a completion and is unusable.
    pub failed: bool,
    pub armed: Armed,
}

impl Driver {
    /// Allocates a ring that holds zeros, so that no entry is valid.
    fn make_ring(&mut self, memory: &mut Memory, entries: u32) -> Result<Place, DriverError> {
        let log_size = ring::log_size(entries)?;
        let base = self.rings.allocate(cqe::BYTES, log_size)?;
        memory.write(base, &vec![0; cqe::BYTES << log_size]);
        Ok(Place { base, log_size })
    }

    /// Creates a completion queue with room for `entries`, rounded up to a power of two, at most 32768.
    pub fn create_cq(&mut self, memory: &mut Memory, cqn: u32, entries: u32) -> Result<Ticket, DriverError> {
        let place = self.make_ring(memory, entries)?;
        let arguments = vec![
            (create_cq::CQN, cqn),
            (create_cq::BASE_HIGH, (place.base >> 32) as u32),
            (create_cq::BASE_LOW, place.base as u32),
            (create_cq::LOG_SIZE, place.log_size.into()),
        ];
        let effect = Effect::CqMade(Box::new(Cq::new(cqn, place)));
        Ok(self
            .jobs
            .push(Job::command(command::CREATE_CQ, arguments, effect)))
    }

    /// Moves a completion queue to a ring with room for `entries`, rounded up. Its completions stay, in order.
    pub fn resize_cq(&mut self, memory: &mut Memory, cqn: u32, entries: u32) -> Result<Ticket, DriverError> {
        let place = self.make_ring(memory, entries)?;
        self.announce(cqn);
        let arguments = vec![
            (resize_cq::CQN, cqn),
            (resize_cq::BASE_HIGH, (place.base >> 32) as u32),
            (resize_cq::BASE_LOW, place.base as u32),
            (resize_cq::LOG_SIZE, place.log_size.into()),
        ];
        Ok(self.jobs.push(Job::Command {
            code: command::RESIZE_CQ,
            arguments,
            answer: resize_cq::PRODUCER..resize_cq::PRODUCER + 1,
            effect: Effect::CqMoved { cqn, place },
        }))
    }

    /// Queries a completion queue; [`cq_status`](Driver::cq_status) returns the answer.
    pub fn query_cq(&mut self, cqn: u32) -> Ticket {
        self.jobs.push(Job::Command {
            code: command::QUERY_CQ,
            arguments: vec![(query_cq::CQN, cqn)],
            answer: query_cq::BASE_HIGH..query_cq::STATUS + 1,
            effect: Effect::Nothing,
        })
    }

    /// Returns the answer to a successful `query_cq`.
    pub fn cq_status(&self, ticket: Ticket) -> Option<CqStatus> {
        let word = |index: usize| {
            let words = self.jobs.answer(ticket)?;
            words.get(index - query_cq::BASE_HIGH).copied()
        };
        let status = word(query_cq::STATUS)?;
        let counts = word(query_cq::COUNTS)?;
        Some(CqStatus {
            books: CqBooks {
                address: u64::from(word(query_cq::BASE_HIGH)?) << 32 | u64::from(word(query_cq::BASE_LOW)?),
                // A size that no queue can have has no ring.
                entries: 1_u32.checked_shl(word(query_cq::LOG_SIZE)?).unwrap_or(0),
                producer: PRODUCER.of(counts) as u16,
                consumer: CONSUMER.of(counts) as u16,
            },
            failed: FAILED.of(status) != 0,
            armed: match ARMED.of(status) {
                0 => Armed::No,
                1 => Armed::Solicited,
                _ => Armed::Next,
            },
        })
    }

    /// Returns the state of a completion queue as the driver knows it without asking the hardware. It counts the CQEs
    /// that the driver has read.
    pub fn cq_books(&self, cqn: u32) -> Result<CqBooks, DriverError> {
        let cq = self.cqs.get(&cqn).ok_or(DriverError::UnknownCq(cqn))?;
        Ok(cq.books())
    }

    /// Returns the numbers of the completion queues.
    pub fn cqns(&self) -> Vec<u32> {
        self.cqs.keys().copied().collect()
    }

    /// Removes a completion queue that no QP uses.
    pub fn destroy_cq(&mut self, cqn: u32) -> Ticket {
        let arguments = vec![(destroy_cq::CQN, cqn)];
        let effect = Effect::CqGone { cqn };
        self.jobs
            .push(Job::command(command::DESTROY_CQ, arguments, effect))
    }

    /// Arms a completion queue for one event, at the next completion or at the next solicited one. Completions that are
    /// already there raise no event: software must poll once more afterwards.
    pub fn request_notify(&mut self, cqn: u32, solicited: bool) -> Result<Ticket, DriverError> {
        self.usable_cq(cqn)?;
        self.announce(cqn);
        let value = if solicited { register::CQ_ARM_SOLICITED } else { 0 };
        Ok(self.write_register(register::CQ_ARM + register::CQ_STRIDE * cqn, value))
    }

    /// Takes the oldest completion of a CQ that was not polled yet. Completions of a failed CQ can still be taken;
    /// after them, polling is an error.
    pub fn poll_cq(&mut self, memory: &Memory, cqn: u32) -> Result<Option<Completion>, DriverError> {
        let Driver { qps, cqs, rings, .. } = self;
        let cq = cqs.get_mut(&cqn).ok_or(DriverError::UnknownCq(cqn))?;
        for place in cq.collect(memory, qps) {
            rings.release(place.base);
        }
        let completion = cq.pop();
        if cq.is_worth_telling() {
            self.announce(cqn);
        }
        match completion {
            None => self.usable_cq(cqn).map(|_| None),
            some => Ok(some),
        }
    }

    /// Returns the address of CQE `index`, modulo the queue's entries.
    pub fn cqe_address(&self, cqn: u32, index: u32) -> Result<u64, DriverError> {
        let cq = self.cqs.get(&cqn).ok_or(DriverError::UnknownCq(cqn))?;
        Ok(cq.entry(index))
    }

    fn usable_cq(&self, cqn: u32) -> Result<&Cq, DriverError> {
        let cq = self.cqs.get(&cqn).ok_or(DriverError::UnknownCq(cqn))?;
        match cq.failed {
            true => Err(DriverError::CqFailed(cqn)),
            false => Ok(cq),
        }
    }

    /// Reports to the hardware which CQEs were taken, if the hardware does not know it.
    pub(super) fn announce(&mut self, cqn: u32) {
        let Some(cq) = self.cqs.get_mut(&cqn) else {
            return;
        };
        if let Some(consumer) = cq.to_tell() {
            cq.announce();
            let addr = register::CQ_CONSUMER + register::CQ_STRIDE * cqn;
            self.write_register(addr, consumer.into());
        }
    }
}
