//! Verbs of queue pairs (`protocol/qp_cq.md` sections 1 and 2).
use super::attributes::{QpChanges, QpStatus};
use super::bus::Job;
use super::effect::Effect;
use super::init::QpInit;
use super::qp::Qp;
use super::ring::{self, Place, WorkPlace, AREA_BYTES};
use super::words::{fits, Words};
use super::{Driver, DriverError, QpState, Ticket};
use hca_host::argument::qp;
use hca_host::command::{self, modify_qp, query_qp};
use hca_host::profile::Link;
use hca_host::wqe;

impl Driver {
    /// Creates a queue pair, in Reset.
    pub fn create_qp(&mut self, init: &QpInit) -> Result<Ticket, DriverError> {
        let mut words = Words::default();
        words.put(modify_qp::QPN, init.qpn);
        words.put(modify_qp::STATE, qp::SERVICE.word(init.service.code()));
        words.put(modify_qp::CQNS, fits(&qp::SEND_CQ, init.send_cq)?);
        words.put(modify_qp::CQNS, fits(&qp::RECEIVE_CQ, init.receive_cq)?);
        words.put(modify_qp::PD, fits(&qp::PD, init.pd)?);
        let (send, receive) = (
            ring::log_size(init.send_entries)?,
            ring::log_size(init.receive_entries)?,
        );
        let (send_place, receive_place) = (self.place(send)?, self.place(receive)?);
        let (send, receive) = (send_place.entries, receive_place.entries);
        words.put(modify_qp::LOG_SIZES, qp::LOG_SEND.word(send.log_size.into()));
        words.put(
            modify_qp::LOG_SIZES,
            qp::LOG_RECEIVE.word(receive.log_size.into()),
        );
        words.put(modify_qp::LOG_SIZES, qp::DRY_EVENT.word(init.dry_event.into()));
        words.put(modify_qp::SQ_BASE_HIGH, (send.base >> 32) as u32);
        words.put(modify_qp::SQ_BASE_LOW, send.base as u32);
        words.put(modify_qp::RQ_BASE_HIGH, (receive.base >> 32) as u32);
        words.put(modify_qp::RQ_BASE_LOW, receive.base as u32);
        let index = self.index_bits(init.qpn);
        let qp = Box::new(Qp::new(init, send_place, receive_place, words.clone()));
        let effect = Effect::QpMade { index, qp };
        Ok(self
            .jobs
            .push(Job::command(command::CREATE_QP, words.into_arguments(), effect)))
    }

    /// Allocates a work queue of 2^`log_size` entries.
    fn place(&mut self, log_size: u8) -> Result<WorkPlace, DriverError> {
        let mut place = |bytes| {
            let base = self.rings.allocate(bytes, log_size)?;
            Ok(Place { base, log_size })
        };
        Ok(WorkPlace {
            entries: place(wqe::BYTES)?,
            areas: place(AREA_BYTES)?,
        })
    }

    /// Moves a QP to `state`, or keeps it in its present one, and sets attributes.
    pub fn modify_qp(
        &mut self,
        qpn: u32,
        state: QpState,
        changes: &QpChanges,
    ) -> Result<Ticket, DriverError> {
        let mut words = Words::default();
        words.put(modify_qp::QPN, qpn);
        words.put(modify_qp::STATE, qp::STATE.word(state.code()));
        changes.write(&mut words)?;
        if let Some(address) = &changes.address {
            let port = changes
                .port
                .or_else(|| Some(self.qp(qpn).ok()?.port))
                .unwrap_or(1);
            address.check(self.own_port_of(port), self.profile.link == Link::Roce)?;
        }
        let effect = Effect::QpMoved {
            index: self.index_bits(qpn),
            state,
            max_rd_atomic: changes.max_rd_atomic,
            port: changes.port,
        };
        Ok(self
            .jobs
            .push(Job::command(command::MODIFY_QP, words.into_arguments(), effect)))
    }

    /// Queries a QP's state and attributes; [`qp_status`](Driver::qp_status) returns the answer.
    pub fn query_qp(&mut self, qpn: u32) -> Ticket {
        self.jobs.push(Job::Command {
            code: command::QUERY_QP,
            arguments: vec![(query_qp::QPN, qpn)],
            answer: modify_qp::STATE..modify_qp::Q_KEY + 1,
            effect: Effect::Nothing,
        })
    }

    /// Compares the answer to a successful `query_qp` with the words of `create_qp`. Returns the first word that
    /// differs: its index, the word at creation, and the word now. `None` if no word differs or there is no answer.
    pub fn query_differs(&self, qpn: u32, ticket: Ticket) -> Option<(usize, u32, u32)> {
        let made = &self.qps.get(&self.index_bits(qpn))?.made;
        let answered = Words::from_answer(modify_qp::STATE, self.jobs.answer(ticket)?);
        let service = |index: usize, word| match index {
            modify_qp::STATE => qp::SERVICE.word(qp::SERVICE.of(word)),
            _ => word,
        };
        made.iter()
            .filter(|(index, _)| *index != modify_qp::QPN)
            .map(|(index, was)| (index, was, service(index, answered.get(index))))
            .find(|(_, was, is)| was != is)
    }

    /// Returns the answer to a successful `query_qp`.
    pub fn qp_status(&self, ticket: Ticket) -> Option<QpStatus> {
        let words = Words::from_answer(modify_qp::STATE, self.jobs.answer(ticket)?);
        QpStatus::read(&words, self.profile.link == Link::Roce)
    }

    /// Returns the state as the driver knows it. The QP may already be in Error.
    pub fn state(&self, qpn: u32) -> Result<QpState, DriverError> {
        Ok(self.qp(qpn)?.state)
    }

    /// Removes a QP with all its work, in any state.
    pub fn destroy_qp(&mut self, qpn: u32) -> Ticket {
        let index = self.index_bits(qpn);
        let arguments = vec![(query_qp::QPN, qpn)];
        let effect = Effect::QpGone { index };
        self.jobs
            .push(Job::command(command::DESTROY_QP, arguments, effect))
    }

    /// Returns the bits of a QPN that are the index of its QP.
    fn index_bits(&self, qpn: u32) -> u32 {
        qpn & ((1 << self.profile.qp_bits) - 1)
    }

    pub(super) fn qp(&self, qpn: u32) -> Result<&Qp, DriverError> {
        let qp = self.qps.get(&self.index_bits(qpn)).filter(|qp| qp.qpn == qpn);
        qp.ok_or(DriverError::UnknownQp(qpn))
    }

    pub(super) fn qp_mut(&mut self, qpn: u32) -> Result<&mut Qp, DriverError> {
        let index = self.index_bits(qpn);
        let qp = self.qps.get_mut(&index).filter(|qp| qp.qpn == qpn);
        qp.ok_or(DriverError::UnknownQp(qpn))
    }
}
