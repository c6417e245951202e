//! Sends and Writes over unreliable connections, in both directions, on a sound link and on one that loses packets.
use super::connection::{Connection, RECEIVE_CQ, SEND_CQ};
use super::region::{all_memory, r_key_of_all, L_KEY};
use super::spread::{self, spread};
use crate::device::Verb;
use crate::fabric::{Fabric, Stop};
use crate::faults::Faults;
use crate::Side;
use hca_golden::port::Link;
use hca_golden::verbs::{
    Completion, Pmtu, QpAttributes, QpState, ReceiveRequest, RemoteAccess, SendOperation, SendRequest,
    Service, Sge, Status,
};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Number of connections. With the smallest profile, two indices stay free.
const CONNECTIONS: u32 = 12;
/// Number of messages of a connection in each direction. As many receive WQEs wait for them.
const MESSAGES: u32 = 24;
/// Number of entries of every work queue, a power of two.
const ENTRIES: u32 = 32;
/// Length of the longest message in bytes.
const LONGEST: u32 = 6000;
/// Distance from one message's place to the next, in bytes.
const STRIDE: u64 = 0x2000;
/// Areas of the sources of messages, and of their targets: of a Send by its receive WQE, of a Write by its own number.
const SOURCES: u64 = 0x1000_0000;
const BUFFERS: u64 = 0x2000_0000;
const TARGETS: u64 = 0x3000_0000;
/// Bit of `wr_id` that marks a receive WQE.
const RECEIVE: u64 = 1 << 32;
/// Index of the first queue pair. Those before it are QP0 and QP1.
const FIRST: u32 = 2;

/// A run with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UcTraffic {
    pub name: &'static str,
    pub faults: Option<Faults>,
}

/// No faults: everything arrives.
pub const MIXED: UcTraffic = UcTraffic {
    name: "uc-mixed",
    faults: None,
};
/// Of a hundred packets one is lost, one comes twice, one has a wrong bit, and three are overtaken by others.
pub const LOSS_1: UcTraffic = UcTraffic {
    name: "uc-loss-1",
    faults: Some(Faults {
        lost: 10,
        repeated: 10,
        corrupted: 10,
        delayed: 20,
        overtaken: 10,
        echoed: 0,
    }),
};
/// Of a hundred packets 20 are lost. Of those that are not, 20 of a hundred have a wrong bit, 20 come twice, and 20 are
/// overtaken by others. So 64 of a hundred arrive sound, and about half of them arrive once and in their place.
pub const LOSS_20: UcTraffic = UcTraffic {
    name: "uc-loss-20",
    faults: Some(Faults {
        lost: 200,
        repeated: 200,
        corrupted: 200,
        delayed: 50,
        overtaken: 150,
        echoed: 0,
    }),
};

/// A message, and its result.
struct Message {
    request: SendRequest,
    bytes: Vec<u8>,
    /// True if it takes a receive WQE.
    tells: bool,
    arrived: bool,
}

/// The messages of a queue pair, in order.
struct Flow {
    from: Side,
    n: u32,
    messages: Vec<Message>,
    /// Number of messages posted, and number of those that have completed or need not.
    posted: usize,
    completed: VecDeque<u64>,
    /// On a sound link: index of the next message that has to arrive at the peer.
    next: usize,
    /// True if nothing is lost, repeated or late.
    sound: bool,
}

fn qpn_of(side: Side, n: u32) -> u32 {
    let own = match side {
        Side::X => 0x0A_0000,
        Side::Y => 0x0B_0000,
    };
    own | n << 8 | (n + FIRST)
}

/// Returns the place of message `m` of QP `n` in an area.
fn place(area: u64, n: u32, m: u32) -> u64 {
    area + u64::from(n * ENTRIES + m) * STRIDE
}

fn attributes(link: Link, ports: u8, side: Side, n: u32, pmtu: Pmtu, psns: [u32; 2]) -> QpAttributes {
    let connection = Connection {
        link,
        pmtu,
        x_psn: psns[Side::X as usize],
        y_psn: psns[Side::Y as usize],
        entries: ENTRIES,
    };
    let attributes = QpAttributes {
        qpn: qpn_of(side, n),
        dest_qpn: qpn_of(side.other(), n),
        service: Service::Uc,
        access: RemoteAccess {
            write: true,
            ..RemoteAccess::default()
        },
        ..connection.attributes(side)
    };
    spread(ports, link, side, n, attributes)
}

