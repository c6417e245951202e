//! The connections of one adapter, from the first message of each to the last.
use super::message::{BadMad, Ids, Mad, Message, Rep, Req, MAD_BYTES};
use std::collections::{BTreeMap, VecDeque};

/// Reason of a rejection: the largest number of connections is reached.
const NO_RESOURCES: u16 = 3;
/// Reason of a rejection: nobody listens to the service.
const INVALID_SERVICE: u16 = 8;
/// Reason of a rejection: the receiver has given up.
const TIMED_OUT: u16 = 4;

/// How long the manager waits for answers, and for how many connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time until a message without an answer is sent again, in the caller's unit.
    pub interval: u64,
    /// Number of repetitions after which the manager gives the connection up.
    pub repeats: u8,
    /// Largest number of connections, including those being made. A peer that asks for more is refused.
    pub connections: usize,
}

/// What one side of a connection announces about its own end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// QPN, 24 bits.
    pub qpn: u32,
    /// First PSN that this end expects, 24 bits.
    pub starting_psn: u32,
    pub responder_resources: u8,
    pub initiator_depth: u8,
    /// True if this end supplies end-to-end credits, as in [`Req::flow_control`].
    pub flow_control: bool,
    /// Retries after RNR NAKs, 0 to 6; 7 is unlimited.
    pub rnr_retry_count: u8,
    pub private_data: Vec<u8>,
}

/// What the messages have led to. `id` is this manager's number of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A peer asks for a connection. The user has to grant or refuse it.
    Asked { id: u32, req: Req },
    /// The peer grants the connection. The user has to make the queue pair ready, and then call [`Manager::ready`].
    Granted { id: u32, rep: Rep },
    /// The peer has seen the grant and may send.
    Ready { id: u32 },
    /// The peer needs more time.
    Delayed { id: u32 },
    /// The peer refuses, or has given up.
    Rejected { id: u32, reason: u16 },
    /// The connection has ended, by either side.
    Ended { id: u32 },
    /// The peer has not answered in time.
    Lost { id: u32 },
}

/// The manager has no connection with this number, or the connection is in a state in which the call is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection {0} is in no state for this")]
pub struct Refused(pub u32);

/// The state of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// The REQ of this end was sent.
    Asking,
    /// The REP of the peer has arrived; the RTU of this end is not sent.
    Granting {
        rep: Rep,
    },
    /// The REQ of the peer has arrived; no answer is sent.
    Asked,
    /// The REP of this end was sent.
    Granted,
    Established,
    /// The DREQ of this end was sent.
    Ending,
}

/// A connection.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Connection {
    state: State,
    transaction: u64,
    /// The peer's number of the connection, once it is known, and its QPN.
    remote: u32,
    remote_qpn: u32,
    /// The answer to the peer's latest message. It is sent again if the message comes again.
    answer: Option<Mad>,
    /// A message that the peer has not answered, the time at which it is sent again, and how many more times it may be
    /// sent.
    unanswered: Option<(Mad, u64, u8)>,
}

/// All connections of an adapter.
#[derive(Clone, Debug)]
pub struct Manager {
    guid: u64,
    limits: Limits,
    services: Vec<u64>,
    connections: BTreeMap<u32, Connection>,
    next_id: u32,
    outgoing: VecDeque<[u8; MAD_BYTES]>,
    dropped: BTreeMap<BadMad, u64>,
    unexpected: u64,
}

impl Manager {
    /// Makes a manager without a connection, which listens to no service.
    pub fn new(guid: u64, limits: Limits) -> Manager {
        Manager {
            guid,
            limits,
            services: Vec::new(),
            connections: BTreeMap::new(),
            next_id: 1,
            outgoing: VecDeque::new(),
            dropped: BTreeMap::new(),
            unexpected: 0,
        }
    }

    /// Lets peers ask for connections to this service from now on.
    pub fn listen(&mut self, service: u64) {
        self.services.push(service);
    }

