//! What the driver software of a host would be: rings in host memory, commands, doorbells, polling.
//!
//! Nothing blocks. What needs the register bus gives a [`Ticket`]; its [`outcome`](Driver::outcome) is there once the
//! clock has carried it out, in the order of the calls.
mod bus;
mod cq;
mod error;
mod qp;
mod region;
mod ring;
mod route;
mod work;

pub use bus::Ticket;
pub use cq::Completion;
pub use error::DriverError;
pub use qp::{EndToEndCredits, QpSettings, QpState, RemoteAccess, Side};
pub use region::{Region, RegionAccess};
pub use route::{EthernetRoute, GlobalRoute};
pub use work::{Operation, ReceiveWork, SendWork};

use crate::axil::AxilMaster;
use crate::memory::Memory;
use bus::{Job, Jobs};
use cq::Cq;
use hca_rtl::host::wqe::{self, Wqe};
use hca_rtl::host::{command, cqe, register};
use hca_rtl::profile::Profile;
use qp::Qp;
use ring::{Body, Place, AREA_BYTES};
use std::collections::BTreeMap;

/// Where the driver's rings begin in host memory; they grow upwards. Whoever places buffers by hand keeps away from
/// `RINGS..RINGS + RINGS_SIZE`.
pub const RINGS: u64 = 0x1_0000;
/// Bytes reserved for rings.
pub const RINGS_SIZE: u64 = 0x0FFF_0000;

/// Entries of the port's P_Key table.
pub const P_KEYS: usize = register::PORT_P_KEY_COUNT as usize;

/// The driver of one HCA.
pub struct Driver {
    profile: Profile,
    jobs: Jobs,
    next_free: u64,
    /// By index, the low bits of the QPN.
    qps: BTreeMap<u32, Qp>,
    cqs: BTreeMap<u32, Cq>,
    /// L_Keys by entry of the protection table.
    regions: BTreeMap<u32, u32>,
}

impl Driver {
    pub fn new(profile: Profile) -> Driver {
        Driver {
            profile,
            jobs: Jobs::default(),
            next_free: RINGS,
            qps: BTreeMap::new(),
            cqs: BTreeMap::new(),
            regions: BTreeMap::new(),
        }
    }

    /// Takes a ring of `2^log_size` entries from the driver's region of host memory, aligned as the hardware asks.
    fn allocate(&mut self, entry: usize, log_size: u8) -> Result<u64, DriverError> {
        let at = self.next_free.next_multiple_of(64);
        let end = at + ((entry as u64) << log_size);
        if end > RINGS + RINGS_SIZE {
            return Err(DriverError::OutOfMemory);
        }
        self.next_free = end;
        Ok(at)
    }

    /// Sets the port's base LID and LMC (3 bits).
    pub fn set_port(&mut self, lid: u16, lmc: u8) -> Ticket {
        let value = u32::from(lid) | u32::from(lmc & 7) << 16;
        self.write_register(register::PORT, value)
    }

    /// Sets the port's GID; with RoCEv2 its IP address, IPv4 as ::ffff:a.b.c.d. Done when the ticket is.
    pub fn set_gid(&mut self, gid: &[u8; 16]) -> Ticket {
        let [first, second, third, fourth] = route::words(gid);
        self.write_register(register::PORT_GID, first);
        self.write_register(register::PORT_GID + 4, second);
        self.write_register(register::PORT_GID + 8, third);
        self.write_register(register::PORT_GID + 12, fourth)
    }

    /// Sets the port's MAC address (RoCEv2). Done when the ticket is.
    pub fn set_mac(&mut self, mac: &[u8; 6]) -> Ticket {
        let (high, low) = route::mac_words(mac);
        self.write_register(register::PORT_MAC_HIGH, high);
        self.write_register(register::PORT_MAC_LOW, low)
    }

    /// Sets the port's P_Key table; 0 is an empty entry. Done when the ticket is.
    pub fn set_p_keys(&mut self, p_keys: &[u16; P_KEYS]) -> Ticket {
        let [first, second, third, fourth] = p_keys.map(u32::from);
        self.write_register(register::PORT_P_KEY, first);
        self.write_register(register::PORT_P_KEY + 4, second);
        self.write_register(register::PORT_P_KEY + 8, third);
        self.write_register(register::PORT_P_KEY + 12, fourth)
    }

    /// Reads a register; the outcome is its value.
    pub fn read_register(&mut self, addr: u32) -> Ticket {
        self.jobs.push(Job::Read { addr })
    }

    /// Writes a register.
    pub fn write_register(&mut self, addr: u32, value: u32) -> Ticket {
        self.jobs.push(Job::Write { addr, value })
    }