impl UcTraffic {
    /// Runs it. The seed draws messages, their places and the faults.
    pub fn run(&self, fabric: &mut Fabric<'_>, seed: u64) -> Result<(), Stop> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        establish(fabric, &mut random)?;
        let mut flows: Vec<Flow> = (0..CONNECTIONS)
            .flat_map(|n| Side::BOTH.map(|from| (n, from)))
            .map(|(n, from)| flow(&mut random, from, n, self.faults.is_none()))
            .collect();
        for flow in &flows {
            for message in &flow.messages {
                let mut bytes = &message.bytes[..];
                for sge in &message.request.sges {
                    let (here, rest) = bytes.split_at(sge.length as usize);
                    fabric.station(flow.from).write_memory(sge.addr, here);
                    bytes = rest;
                }
            }
        }
        if let Some(faults) = self.faults {
            fabric.suffer(faults, seed);
        }
        while flows.iter().any(|f| f.posted < f.messages.len()) {
            let open = flows.iter().position(|f| f.posted < f.messages.len());
            let turn = (random.next_u32() as usize) % flows.len();
            let turn = match flows[turn].posted < flows[turn].messages.len() {
                true => turn,
                false => open.unwrap_or(turn),
            };
            flows[turn].post(fabric);
            for _ in 0..random.next_u32() % 64 {
                fabric.step()?;
            }
            take(fabric, &mut flows)?;
            let posted = flows.iter().map(|f| f.posted as u64).sum();
            fabric.report_progress(posted, u64::from(CONNECTIONS * 2 * MESSAGES));
        }
        fabric.settle()?;
        fabric.watch()?;
        take(fabric, &mut flows)?;
        for flow in &flows {
            flow.check(fabric)?;
        }
        Ok(())
    }
}

/// Moves all connections to RTS, and posts the receive WQEs.
fn establish(fabric: &mut Fabric<'_>, random: &mut ChaCha8Rng) -> Result<(), Stop> {
    let (link, ports) = (fabric.link(), fabric.ports());
    spread::begin(fabric)?;
    let shapes: Vec<(Pmtu, [u32; 2])> = (0..CONNECTIONS)
        .map(|_| {
            let pmtus = [Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048, Pmtu::B4096];
            let pmtu = pmtus[random.next_u32() as usize % pmtus.len()];
            // Some PSNs wrap soon.
            let psns = [(); 2].map(|()| (0xFF_FFF0 + random.next_u32() % 32) & 0xFF_FFFF);
            (pmtu, psns)
        })
        .collect();
    for side in Side::BOTH {
        let entries = CONNECTIONS * ENTRIES;
        let mut verbs: Vec<Verb> = [SEND_CQ, RECEIVE_CQ]
            .map(|cqn| Verb::CreateCq { cqn, entries })
            .into();
        verbs.push(Verb::RegMr { region: all_memory() });
        for (n, &(pmtu, psns)) in (0..).zip(&shapes) {
            let attributes = attributes(link, ports, side, n, pmtu, psns);
            let qpn = attributes.qpn;
            verbs.push(Verb::CreateQp {
                attributes,
                send_entries: ENTRIES,
                receive_entries: ENTRIES,
            });
            let states = [QpState::Init, QpState::Rtr, QpState::Rts];
            verbs.extend(states.map(|state| Verb::ModifyQp { qpn, state }));
            verbs.extend((0..MESSAGES).map(|m| Verb::PostReceive {
                qpn,
                request: ReceiveRequest {
                    wr_id: RECEIVE | u64::from(m),
                    sges: split(random, place(BUFFERS, n, m), LONGEST),
                },
            }));
        }
        fabric.verbs(side, verbs)?;
    }
    Ok(())
}

/// Returns SGEs that follow each other in memory and have this many bytes together.
pub(super) fn split(random: &mut ChaCha8Rng, addr: u64, length: u32) -> Vec<Sge> {
    let mut sges = Vec::new();
    let mut done = 0;
    while done < length {
        let left = length - done;
        let part = match sges.len() < 5 && random.next_u32().is_multiple_of(3) {
            true => 1 + random.next_u32() % left,
            false => left,
        };
        sges.push(Sge {
            addr: addr + u64::from(done),
            length: part,
            l_key: L_KEY,
        });
        done += part;
    }
    sges
}