    /// Returns the next MAD for the peer's QP1.
    pub fn outgoing(&mut self) -> Option<[u8; MAD_BYTES]> {
        self.outgoing.pop_front()
    }

    /// Returns the number of dropped MADs for each reason.
    pub fn dropped(&self) -> &BTreeMap<BadMad, u64> {
        &self.dropped
    }

    /// Returns the number of messages that belong to no connection, or to one in another state.
    pub fn unexpected(&self) -> u64 {
        self.unexpected
    }

    /// Asks a peer for a connection and returns its number. The manager fills in the two numbers of `req` that it
    /// assigns.
    pub fn connect(&mut self, now: u64, req: Req) -> u32 {
        let id = self.give_id();
        let transaction = u64::from(id) << 32;
        let message = Message::Req(Req {
            local_id: id,
            ca_guid: self.guid,
            ..req
        });
        let mad = Mad { transaction, message };
        let connection = Connection {
            state: State::Asking,
            transaction,
            remote: 0,
            remote_qpn: 0,
            answer: None,
            unanswered: None,
        };
        self.connections.insert(id, connection);
        self.repeat(now, id, mad);
        id
    }

    /// Grants a connection that a peer has asked for.
    pub fn grant(&mut self, now: u64, id: u32, offer: Offer) -> Result<(), Refused> {
        let guid = self.guid;
        let connection = self.in_state(id, |state| *state == State::Asked)?;
        connection.state = State::Granted;
        let message = Message::Rep(Rep {
            local_id: id,
            remote_id: connection.remote,
            qpn: offer.qpn,
            starting_psn: offer.starting_psn,
            responder_resources: offer.responder_resources,
            initiator_depth: offer.initiator_depth,
            flow_control: offer.flow_control,
            rnr_retry_count: offer.rnr_retry_count,
            ca_guid: guid,
            private_data: offer.private_data,
        });
        let mad = Mad {
            transaction: connection.transaction,
            message,
        };
        connection.answer = Some(mad.clone());
        self.repeat(now, id, mad);
        Ok(())
    }

    /// Notes that the queue pair of a granted connection is ready.
    pub fn ready(&mut self, id: u32) -> Result<(), Refused> {
        let connection = self.in_state(id, |state| matches!(state, State::Granting { .. }))?;
        connection.state = State::Established;
        let ids = Ids {
            local: id,
            remote: connection.remote,
        };
        let mad = Mad {
            transaction: connection.transaction,
            message: Message::Rtu { ids },
        };
        connection.answer = Some(mad.clone());
        self.outgoing.push_back(mad.bytes());
        Ok(())
    }

    /// Refuses a connection that a peer has asked for or has granted.
    pub fn reject(&mut self, id: u32, reason: u16) -> Result<(), Refused> {
        let open = |state: &State| matches!(state, State::Asked | State::Granting { .. });
        let connection = self.in_state(id, open)?;
        let (transaction, remote) = (connection.transaction, connection.remote);
        self.connections.remove(&id);
        self.send_reject(transaction, Ids { local: id, remote }, reason);
        Ok(())
    }

    /// Asks for more time before a connection is granted. `timeout` is a code of `ack_timeout.csv`.
    pub fn delay(&mut self, id: u32, timeout: u8) -> Result<(), Refused> {
        let connection = self.in_state(id, |state| *state == State::Asked)?;
        let ids = Ids {
            local: id,
            remote: connection.remote,
        };
        let mad = Mad {
            transaction: connection.transaction,
            message: Message::Mra { ids, timeout },
        };
        connection.answer = Some(mad.clone());
        self.outgoing.push_back(mad.bytes());
        Ok(())
    }

