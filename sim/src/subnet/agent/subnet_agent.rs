//! How the agent handles an SMP.
use super::super::attribute::{id, BadKey, LocalChange, PortCounters, RefusedSmp, Trap};
use super::super::m_key::Permission;
use super::super::mad::{class, Header, Method, Smp, Status, VERSION};
use super::super::port::{Capabilities, CountedKey, PortState, Ports};
use super::super::record::Record;
use super::seat::Seat;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::time::Duration;

/// A LID of no manager, like 0.
const NO_LID: u16 = 0xFFFF;

/// An SMP that arrived at a port.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    pub port: u8,
    /// Source LID; FFFFh if the SMP came by a directed route from its requester.
    pub slid: u16,
    pub smp: &'a Smp,
    /// Time since a moment that the agent's user chooses. It never goes back.
    pub now: Duration,
}

/// Whether an SMP reads or writes its attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Get,
    Set,
}

/// What the agent does with an SMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// The agent sends this reply back.
    Reply(Smp),
    /// The SMP is for a manager on the port at which it arrived.
    ForManager(Smp),
    /// There is no reply.
    Consumed,
}

/// What applications have to know of a manager's changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    LidChange { port: u8 },
    SmChange { port: u8 },
    PKeyChange { port: u8 },
    ClientReregister { port: u8 },
}

/// A Trap that leaves through QP0 of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub port: u8,
    pub slid: u16,
    pub dlid: u16,
    pub sl: u8,
    pub smp: Smp,
}

/// The agent of an adapter and of all its ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubnetAgent {
    pub(super) capabilities: Capabilities,
    pub(super) description: [u8; 64],
    seats: Vec<Seat>,
    events: VecDeque<Event>,
}

impl SubnetAgent {
    /// Makes the agent in its state at reset. Only the first 64 bytes of `description`, the text of NodeDescription,
    /// are used.
    pub fn new(capabilities: Capabilities, description: &str) -> SubnetAgent {
        let mut text = [0; 64];
        text.iter_mut()
            .zip(description.bytes())
            .for_each(|(to, from)| *to = from);
        SubnetAgent {
            seats: vec![Seat::default(); capabilities.ports.into()],
            capabilities,
            description: text,
            events: VecDeque::new(),
        }
    }

    /// Returns what the agent keeps for a port.
    ///
    /// # Panics
    /// If the adapter has no port with this number.
    pub(super) fn seat(&self, port: u8) -> &Seat {
        &self.seats[usize::from(port) - 1]
    }

    pub(super) fn seat_mut(&mut self, port: u8) -> &mut Seat {
        &mut self.seats[usize::from(port) - 1]
    }

    /// Returns the numbers of the adapter's ports.
    pub fn ports(&self) -> RangeInclusive<u8> {
        1..=self.capabilities.ports
    }

    /// Takes the oldest change that no application has learnt of.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    pub(super) fn raise(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Takes an SMP. If its route is directed, it must have passed the rules of directed routes. The checks come in the
    /// order of `protocol/mad.md` section 5. If a reply comes with a command to the link, the command is given once
    /// [`reply_left`](SubnetAgent::reply_left) is called.
    pub fn receive<P: Ports>(&mut self, ports: &mut P, arrival: &Arrival<'_>) -> Result<Handled, P::Error> {
        let Arrival { port, smp, now, .. } = *arrival;
        self.pass_time(now);
        let header = &smp.header;
        if header.base_version != VERSION || header.class_version != VERSION {
            return Ok(Handled::Reply(smp.response(Status::Version)));
        }
        let access = match header.method() {
            Some(Method::Get) => Access::Get,
            Some(Method::Set) => Access::Set,
            Some(Method::TrapRepress) => return Ok(self.repress(arrival)),
            Some(Method::GetResp | Method::Trap) => return Ok(self.for_manager(port, smp)),
            _ => return Ok(Handled::Reply(smp.response(Status::Method))),
        };
        let permission = self.judge(port, arrival, access);
        if permission == Permission::Refused {
            return Ok(Handled::Consumed);
        }
        if header.attribute == id::SM_INFO && self.seat(port).is_sm {
            return Ok(Handled::ForManager(*smp));
        }
        self.attribute(ports, arrival, access, permission)
    }