/// Draws random messages. Those with immediate data carry their number.
fn flow(random: &mut ChaCha8Rng, from: Side, n: u32, sound: bool) -> Flow {
    let messages = (0..MESSAGES)
        .map(|m| {
            let length = match random.next_u32() % 4 {
                0 => random.next_u32() % 4,
                1 => random.next_u32() % 257,
                _ => random.next_u32() % (LONGEST + 1),
            };
            let mut bytes = vec![0; length as usize];
            random.fill_bytes(&mut bytes);
            let (va, r_key, immediate) = (place(TARGETS, n, m), r_key_of_all(), m.to_be_bytes());
            let operation = match random.next_u32() % 4 {
                0 => SendOperation::Send,
                1 => SendOperation::SendWithImmediate { immediate },
                2 => SendOperation::Write { va, r_key },
                _ => SendOperation::WriteWithImmediate { va, r_key, immediate },
            };
            let inline = length <= 256 && random.next_u32().is_multiple_of(4);
            Message {
                tells: operation.takes_receive_wqe(),
                request: SendRequest {
                    wr_id: m.into(),
                    operation,
                    sges: split(random, place(SOURCES, n, m), length),
                    signaled: !random.next_u32().is_multiple_of(4),
                    solicited: random.next_u32().is_multiple_of(2),
                    fence: random.next_u32().is_multiple_of(8),
                    inline,
                    datagram: None,
                },
                bytes,
                arrived: false,
            }
        })
        .collect();
    Flow {
        from,
        n,
        messages,
        posted: 0,
        completed: VecDeque::new(),
        next: 0,
        sound,
    }
}

/// Takes the completions of both sides.
fn take(fabric: &mut Fabric<'_>, flows: &mut [Flow]) -> Result<(), Stop> {
    for side in Side::BOTH {
        while let Some(reaped) = fabric.reap(side) {
            let completion = reaped.completion;
            fabric.expect("status of a completion", Status::Success, completion.status)?;
            let n = completion.qpn >> 8 & 0xFF;
            let received = completion.wr_id & RECEIVE != 0;
            let from = if received { side.other() } else { side };
            let Some(flow) = flows.iter_mut().find(|f| f.n == n && f.from == from) else {
                continue;
            };
            match received {
                true => flow.receive(fabric, &completion)?,
                false => flow.completed.push_back(completion.wr_id),
            }
        }
    }
    Ok(())
}

impl Flow {
    fn post(&mut self, fabric: &mut Fabric<'_>) {
        let qpn = qpn_of(self.from, self.n);
        let request = self.messages[self.posted].request.clone();
        fabric.station(self.from).submit(Verb::PostSend { qpn, request });
        self.posted += 1;
    }

    /// Takes a message that has arrived completely. On a sound link it must be the next one of those that take a
    /// receive WQE; else it may be any of them, because a packet that is repeated or late may bring a message again
    /// (`uc.md` section 3 step 8).
    fn receive(&mut self, fabric: &mut Fabric<'_>, completion: &Completion) -> Result<(), Stop> {
        let buffer = place(BUFFERS, self.n, completion.wr_id as u32);
        let mut at = if self.sound { self.next } else { 0 };
        while at < self.messages.len() {
            let message = &self.messages[at];
            at += 1;
            if !message.tells {
                continue;
            }
            let immediate = match message.request.operation {
                SendOperation::SendWithImmediate { immediate }
                | SendOperation::WriteWithImmediate { immediate, .. } => Some(immediate),
                _ => None,
            };
            let place = match message.request.operation {
                SendOperation::WriteWithImmediate { va, .. } => va,
                _ => buffer,
            };
            let mut seen = vec![0; message.bytes.len()];
            fabric.station(self.from.other()).read_memory(place, &mut seen);
            let same = completion.immediate == immediate
                && completion.byte_count as usize == message.bytes.len()
                && seen == message.bytes;
            if same {
                self.messages[at - 1].arrived = true;
                self.next = at;
                return Ok(());
            }
            if self.sound {
                break;
            }
        }
        let what = format!("a message of QP {:06X}h that was sent", qpn_of(self.from, self.n));
        fabric.expect(&what, true, false)
    }

    /// Checks that every signaled message has completed, in order, and on a sound link that each has arrived.
    fn check(&self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        let signaled = self.messages.iter().filter(|m| m.request.signaled);
        let expected: Vec<u64> = signaled.map(|m| m.request.wr_id).collect();
        let completed: Vec<u64> = self.completed.iter().copied().collect();
        fabric.expect("completions of the send queue", expected, completed)?;
        if !self.sound {
            return Ok(());
        }
        for message in &self.messages {
            match message.request.operation {
                SendOperation::Write { va, .. } => {
                    let mut seen = vec![0; message.bytes.len()];
                    fabric.station(self.from.other()).read_memory(va, &mut seen);
                    fabric.expect("the data of a Write", true, seen == message.bytes)?;
                }
                _ => fabric.expect("a message has arrived", true, message.arrived)?,
            }
        }
        Ok(())
    }
}