    /// Ends a connection that is ready.
    pub fn end(&mut self, now: u64, id: u32) -> Result<(), Refused> {
        let connection = self.in_state(id, |state| *state == State::Established)?;
        connection.state = State::Ending;
        let ids = Ids {
            local: id,
            remote: connection.remote,
        };
        let message = Message::Dreq {
            ids,
            qpn: connection.remote_qpn,
        };
        let transaction = connection.transaction + 1;
        self.repeat(now, id, Mad { transaction, message });
        Ok(())
    }

    /// Takes the payload of a datagram to QP1, and returns the event that it causes, if any.
    pub fn receive(&mut self, payload: &[u8]) -> Option<Event> {
        let mad = match Mad::parse(payload) {
            Ok(mad) => mad,
            Err(bad) => {
                *self.dropped.entry(bad).or_default() += 1;
                return None;
            }
        };
        let transaction = mad.transaction;
        match mad.message {
            Message::Req(req) => self.asked(transaction, req),
            Message::Rep(rep) => self.replied(rep),
            Message::Mra { ids, .. } => self.delayed(ids),
            Message::Rej { ids, reason } => self.rejected(ids, reason),
            Message::Rtu { ids } => self.told_ready(ids),
            Message::Dreq { ids, .. } => self.asked_to_end(transaction, ids),
            Message::Drep { ids } => self.ended(ids),
        }
    }

    /// Sends again what was not answered in time, and gives up what was sent again often enough.
    pub fn tick(&mut self, now: u64) -> Vec<Event> {
        let mut lost = Vec::new();
        for (id, connection) in &mut self.connections {
            let Some((mad, due, left)) = &mut connection.unanswered else {
                continue;
            };
            match (*due <= now, *left) {
                (false, _) => {}
                (true, 0) => lost.push(*id),
                (true, _) => {
                    *left -= 1;
                    *due = now + self.limits.interval;
                    self.outgoing.push_back(mad.bytes());
                }
            }
        }
        let give_up = |id: u32| {
            let gone = self.connections.remove(&id);
            match gone.map(|connection| connection.state) {
                // The peer no longer has a connection that could answer.
                Some(State::Ending) => Event::Ended { id },
                _ => Event::Lost { id },
            }
        };
        lost.into_iter().map(give_up).collect()
    }

    fn give_id(&mut self) -> u32 {
        loop {
            let id = self.next_id;
            self.next_id = self.next_id.checked_add(1).unwrap_or(1);
            if !self.connections.contains_key(&id) {
                return id;
            }
        }
    }

    fn in_state(&mut self, id: u32, is: impl FnOnce(&State) -> bool) -> Result<&mut Connection, Refused> {
        let found = self.connections.get_mut(&id);
        found
            .filter(|connection| is(&connection.state))
            .ok_or(Refused(id))
    }

    /// Returns the connection that a message names by both its numbers.
    fn named(&mut self, ids: Ids) -> Option<(u32, &mut Connection)> {
        let found = self.connections.get_mut(&ids.remote);
        let found = found.filter(|connection| connection.remote == ids.local);
        match found {
            Some(connection) => Some((ids.remote, connection)),
            None => {
                self.unexpected += 1;
                None
            }
        }
    }