    /// Makes a completion queue with room for `entries`, rounded up to a power of two, at most 32768.
    pub fn create_cq(&mut self, memory: &mut Memory, cqn: u32, entries: u32) -> Result<Ticket, DriverError> {
        let limit = 1 << self.profile.cq_bits;
        if cqn >= limit {
            return Err(DriverError::BadCqn { cqn, limit });
        }
        let log_size = ring::log_size(entries)?;
        let base = self.allocate(cqe::BYTES, log_size)?;
        let cq = Cq::new(cqn, base, log_size);
        cq.clear(memory);
        self.cqs.insert(cqn, cq);
        let mut arguments = vec![0; 4];
        arguments[command::create_cq::CQN] = cqn;
        arguments[command::create_cq::BASE_HIGH] = (base >> 32) as u32;
        arguments[command::create_cq::BASE_LOW] = base as u32;
        arguments[command::create_cq::LOG_SIZE] = u32::from(log_size);
        Ok(self.jobs.push(Job::Command {
            code: command::CREATE_CQ,
            arguments,
        }))
    }

    /// Moves a QP to a state, with all its attributes; a QPN seen for the first time comes from Reset.
    pub fn modify_qp(
        &mut self,
        memory: &Memory,
        settings: &QpSettings,
        state: QpState,
    ) -> Result<Ticket, DriverError> {
        let index = self.index(settings.qpn)?;
        settings.check()?;
        for cqn in [settings.send_cq, settings.receive_cq] {
            self.cqs.get(&cqn).ok_or(DriverError::UnknownCq(cqn))?;
        }
        let standing = self.qps.get(&index);
        match standing {
            Some(qp) if qp.qpn != settings.qpn && qp.state != QpState::Reset => {
                let (qpn, other) = (settings.qpn, qp.qpn);
                return Err(DriverError::IndexTaken { qpn, other });
            }
            _ => {}
        }
        let from = standing
            .filter(|qp| qp.qpn == settings.qpn)
            .map_or(QpState::Reset, |qp| qp.state);
        if !from.may_become(state) {
            let qpn = settings.qpn;
            return Err(DriverError::BadTransition { qpn, from, to: state });
        }
        if from == QpState::Reset {
            self.make_rings(index, settings)?;
        }
        if state == QpState::Reset {
            self.forget_work(memory, index);
        }
        let qp = self
            .qps
            .get_mut(&index)
            .ok_or(DriverError::UnknownQp(settings.qpn))?;
        qp.state = state;
        qp.max_rd_atomic = settings.max_rd_atomic;
        let arguments = qp.arguments(settings);
        Ok(self.jobs.push(Job::Command {
            code: command::MODIFY_QP,
            arguments,
        }))
    }

    /// Gives a QP in Reset its rings; it keeps those it has if their sizes suit.
    fn make_rings(&mut self, index: u32, settings: &QpSettings) -> Result<(), DriverError> {
        let send = ring::log_size(settings.send_entries)?;
        let receive = ring::log_size(settings.receive_entries)?;
        let standing = self
            .qps
            .get(&index)
            .map(|qp| (qp.ring(Side::Send).place, qp.ring(Side::Receive).place));
        let (send, receive) = match standing {
            Some((s, r)) if (s.log_size, r.log_size) == (send, receive) => (s, r),
            _ => (self.place(send)?, self.place(receive)?),
        };
        self.qps.insert(index, Qp::new(settings, send, receive));
        Ok(())
    }

    /// Room for a work queue of 2^`log_size` entries.
    fn place(&mut self, log_size: u8) -> Result<Place, DriverError> {
        Ok(Place {
            base: self.allocate(wqe::BYTES, log_size)?,
            areas: self.allocate(AREA_BYTES, log_size)?,
            log_size,
        })
    }

    /// A reset removes a QP's work and its unpolled completions.
    fn forget_work(&mut self, memory: &Memory, index: u32) {
        let Driver { qps, cqs, .. } = self;
        for cq in cqs.values_mut() {
            cq.collect(memory, qps);
            cq.forget(|completion| qps.get(&index).is_some_and(|qp| qp.qpn == completion.qpn));
        }
        if let Some(qp) = qps.get_mut(&index) {
            for side in [Side::Send, Side::Receive] {
                if let Some(cq) = cqs.get_mut(&qp.cqn(side)) {
                    cq.release(qp.ring(side).outstanding());
                }
                qp.ring_mut(side).clear();
            }
        }
    }

    /// Posts a message: the WQE now, the doorbell as the ticket says. Gives the WQE's index, modulo 2^16, too.
    pub fn post_send(
        &mut self,
        memory: &mut Memory,
        qpn: u32,
        work: &SendWork,
    ) -> Result<(Ticket, u16), DriverError> {
        let depth = self.qp(qpn)?.max_rd_atomic;
        let (entry, body) = work.entry(qpn, depth)?;
        self.post(memory, qpn, Side::Send, work.wr_id, entry, &body)
    }