    /// Returns what the M_Key of the SMP permits at this port of the adapter. If it refuses the SMP, a trap is
    /// requested.
    pub(super) fn judge(&mut self, port: u8, arrival: &Arrival<'_>, access: Access) -> Permission {
        let Arrival { smp, slid, now, .. } = *arrival;
        let seat = self.seat_mut(port);
        let permission = seat.m_key.judge(smp.m_key, access == Access::Get, now);
        if permission == Permission::Refused {
            seat.traps.ask(Trap::BadMKey(RefusedSmp::of(slid, smp)));
        }
        permission
    }

    fn for_manager(&self, port: u8, smp: &Smp) -> Handled {
        match self.seat(port).is_sm || smp.header.is_response() {
            true => Handled::ForManager(*smp),
            false => Handled::Consumed,
        }
    }

    /// Takes a TrapRepress, which answers the Trap of a manager on this port, or ends the repetition of the agent's own
    /// Trap.
    fn repress(&mut self, arrival: &Arrival<'_>) -> Handled {
        let Arrival { port, smp, .. } = *arrival;
        let transaction = smp.header.transaction as u32;
        if self.seat_mut(port).manager_traps.remove(&transaction) {
            return Handled::ForManager(*smp);
        }
        if self.judge(port, arrival, Access::Set) != Permission::Refused {
            let number = u16::from_be_bytes([smp.data[4], smp.data[5]]);
            self.seat_mut(port).traps.repress(transaction, number);
        }
        Handled::Consumed
    }

    /// Notes that the reply to the last SMP of this port has left the port: gives the link the command that the SMP
    /// required.
    pub fn reply_left<P: Ports>(&mut self, ports: &mut P, port: u8) -> Result<(), P::Error> {
        match self.seat_mut(port).after_reply.take() {
            Some(command) => ports.command(port, command),
            None => Ok(()),
        }
    }

    /// Notes whether the program on this port is a manager. Each change requests a trap.
    pub fn set_is_sm(&mut self, port: u8, is_sm: bool) {
        if self.seat(port).is_sm != is_sm {
            self.seat_mut(port).is_sm = is_sm;
            self.changed(port, LocalChange::default());
        }
    }

    /// Notes that a manager on this port sent a Trap with this transaction. A TrapRepress with the same transaction is
    /// for the manager.
    pub fn manager_sent_trap(&mut self, port: u8, transaction: u64) {
        self.seat_mut(port).manager_traps.insert(transaction as u32);
    }

    /// Notes that the manager no longer waits for a TrapRepress.
    pub fn manager_gave_up(&mut self, port: u8, transaction: u64) {
        self.seat_mut(port).manager_traps.remove(&(transaction as u32));
    }

    /// Notes a change at the adapter that no manager made.
    pub fn changed(&mut self, port: u8, change: LocalChange) {
        let capability_mask = self.capability_mask(port);
        self.ask(
            port,
            Trap::LocalChange {
                capability_mask,
                change,
            },
        );
    }

    /// Takes what the violation latch of the port holds, and requests its trap. Called on the event of the latch; it
    /// does no harm at another time.
    pub fn take_violation<P: Ports>(&mut self, ports: &mut P, port: u8) -> Result<(), P::Error> {
        match ports.take_violation(port)? {
            Some((CountedKey::PKey, bad)) => self.p_key_violation(port, bad),
            Some((CountedKey::QKey, bad)) => self.q_key_violation(port, bad),
            None => {}
        }
        Ok(())
    }