    fn repeat(&mut self, now: u64, id: u32, mad: Mad) {
        self.outgoing.push_back(mad.bytes());
        let Limits {
            interval, repeats, ..
        } = self.limits;
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.unanswered = Some((mad, now + interval, repeats));
        }
    }

    fn send_reject(&mut self, transaction: u64, ids: Ids, reason: u16) {
        let message = Message::Rej { ids, reason };
        self.outgoing.push_back(Mad { transaction, message }.bytes());
    }

    fn asked(&mut self, transaction: u64, req: Req) -> Option<Event> {
        let known = self.connections.values().find(|connection| {
            let passive = !matches!(connection.state, State::Asking | State::Granting { .. });
            passive && connection.remote == req.local_id && connection.transaction == transaction
        });
        if let Some(known) = known {
            // A repeated message gets the same answer, once there is one.
            let answer = known.answer.as_ref().map(Mad::bytes);
            self.outgoing.extend(answer);
            return None;
        }
        let is_heard = self.services.contains(&req.service);
        let has_room = self.connections.len() < self.limits.connections;
        if !is_heard || !has_room {
            let ids = Ids {
                local: 0,
                remote: req.local_id,
            };
            let reason = if is_heard { NO_RESOURCES } else { INVALID_SERVICE };
            self.send_reject(transaction, ids, reason);
            return None;
        }
        let id = self.give_id();
        let connection = Connection {
            state: State::Asked,
            transaction,
            remote: req.local_id,
            remote_qpn: req.qpn,
            answer: None,
            unanswered: None,
        };
        self.connections.insert(id, connection);
        Some(Event::Asked { id, req })
    }

    fn replied(&mut self, rep: Rep) -> Option<Event> {
        let id = rep.remote_id;
        let Some(connection) = self.connections.get_mut(&id) else {
            let ids = Ids {
                local: id,
                remote: rep.local_id,
            };
            self.unexpected += 1;
            self.send_reject(0, ids, TIMED_OUT);
            return None;
        };
        match &connection.state {
            State::Asking => {
                connection.remote = rep.local_id;
                connection.remote_qpn = rep.qpn;
                connection.unanswered = None;
                connection.state = State::Granting { rep: rep.clone() };
                Some(Event::Granted { id, rep })
            }
            State::Established if connection.remote == rep.local_id => {
                let answer = connection.answer.as_ref().map(Mad::bytes);
                self.outgoing.extend(answer);
                None
            }
            // The REP came again before this end is ready.
            State::Granting { rep: first } if *first == rep => None,
            _ => {
                self.unexpected += 1;
                None
            }
        }
    }

    fn delayed(&mut self, ids: Ids) -> Option<Event> {
        let repeats = self.limits.repeats;
        let id = ids.remote;
        match self
            .connections
            .get_mut(&id)
            .and_then(|connection| connection.unanswered.as_mut())
        {
            Some((_, _, left)) => {
                *left = repeats;
                Some(Event::Delayed { id })
            }
            None => {
                self.unexpected += 1;
                None
            }
        }
    }

    fn rejected(&mut self, ids: Ids, reason: u16) -> Option<Event> {
        let id = ids.remote;
        let open = |connection: &&Connection| {
            let begins = !matches!(connection.state, State::Established | State::Ending);
            // A peer that has not numbered the connection yet sends the number 0.
            begins && (ids.local == 0 || connection.remote == 0 || connection.remote == ids.local)
        };
        match self.connections.get(&id).filter(open) {
            Some(_) => {
                self.connections.remove(&id);
                Some(Event::Rejected { id, reason })
            }
            None => {
                self.unexpected += 1;
                None
            }
        }
    }

    fn told_ready(&mut self, ids: Ids) -> Option<Event> {
        let (id, connection) = self.named(ids)?;
        match connection.state {
            State::Granted => {
                connection.state = State::Established;
                connection.unanswered = None;
                Some(Event::Ready { id })
            }
            _ => None,
        }
    }

    fn asked_to_end(&mut self, transaction: u64, ids: Ids) -> Option<Event> {
        // A connection that is forgotten gets an answer, too: the peer may have missed the first one.
        let answer = Ids {
            local: ids.remote,
            remote: ids.local,
        };
        let message = Message::Drep { ids: answer };
        self.outgoing.push_back(Mad { transaction, message }.bytes());
        let (id, _) = self.named(ids)?;
        self.connections.remove(&id);
        Some(Event::Ended { id })
    }

    fn ended(&mut self, ids: Ids) -> Option<Event> {
        let (id, connection) = self.named(ids)?;
        if connection.state != State::Ending {
            self.unexpected += 1;
            return None;
        }
        self.connections.remove(&id);
        Some(Event::Ended { id })
    }
}
