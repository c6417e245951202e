//! The verbs under their usual names. Each waits for its outcome. A refused verb changes nothing.
use super::around::{wait, wait_for, Around};
use super::numbers::Numbers;
use super::{Ah, Connection, Cq, Error, Mr, MrAttributes, Qp, QpInitAttributes, SETTLING};
use crate::driver::{
    AddressHandle, Completion, CqStatus, DriverError, Event, Group, HcaId, HcaLimits, HcaQuery, QpChanges,
    QpInit, QpState, QpStatus, ReceiveWork, Region, SendWork, Ticket,
};
use crate::hca::SimHca;
use hca_host::command;

/// An HCA, alone or one of a pair, and the software that uses it.
pub struct Host<'a> {
    around: &'a mut dyn Around,
    side: usize,
}

impl<'a> Host<'a> {
    pub(super) fn new(around: &'a mut dyn Around, side: usize) -> Host<'a> {
        Host { around, side }
    }

    /// Returns the HCA, for actions that no verb covers.
    pub fn hca(&mut self) -> &mut SimHca {
        &mut self.around.end(self.side).hca
    }

    fn numbers(&mut self) -> &mut Numbers {
        &mut self.around.end(self.side).numbers
    }

    fn wait(&mut self, ticket: Ticket) -> Result<(), Error> {
        wait(self.around, self.side, ticket).map(drop)
    }

    /// Returns limits, version and capabilities of the adapter.
    pub fn query_hca(&mut self) -> Result<HcaLimits, Error> {
        let query = self.hca().driver().query_hca();
        let mut values = [0; HcaQuery::REGISTERS];
        for (value, ticket) in values.iter_mut().zip(query.0) {
            *value = wait(self.around, self.side, ticket)?;
        }
        Ok(HcaLimits::of(values))
    }

    /// Creates a completion queue with room for at least `entries`, at most 32768, and returns it with the actual
    /// number.
    pub fn create_cq(&mut self, entries: u32) -> Result<(Cq, u32), Error> {
        let cqn = self.numbers().cqn();
        let made = self.hca().create_cq(cqn, entries).map_err(Error::from);
        let made = made.and_then(|ticket| self.wait(ticket));
        if made.is_err() {
            self.numbers().free_cqn(cqn);
        }
        made?;
        let cq = Cq { cqn };
        Ok((cq, self.entries(cq)?))
    }

    /// Returns the number of entries that a completion queue got when it was created or last resized.
    pub fn entries(&mut self, cq: Cq) -> Result<u32, Error> {
        Ok(self.hca().driver().cq_books(cq.cqn)?.entries)
    }

    /// Returns size and state of a completion queue.
    pub fn query_cq(&mut self, cq: Cq) -> Result<CqStatus, Error> {
        let ticket = self.hca().driver().query_cq(cq.cqn);
        self.wait(ticket)?;
        let status = self.hca().driver().cq_status(ticket);
        status.ok_or(Error::Refused(DriverError::UnknownCq(cq.cqn)))
    }

    /// Resizes a completion queue to at least `entries`, and returns the actual number. Its completions stay, in order.
    /// The verb is refused if more are unpolled.
    pub fn resize_cq(&mut self, cq: Cq, entries: u32) -> Result<u32, Error> {
        let ticket = self.hca().resize_cq(cq.cqn, entries)?;
        self.wait(ticket)?;
        self.entries(cq)
    }

    /// Destroys a completion queue. The verb is refused while a queue pair uses it.
    pub fn destroy_cq(&mut self, cq: Cq) -> Result<(), Error> {
        let ticket = self.hca().driver().destroy_cq(cq.cqn);
        self.wait(ticket)?;
        self.numbers().free_cqn(cq.cqn);
        Ok(())
    }

    /// Sets the function that is called with this HCA and the CQ for each completion event that
    /// [`poll_event`](Host::poll_event) takes.
    pub fn set_completion_handler(&mut self, handler: impl FnMut(HcaId, Cq) + 'static) {
        let mut handler = handler;
        self.hca()
            .driver()
            .set_completion_handler(move |id, cqn| handler(id, Cq { cqn }));
    }

    /// Takes the oldest completion; `None` if there is none.
    pub fn poll_cq(&mut self, cq: Cq) -> Result<Option<Completion>, Error> {
        Ok(self.hca().poll_cq(cq.cqn)?)
    }

    /// Arms a completion queue for one event, at the next completion or at the next solicited one. Software must poll
    /// once more afterwards.
    pub fn request_notify(&mut self, cq: Cq, solicited: bool) -> Result<(), Error> {
        let ticket = self.hca().driver().request_notify(cq.cqn, solicited)?;
        self.wait(ticket)
    }

    /// Takes the oldest event, if the interrupt line is or was high for it.
    pub fn poll_event(&mut self) -> Result<Option<Event>, Error> {
        if self.hca().irq() {
            let ticket = self.hca().driver().acknowledge_interrupt();
            self.wait(ticket)?;
        }
        Ok(self.hca().poll_event()?)
    }

    /// Creates a queue pair, in Reset.
    pub fn create_qp(&mut self, attributes: &QpInitAttributes) -> Result<Qp, Error> {
        let qpn = self.numbers().qpn();
        let init = QpInit {
            qpn,
            service: attributes.service,
            send_cq: attributes.send_cq.cqn,
            receive_cq: attributes.receive_cq.cqn,
            send_entries: attributes.max_send_wr,
            receive_entries: attributes.max_recv_wr,
            pd: attributes.pd,
            dry_event: attributes.dry_event,
        };
        let made = self.hca().driver().create_qp(&init).map_err(Error::from);
        let made = made.and_then(|ticket| self.wait(ticket));
        if made.is_err() {
            self.numbers().free_qpn(qpn);
        }
        made.map(|()| Qp { qpn })
    }

    /// Moves a queue pair to this state, or keeps it there, and sets these attributes.
    pub fn modify_qp(&mut self, qp: Qp, state: QpState, changes: &QpChanges) -> Result<(), Error> {
        let ticket = self.hca().driver().modify_qp(qp.qpn, state, changes)?;
        self.wait(ticket)
    }

    /// Moves a queue pair from Reset to RTS.
    pub fn connect(&mut self, qp: Qp, connection: &Connection) -> Result<(), Error> {
        for (state, changes) in connection.transitions() {
            self.modify_qp(qp, state, &changes)?;
        }
        Ok(())
    }

    /// Moves a queue pair of UD from Reset to RTS.
    pub fn open(&mut self, qp: Qp, q_key: u32, sq_psn: u32) -> Result<(), Error> {
        let initialise = QpChanges {
            p_key_index: Some(0),
            port: Some(1),
            q_key: Some(q_key),
            ..QpChanges::default()
        };
        let send = QpChanges {
            sq_psn: Some(sq_psn),
            ..QpChanges::default()
        };
        self.modify_qp(qp, QpState::Init, &initialise)?;
        self.modify_qp(qp, QpState::Rtr, &QpChanges::default())?;
        self.modify_qp(qp, QpState::Rts, &send)
    }

    /// Creates an address handle.
    pub fn create_ah(&mut self, address: &AddressHandle) -> Result<Ah, Error> {
        let handle = self.numbers().handle();
        let ticket = self.hca().driver().create_ah(handle, address);
        let made = self.wait(ticket);
        if made.is_err() {
            self.numbers().free_handle(handle);
        }
        made.map(|()| Ah { handle })
    }

    /// Gives an address handle another address. The handle keeps its protection domain.
    pub fn modify_ah(&mut self, ah: Ah, address: &AddressHandle) -> Result<(), Error> {
        let ticket = self.hca().driver().modify_ah(ah.handle, address);
        self.wait(ticket)
    }

    /// Returns the address that an address handle holds.
    pub fn query_ah(&mut self, ah: Ah) -> Result<AddressHandle, Error> {
        let ticket = self.hca().driver().query_ah(ah.handle);
        self.wait(ticket)?;
        let address = self.hca().driver().ah(ticket);
        address.ok_or(Error::Refused(DriverError::Refused(command::NOT_FOUND)))
    }

    /// Destroys an address handle that no work names.
    pub fn destroy_ah(&mut self, ah: Ah) -> Result<(), Error> {
        let ticket = self.hca().driver().destroy_ah(ah.handle);
        self.wait(ticket)?;
        self.numbers().free_handle(ah.handle);
        Ok(())
    }

    /// Attaches a queue pair to a multicast group. Nothing changes if it is already attached.
    pub fn attach(&mut self, qp: Qp, group: &Group) -> Result<(), Error> {
        let ticket = self.hca().driver().attach(qp.qpn, group);
        self.wait(ticket)
    }

    /// Detaches a queue pair from a multicast group.
    pub fn detach(&mut self, qp: Qp, group: &Group) -> Result<(), Error> {
        let ticket = self.hca().driver().detach(qp.qpn, group);
        self.wait(ticket)
    }

    /// Returns state and attributes of a queue pair.
    pub fn query_qp(&mut self, qp: Qp) -> Result<QpStatus, Error> {
        let ticket = self.hca().driver().query_qp(qp.qpn);
        self.wait(ticket)?;
        let status = self.hca().driver().qp_status(ticket);
        status.ok_or(Error::Refused(DriverError::UnknownQp(qp.qpn)))
    }

    /// Destroys a queue pair in any state, with its completions.
    pub fn destroy_qp(&mut self, qp: Qp) -> Result<(), Error> {
        let ticket = self.hca().driver().destroy_qp(qp.qpn);
        self.wait(ticket)?;
        self.numbers().free_qpn(qp.qpn);
        Ok(())
    }

    /// Posts a message to the send queue.
    pub fn post_send(&mut self, qp: Qp, work: &SendWork) -> Result<(), Error> {
        let (ticket, _) = self.hca().post_send(qp.qpn, work)?;
        self.wait(ticket)
    }

    /// Posts a buffer to the receive queue.
    pub fn post_recv(&mut self, qp: Qp, work: &ReceiveWork) -> Result<(), Error> {
        let (ticket, _) = self.hca().post_receive(qp.qpn, work)?;
        self.wait(ticket)
    }

    /// Registers memory for the hardware and, as `access` permits, for the peer.
    pub fn reg_mr(&mut self, attributes: &MrAttributes) -> Result<Mr, Error> {
        let (l_key, r_key) = self.numbers().keys();
        let region = Region {
            l_key,
            r_key,
            pd: attributes.pd,
            base: attributes.base,
            length: attributes.length,
            access: attributes.access,
            zero_based: attributes.zero_based,
        };
        let made = self.hca().reg_mr(&region).map_err(Error::from);
        let made = made.and_then(|ticket| self.wait(ticket));
        if made.is_err() {
            self.numbers().free_keys(l_key);
        }
        made.map(|()| Mr { l_key, r_key })
    }

    /// Deregisters a region with both its keys.
    pub fn dereg_mr(&mut self, mr: Mr) -> Result<(), Error> {
        let ticket = self.hca().driver().dereg_mr(mr.l_key);
        self.wait(ticket)?;
        self.numbers().free_keys(mr.l_key);
        Ok(())
    }

    /// Runs the clock until this queue has a completion, and takes it.
    pub fn next_completion(&mut self, cq: Cq) -> Result<Completion, Error> {
        let side = self.side;
        wait_for(self.around, "a completion", |around| {
            Ok(around.end(side).hca.poll_cq(cq.cqn)?)
        })
    }

    /// Runs the clock until there is an event, and takes it.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        let side = self.side;
        wait_for(self.around, "an event", |around| {
            Host::new(around, side).poll_event()
        })
    }

    /// Runs the clock until all data that the hardware has acknowledged is in memory. Software that waits for a
    /// completion does not need this; without a completion, an ack may be ahead of its data.
    pub fn settle(&mut self) -> Result<(), Error> {
        let side = self.side;
        let mut still = 0;
        wait_for(self.around, "a pause of all transfers", |around| {
            still = if around.end(side).hca.quiet() {
                still + 1
            } else {
                0
            };
            Ok((still > SETTLING).then_some(()))
        })
    }

    /// Writes host memory.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) {
        self.hca().memory_mut().write(addr, bytes);
    }

    /// Reads host memory.
    pub fn read(&mut self, addr: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.hca().memory().read(addr, &mut bytes);
        bytes
    }
}