    /// Posts a receive buffer: the WQE now, the doorbell as the ticket says. Gives the WQE's index, modulo 2^16, too.
    pub fn post_receive(
        &mut self,
        memory: &mut Memory,
        qpn: u32,
        work: &ReceiveWork,
    ) -> Result<(Ticket, u16), DriverError> {
        let (entry, body) = work.entry()?;
        self.post(memory, qpn, Side::Receive, work.wr_id, entry, &body)
    }

    /// Where WQE `index` (modulo 2^16) of the receive or of the send queue lies in host memory.
    pub fn wqe_address(&self, qpn: u32, receive: bool, index: u16) -> Result<u64, DriverError> {
        let side = if receive { Side::Receive } else { Side::Send };
        Ok(self.qp(qpn)?.ring(side).entry(index))
    }

    /// Where the list of SGEs, or the copy of inline data, of that WQE lies.
    pub fn area_address(&self, qpn: u32, receive: bool, index: u16) -> Result<u64, DriverError> {
        let side = if receive { Side::Receive } else { Side::Send };
        Ok(self.qp(qpn)?.ring(side).area(index))
    }

    /// Where CQE `index`, modulo the queue's entries, lies.
    pub fn cqe_address(&self, cqn: u32, index: u32) -> Result<u64, DriverError> {
        let cq = self.cqs.get(&cqn).ok_or(DriverError::UnknownCq(cqn))?;
        Ok(cq.entry(index))
    }

    fn qp(&self, qpn: u32) -> Result<&Qp, DriverError> {
        let qp = self.qps.get(&self.index(qpn)?).filter(|qp| qp.qpn == qpn);
        qp.ok_or(DriverError::UnknownQp(qpn))
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
        let index = self.index(qpn)?;
        let qp = self.qps.get_mut(&index).filter(|qp| qp.qpn == qpn);
        let qp = qp.ok_or(DriverError::UnknownQp(qpn))?;
        if !qp.state.takes(side) {
            let (what, state) = (side.name(), qp.state);
            return Err(DriverError::WrongState { qpn, what, state });
        }
        if qp.ring(side).is_full() {
            let what = side.name();
            return Err(DriverError::QueueFull { qpn, what });
        }
        let cqn = qp.cqn(side);
        self.cqs
            .get_mut(&cqn)
            .ok_or(DriverError::UnknownCq(cqn))?
            .reserve()?;
        let ring = qp.ring_mut(side);
        let posted = ring.post(memory, wr_id, entry, body);
        let value = u32::from(ring.producer());
        let addr = doorbell(index, side);
        Ok((self.jobs.push(Job::Write { addr, value }), posted))
    }

    /// Where the entry of the send WQE of this index stands in host memory, for software that writes past the driver.
    pub fn send_entry(&self, qpn: u32, index: u16) -> Result<u64, DriverError> {
        Ok(self.qp(qpn)?.ring(Side::Send).entry(index))
    }

    /// Rings a doorbell past the driver: WQEs before `producer` exist, whatever was posted.
    pub fn ring(&mut self, qpn: u32, side: Side, producer: u16) -> Ticket {
        let index = qpn & ((1 << self.profile.qp_bits) - 1);
        self.write_register(doorbell(index, side), producer.into())
    }

    /// The oldest completion of a CQ that was not polled yet.
    pub fn poll_cq(&mut self, memory: &Memory, cqn: u32) -> Result<Option<Completion>, DriverError> {
        let Driver { qps, cqs, .. } = self;
        let cq = cqs.get_mut(&cqn).ok_or(DriverError::UnknownCq(cqn))?;
        cq.collect(memory, qps);
        let completion = cq.pop();
        if completion.is_some() {
            let value = u32::from(cq.taken());
            let addr = register::CQ_CONSUMER + register::CQ_STRIDE * cqn;
            self.write_register(addr, value);
        }
        Ok(completion)
    }

    /// What became of a call: nothing yet, the value read (0 where nothing was read), or why it was refused.
    pub fn outcome(&self, ticket: Ticket) -> Option<Result<u32, DriverError>> {
        self.jobs.outcome(ticket)
    }

    /// No call is waiting for the register bus.
    pub fn is_idle(&self) -> bool {
        self.jobs.is_idle()
    }

    /// Moves on: hands accesses to the bus and takes its answers.
    pub fn step(&mut self, bus: &mut AxilMaster) {
        self.jobs.step(bus);
    }

    fn index(&self, qpn: u32) -> Result<u32, DriverError> {
        let bits = self.profile.qp_bits;
        let index = qpn & ((1 << bits) - 1);
        if (index < 2 && qpn >= 2) || qpn >> 24 != 0 {
            return Err(DriverError::BadQpn { qpn, bits });
        }
        Ok(index)
    }
}

/// Address of a queue's doorbell.
fn doorbell(index: u32, side: Side) -> u32 {
    let base = match side {
        Side::Send => register::SQ_DOORBELL,
        Side::Receive => register::RQ_DOORBELL,
    };
    base + register::QP_STRIDE * index
}
