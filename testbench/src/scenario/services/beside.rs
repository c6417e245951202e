//! QP0, QP1 and the members of a multicast group, beside the other queue pairs and in both directions.
use super::layout::{is_received, place, qpn_of, read, split, BUFFERS, QPS, RECEIVE, SOURCES};
use super::multicast::{self, mgid, mlid};
use super::origin;
use super::setup::{attributes, is_global, q_key, sl, AREA, HANDLES};
use crate::device::{port_on, Verb};
use crate::fabric::{Fabric, Stop};
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{
    Completion, Datagram, DatagramSource, Pmtu, QpAttributes, QpState, ReceiveRequest, SendOperation,
    SendRequest, Service, Status,
};
use hca_golden::wire::multicast::DEST_QP;
use rand_chacha::rand_core::RngCore;
use rand_chacha::ChaCha8Rng;

/// The CQ of QP0 and QP1, which no other queue pair uses (`special_qps.md` section 1).
const MANAGEMENT_CQ: u32 = 8;
/// Members of the group, of a side. They have the two indices that the smallest profile leaves free.
const MEMBERS: u32 = 2;
/// Number of messages of a queue pair.
const MESSAGES: u32 = 8;
/// Largest number of messages for a queue pair: those of the three other members.
const COPIES: u32 = (2 * MEMBERS - 1) * MESSAGES;
/// The group, and the address handle for it.
const GROUP: u32 = 0;
const GROUP_HANDLE: u32 = HANDLES;
/// Bytes of a MAD, which is all that QP0 and QP1 send.
const MAD: usize = 256;
/// The first bytes of a MAD: base version 1, a class that vendors have, its version 1, Send.
const MAD_HEADER: [u8; 4] = [1, 0x0A, 1, 3];
/// Q_Key of QP1.
const MANAGEMENT_Q_KEY: u32 = 0x8001_0000;
/// Bit of a Q_Key with which a request selects that of its own queue pair.
const OWN_Q_KEY: u32 = 1 << 31;

/// What a queue pair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// QP0 or QP1, by its QPN.
    Management(u32),
    /// This member of the group.
    Member(u32),
}

struct Message {
    request: SendRequest,
    bytes: Vec<u8>,
    /// Number of times that it has come, by the index of the receiver.
    arrivals: Vec<u32>,
}

/// A queue pair, and what it sends.
struct End {
    side: Side,
    kind: Kind,
    messages: Vec<Message>,
    posted: usize,
    completed: Vec<u64>,
}

/// The queue pairs of both sides.
pub struct Beside {
    ends: Vec<End>,
    /// True if the link may lose and repeat packets.
    faulty: bool,
}

fn kinds(link: Link) -> Vec<Kind> {
    // RoCEv2 has no QP0.
    let first = u32::from(link == Link::Roce);
    let management = (first..2).map(Kind::Management);
    management.chain((0..MEMBERS).map(Kind::Member)).collect()
}

impl Kind {
    fn qpn(self, side: Side) -> u32 {
        match self {
            Kind::Management(qpn) => qpn,
            Kind::Member(_) => qpn_of(side, self.number()),
        }
    }

    /// Returns the number of the queue pair among all, which gives the places of its messages.
    fn number(self) -> u32 {
        match self {
            Kind::Member(member) => QPS + member,
            Kind::Management(qpn) => QPS + MEMBERS + qpn,
        }
    }

    fn attributes(self, link: Link, side: Side) -> QpAttributes {
        let of_member = attributes(link, side, QPS, Service::Ud, Pmtu::B4096, [0xFF_FFFC, 7]);
        let own = QpAttributes {
            qpn: self.qpn(side),
            dest_qpn: 0,
            ..of_member
        };
        match self {
            Kind::Member(_) => own,
            Kind::Management(_) => QpAttributes {
                send_cq: MANAGEMENT_CQ,
                receive_cq: MANAGEMENT_CQ,
                q_key: MANAGEMENT_Q_KEY,
                ..own
            },
        }
    }
}