    /// Compares the counters of the port with their thresholds, as often as traps may leave, and requests the trap of a
    /// counter that has reached its threshold. Called at each poll of the port.
    pub fn watch_counters<P: Ports>(
        &mut self,
        ports: &mut P,
        port: u8,
        now: Duration,
    ) -> Result<(), P::Error> {
        let seat = self.seat(port);
        if !seat.knows_manager() || !seat.thresholds.are_due(seat.subnet_timeout, now) {
            return Ok(());
        }
        let settings = ports.settings(port)?;
        // Reading an adapter's counters takes clock cycles.
        let counters = match settings.local_phy_errors | settings.overrun_errors {
            0 => PortCounters::default(),
            _ => ports.counters(port)?,
        };
        if let Some(trap) = self.seat_mut(port).thresholds.look(&settings, &counters, now) {
            self.ask(port, trap);
        }
        Ok(())
    }

    /// Notes that a packet was dropped because of its P_Key.
    pub fn p_key_violation(&mut self, port: u8, bad: BadKey) {
        self.ask(port, Trap::BadPKey(bad));
    }

    /// Notes that a packet was dropped because of its Q_Key.
    pub fn q_key_violation(&mut self, port: u8, bad: BadKey) {
        self.ask(port, Trap::BadQKey(bad));
    }

    /// Requests a trap. Of several traps that wait for their time to leave, the latest is kept.
    pub fn ask(&mut self, port: u8, trap: Trap) {
        self.seat_mut(port).traps.ask(trap);
    }

    /// Ends the leases whose time is over.
    fn pass_time(&mut self, now: Duration) {
        self.seats.iter_mut().for_each(|seat| seat.m_key.pass_time(now));
    }

    /// Returns the time at which the agent has something to do by itself.
    pub fn wakes(&self) -> Option<Duration> {
        let leases = self.seats.iter().filter_map(|seat| seat.m_key.wakes());
        let traps = self
            .seats
            .iter()
            .filter(|seat| seat.knows_manager())
            .filter_map(|seat| seat.traps.wakes(seat.subnet_timeout));
        leases.chain(traps).min()
    }

    /// Returns the next Trap that leaves now; `None` if none is due.
    pub fn outgoing<P: Ports>(&mut self, ports: &mut P, now: Duration) -> Result<Option<Outgoing>, P::Error> {
        self.pass_time(now);
        for port in self.ports() {
            let seat = self.seat(port);
            if !seat.knows_manager() || seat.traps.wakes(seat.subnet_timeout).is_none_or(|due| due > now) {
                continue;
            }
            if ports.link(port)?.state != PortState::Active {
                continue;
            }
            let slid = ports.settings(port)?.lid;
            let seat = self.seat_mut(port);
            let Some(due) = seat.traps.due(seat.subnet_timeout, now) else {
                continue;
            };
            return Ok(Some(Outgoing {
                port,
                slid,
                dlid: seat.master_sm_lid,
                sl: seat.master_sm_sl,
                smp: trap_smp(due.transaction, due.trap.notice(port, slid).encode()),
            }));
        }
        Ok(None)
    }
}

impl Seat {
    /// Returns true once a subnet manager has written MasterSMLID, so that traps have a destination.
    fn knows_manager(&self) -> bool {
        !matches!(self.master_sm_lid, 0 | NO_LID)
    }
}

/// Returns a Trap with this notice (`protocol/mad.md` section 6).
fn trap_smp(transaction: u32, data: [u8; 64]) -> Smp {
    Smp {
        header: Header {
            base_version: VERSION,
            class: class::SUBNET,
            class_version: VERSION,
            method: Method::Trap as u8,
            transaction: transaction.into(),
            attribute: id::NOTICE,
            ..Header::default()
        },
        m_key: 0,
        dr_slid: 0,
        dr_dlid: 0,
        reserved: [0; 28],
        data,
        initial_path: [0; 64],
        return_path: [0; 64],
    }
}