/// Moves the queue pairs to RTS, the members into the group, and posts receive WQEs for twice what is sent, because the
/// link may repeat packets.
pub fn establish(fabric: &mut Fabric<'_>, random: &mut ChaCha8Rng) -> Result<(), Stop> {
    let link = fabric.link();
    for side in Side::BOTH {
        let mut verbs = vec![
            Verb::CreateCq {
                cqn: MANAGEMENT_CQ,
                entries: 8 * MESSAGES,
            },
            Verb::CreateAh {
                handle: GROUP_HANDLE,
                attributes: multicast::address(link, GROUP),
            },
        ];
        for kind in kinds(link) {
            let qpn = kind.qpn(side);
            verbs.push(Verb::CreateQp {
                attributes: kind.attributes(link, side),
                send_entries: MESSAGES,
                receive_entries: (2 * COPIES).next_power_of_two(),
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
            let (most, room) = match kind {
                Kind::Management(_) => (MESSAGES, MAD as u32),
                Kind::Member(_) => {
                    let (mgid, mlid) = (mgid(link, GROUP), mlid(link, GROUP));
                    verbs.push(Verb::Attach { qpn, mgid, mlid });
                    (COPIES, 1024)
                }
            };
            verbs.extend((0..2 * most).map(|m| Verb::PostReceive {
                qpn,
                request: ReceiveRequest {
                    wr_id: RECEIVE | u64::from(m),
                    sges: split(random, buffer(kind, m.into()), AREA + room),
                },
            }));
        }
        fabric.verbs(side, verbs)?;
    }
    Ok(())
}

/// Returns the place of a receive buffer by the number with which it was posted. There are more of them than of the
/// other queue pairs', and they are small.
fn buffer(kind: Kind, number: u64) -> u64 {
    place(BUFFERS, kind.number(), 0) + number * 0x1000
}

impl Message {
    fn random(random: &mut ChaCha8Rng, kind: Kind, m: u32, receivers: usize) -> Message {
        let length = match kind {
            Kind::Management(_) => MAD,
            Kind::Member(_) => random.next_u32() as usize % 1025,
        };
        let mut bytes = vec![0; length];
        random.fill_bytes(&mut bytes);
        let own_key = random.next_u32().is_multiple_of(2);
        let (handle, dest_qpn, key) = match kind {
            Kind::Management(qpn) => {
                bytes[..4].copy_from_slice(&MAD_HEADER);
                (random.next_u32() % HANDLES, qpn, MANAGEMENT_Q_KEY * qpn)
            }
            Kind::Member(_) => (GROUP_HANDLE, DEST_QP, q_key(QPS)),
        };
        let immediate = m.to_be_bytes();
        let has_immediate = matches!(kind, Kind::Member(_)) && random.next_u32().is_multiple_of(2);
        Message {
            request: SendRequest {
                wr_id: m.into(),
                operation: match has_immediate {
                    true => SendOperation::SendWithImmediate { immediate },
                    false => SendOperation::Send,
                },
                sges: split(random, place(SOURCES, kind.number(), m), length as u32),
                signaled: !random.next_u32().is_multiple_of(4),
                solicited: random.next_u32().is_multiple_of(2),
                inline: length <= 256 && random.next_u32().is_multiple_of(4),
                datagram: Some(Datagram {
                    handle,
                    dest_qpn,
                    q_key: if own_key && kind != Kind::Management(0) {
                        OWN_Q_KEY
                    } else {
                        key
                    },
                    p_key_index: 0,
                }),
                ..SendRequest::default()
            },
            bytes,
            arrivals: vec![0; receivers],
        }
    }

    /// Returns true if this completion of a queue pair of `to` is that of the message.
    fn is_completed_by(
        &self,
        fabric: &mut Fabric<'_>,
        from: (Side, Kind),
        to: (Side, Kind),
        completion: &Completion,
    ) -> bool {
        let immediate = match self.request.operation {
            SendOperation::SendWithImmediate { immediate } => Some(immediate),
            _ => None,
        };
        let source = self.source(fabric.link(), from, to.0);
        let corrupts = fabric.corrupts();
        let payload = buffer(to.1, completion.wr_id & !RECEIVE) + u64::from(AREA);
        completion.immediate == immediate
            && completion.byte_count as usize == AREA as usize + self.bytes.len()
            && completion
                .datagram
                .is_some_and(|reported| origin::is_reported(source, reported, corrupts))
            && read(fabric, to.0, payload, self.bytes.len()) == self.bytes
    }

    /// Returns the source, as a completion gives it.
    fn source(&self, link: Link, (from, kind): (Side, Kind), to: Side) -> DatagramSource {
        let [sender, receiver] = [from, to].map(|side| port_on(link, side));
        let handle = self.request.datagram.map_or(0, |datagram| datagram.handle);
        let (grh, sl) = match kind {
            Kind::Management(0) => (false, sl(handle)),
            Kind::Management(_) => (is_global(link, handle), sl(handle)),
            Kind::Member(_) => (true, multicast::sl(GROUP)),
        };
        let qpn = kind.qpn(from);
        match link {
            Link::InfiniBand => DatagramSource {
                qpn,
                slid: sender.lid,
                sl,
                lid: receiver.lid,
                grh,
                ..DatagramSource::default()
            },
            Link::Roce => DatagramSource {
                qpn,
                grh: true,
                source_mac: Some(sender.mac),
                ..DatagramSource::default()
            },
        }
    }
}

impl End {
    /// Returns true if messages of this queue pair go to that one.
    fn reaches(&self, side: Side, kind: Kind) -> bool {
        match (self.kind, kind) {
            (Kind::Management(own), Kind::Management(other)) => own == other && self.side != side,
            (Kind::Member(_), Kind::Member(_)) => (self.side, self.kind) != (side, kind),
            _ => false,
        }
    }

    fn named(&self, what: &str) -> String {
        format!("{what} of {:?} of {:?}", self.kind, self.side)
    }
}

impl Beside {
    pub fn random(link: Link, faulty: bool, random: &mut ChaCha8Rng) -> Beside {
        let kinds = kinds(link);
        let receivers = 2 * kinds.len();
        let ends = Side::BOTH.into_iter().flat_map(|side| {
            let of_side = kinds.iter().map(move |kind| (side, *kind));
            of_side.collect::<Vec<_>>()
        });
        let ends = ends.map(|(side, kind)| End {
            side,
            kind,
            messages: (0..MESSAGES)
                .map(|m| Message::random(random, kind, m, receivers))
                .collect(),
            posted: 0,
            completed: Vec::new(),
        });
        Beside {
            ends: ends.collect(),
            faulty,
        }
    }

    /// Writes all messages to their sources.
    pub fn write(&self, fabric: &mut Fabric<'_>) {
        for end in &self.ends {
            for message in &end.messages {
                let mut bytes = &message.bytes[..];
                for sge in &message.request.sges {
                    let (here, rest) = bytes.split_at(sge.length as usize);
                    fabric.station(end.side).write_memory(sge.addr, here);
                    bytes = rest;
                }
            }
        }
    }

    /// Posts the next message of a queue pair that is drawn at random from those with messages left. Returns false if
    /// all messages are posted.
    pub fn post(&mut self, fabric: &mut Fabric<'_>, random: &mut ChaCha8Rng) -> bool {
        let mut open: Vec<&mut End> = self
            .ends
            .iter_mut()
            .filter(|end| end.posted < end.messages.len())
            .collect();
        if open.is_empty() {
            return false;
        }
        let turn = random.next_u32() as usize % open.len();
        let end = &mut open[turn];
        let (qpn, request) = (end.kind.qpn(end.side), end.messages[end.posted].request.clone());
        fabric.station(end.side).submit(Verb::PostSend { qpn, request });
        end.posted += 1;
        true
    }

    /// Takes a completion, if it is one of these queue pairs.
    pub fn complete(
        &mut self,
        fabric: &mut Fabric<'_>,
        side: Side,
        completion: &Completion,
    ) -> Result<bool, Stop> {
        let is_own = |end: &End| end.side == side && end.kind.qpn(side) == completion.qpn;
        let Some(own) = self.ends.iter().position(is_own) else {
            return Ok(false);
        };
        fabric.expect("status of a completion", Status::Success, completion.status)?;
        if !is_received(completion) {
            self.ends[own].completed.push(completion.wr_id);
            return Ok(true);
        }
        let kind = self.ends[own].kind;
        let source = completion.datagram.map(|source| source.qpn);
        let sender = self
            .ends
            .iter_mut()
            .find(|end| end.reaches(side, kind) && source == Some(end.kind.qpn(end.side)));
        let Some(sender) = sender else {
            fabric.expect(&self.ends[own].named("a sender for a message"), true, false)?;
            return Ok(true);
        };
        // What the link does not touch comes in order.
        let (from, faulty) = ((sender.side, sender.kind), self.faulty && sender.side != side);
        let mut open = sender
            .messages
            .iter_mut()
            .filter(|message| faulty || message.arrivals[own] == 0);
        let found = match faulty {
            true => open.find(|m| m.is_completed_by(fabric, from, (side, kind), completion)),
            false => open
                .next()
                .filter(|m| m.is_completed_by(fabric, from, (side, kind), completion)),
        };
        match found {
            Some(message) => message.arrivals[own] += 1,
            None => fabric.expect(&self.ends[own].named("a message"), true, false)?,
        }
        Ok(true)
    }

    /// Checks that every signaled message has completed, in order, and that each has come once to all that it is for.
    /// The link may lose those of the other side.
    pub fn check(&self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        for end in &self.ends {
            let signaled = end.messages.iter().filter(|m| m.request.signaled);
            let expected: Vec<u64> = signaled.map(|m| m.request.wr_id).collect();
            let field = end.named("completions of the send queue");
            fabric.expect(&field, expected, end.completed.clone())?;
            for (at, receiver) in self.ends.iter().enumerate() {
                if !end.reaches(receiver.side, receiver.kind) || (self.faulty && receiver.side != end.side) {
                    continue;
                }
                let arrivals: Vec<u32> = end.messages.iter().map(|m| m.arrivals[at]).collect();
                let field = end.named(&format!("arrivals at {:?} of {:?}", receiver.kind, receiver.side));
                fabric.expect(&field, vec![1; MESSAGES as usize], arrivals)?;
            }
        }
        Ok(())
    }
}
