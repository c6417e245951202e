//! Random messages of every operation, and their expected results.
use super::traffic::{Lengths, Size};
use crate::scenario::region::{l_key, r_key};
use crate::Side;
use hca_golden::verbs::{CompletedOperation, EndToEndCredits, Pmtu, SendOperation, SendRequest, Sge};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of protection domains, each with all memory as its region: entries 1 and up of the protection table.
pub const DOMAINS: u32 = 3;
/// Entries of the protection table that exist to be invalidated.
const INVALIDATED: std::ops::Range<u32> = 8..64;
/// Largest number of SGEs of a work request.
const MAX_SGES: u32 = 16;
/// Largest number of bytes of an inline message.
const MAX_INLINE: u32 = 256;
/// Number of bytes of memory for a message, and of room before it for any alignment.
const SLOT: u64 = 0x8000;
/// Areas for outgoing data, incoming data, and counters of atomics.
const SOURCES: u64 = 0x1000_0000;
const TARGETS: u64 = 0x5000_0000;
const COUNTERS: u64 = 0x9000_0000;
/// Addend of each FetchAdd.
pub const ADDED: u64 = 1 << 40;

/// The random draws of one run.
pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0.next_u32() % end
    }

    /// Returns true once in this many times, on average.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    fn bytes(&mut self, length: u32) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}

/// Parameters that two connected QPs share.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub n: u32,
    pub pmtu: Pmtu,
    /// Protection domain of both QPs. Its region has entry `pd` of the table.
    pub pd: u32,
    /// First PSNs of X and Y, near the end of the 24 bits.
    pub psns: [u32; 2],
    /// Its receive buffers are posted once all other connections have ended.
    pub stalled: bool,
    pub sl: u8,
    /// Largest number of Reads and atomics under way.
    pub depth: u8,
    /// Credits of X and Y. A side may expect credits that the other does not supply; code 31 then informs it.
    pub credits: [EndToEndCredits; 2],
}

/// Effect of a message on the peer's receive queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    pub operation: CompletedOperation,
    pub immediate: Option<[u8; 4]>,
    pub invalidated: Option<u32>,
    /// The posted buffer, as long as the message or longer.
    pub buffer: Vec<Sge>,
}

/// A message, and the places of its bytes before and after the transfer.
pub struct Message {
    /// The work request; its `wr_id` is the number of the message.
    pub request: SendRequest,
    pub length: u32,
    /// Bytes in memory at its source.
    pub bytes: Vec<u8>,
    /// The place from which it is read, at the sender or, for a Read, at the peer; and its destination, at the other
    /// side.
    pub source: Vec<Sge>,
    pub target: Vec<Sge>,
    pub received: Option<Received>,
}

impl Message {
    /// Returns the side from which its bytes are read, if side `from` posts it.
    pub fn source_side(&self, from: Side) -> Side {
        match self.request.operation {
            SendOperation::Read { .. } => from.other(),
            _ => from,
        }
    }
}

/// Messages that one side sends on one connection.
pub struct Flow {
    pub from: Side,
    pub shape: Shape,
    pub messages: Vec<Message>,
}

impl Flow {
    /// Returns the messages that take a receive buffer, in order.
    pub fn receiving(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|m| m.received.is_some())
    }
}

/// The connections and their traffic, and the entries of the peers' tables that the traffic invalidates, each with its
/// protection domain, by side of the peer.
pub struct Plan {
    pub shapes: Vec<Shape>,
    pub flows: [Vec<Flow>; 2],
    pub invalidated: [Vec<(u32, u32)>; 2],
}

impl Plan {
    pub fn random(random: &mut Random, size: Size) -> Plan {
        let shapes: Vec<Shape> = (0..size.connections).map(|n| shape(random, n, size)).collect();
        let mut free = [INVALIDATED, INVALIDATED];
        let mut invalidated: [Vec<(u32, u32)>; 2] = Default::default();
        let flows = Side::BOTH.map(|from| {
            let peer = from.other() as usize;
            let flow = |shape: &Shape| {
                let mut draft = Draft {
                    random,
                    from,
                    shape: *shape,
                    size,
                    swaps: 0,
                };
                let messages = (0..size.messages).map(|m| {
                    let entry = free[peer].start;
                    let message = draft.message(m, (!free[peer].is_empty()).then_some(entry));
                    if message.received.as_ref().is_some_and(|r| r.invalidated.is_some()) {
                        invalidated[peer].push((entry, shape.pd));
                        free[peer].start += 1;
                    }
                    message
                });
                Flow {
                    from,
                    shape: *shape,
                    messages: messages.collect(),
                }
            };
            shapes.iter().map(flow).collect::<Vec<Flow>>()
        });
        Plan {
            shapes,
            flows,
            invalidated,
        }
    }
}

fn shape(random: &mut Random, n: u32, size: Size) -> Shape {
    let pmtus = [Pmtu::B256, Pmtu::B512, Pmtu::B1024, Pmtu::B2048, Pmtu::B4096];
    let mut psn = || 0xFF_FFFF - random.below(64);
    Shape {
        n,
        psns: [psn(), psn()],
        stalled: size.stalled_every != 0 && n.is_multiple_of(size.stalled_every),
        pmtu: pmtus[n as usize % pmtus.len()],
        pd: 1 + n % DOMAINS,
        sl: random.below(16) as u8,
        depth: 1 + random.below(16) as u8,
        credits: Side::BOTH.map(|_| EndToEndCredits {
            supplied: !random.once_in(3),
            expected: !random.once_in(3),
        }),
    }
}

/// Returns the address of an 8-byte counter at the peer: 0 for FetchAdd, 1 for CompareSwap.
pub fn counter(from: Side, n: u32, which: u64) -> u64 {
    COUNTERS + (u64::from(n) * 2 + from as u64) * 64 + 8 * which
}

struct Draft<'a> {
    random: &'a mut Random,
    from: Side,
    shape: Shape,
    size: Size,
    /// Number of CompareSwaps so far. Each finds the value that the one before left.
    swaps: u64,
}

impl Draft<'_> {
    /// Draws message `m`. It may invalidate the entry at the peer, if there is one.
    fn message(&mut self, m: u32, entry: Option<u32>) -> Message {
        let n = self.shape.n;
        let slot = u64::from((self.from as u32 * self.size.connections + n) * self.size.messages + m) * SLOT;
        let source = SOURCES + slot + u64::from(self.random.below(64));
        let target = TARGETS + slot + u64::from(self.random.below(64));
        let key = r_key(self.shape.pd);
        let immediate = (0xD000_0000 | n << 8 | m).to_be_bytes();
        let swaps = self.swaps;
        let operation = match (self.random.below(8), entry) {
            (0, _) | (2, None) => SendOperation::Send,
            (1, _) => SendOperation::SendWithImmediate { immediate },
            (2, Some(entry)) => SendOperation::SendWithInvalidate { r_key: r_key(entry) },
            (3, _) => SendOperation::Write {
                va: target,
                r_key: key,
            },
            (4, _) => SendOperation::WriteWithImmediate {
                va: target,
                r_key: key,
                immediate,
            },
            (5, _) => SendOperation::Read {
                va: source,
                r_key: key,
            },
            (6, _) => SendOperation::FetchAdd {
                va: counter(self.from, n, 0),
                r_key: key,
                add: ADDED,
            },
            _ => {
                self.swaps += 1;
                SendOperation::CompareSwap {
                    va: counter(self.from, n, 1),
                    r_key: key,
                    compare: swaps,
                    swap: swaps + 1,
                }
            }
        };
        let length = if operation.is_atomic() { 8 } else { self.length() };
        let whole = |addr| vec![self.whole(addr, length)];
        let (from_list, to_list) = (whole(source), whole(target));
        let aligned = vec![self.whole(target & !7, 8)];
        let (sges, source, target) = match operation {
            _ if operation.is_atomic() => (aligned.clone(), Vec::new(), aligned),
            SendOperation::Read { .. } => {
                let local = self.cut(target, length);
                (local.clone(), from_list, local)
            }
            _ => {
                let local = self.cut(source, length);
                (local.clone(), local, to_list)
            }
        };
        let received = self.received(&operation, &target, length);
        let placed_by_key = matches!(
            operation,
            SendOperation::Write { .. } | SendOperation::WriteWithImmediate { .. }
        );
        let target = match &received {
            Some(received) if !placed_by_key => received.buffer.clone(),
            _ => target,
        };
        Message {
            bytes: self.random.bytes(if operation.is_atomic() { 0 } else { length }),
            request: SendRequest {
                wr_id: m.into(),
                operation,
                sges,
                signaled: m + 1 == self.size.messages || !self.random.once_in(3),
                solicited: self.random.once_in(4),
                fence: self.random.once_in(4),
                inline: operation.carries_data() && length <= MAX_INLINE && self.random.once_in(2),
                datagram: None,
            },
            length,
            source,
            target,
            received,
        }
    }

    fn length(&mut self) -> u32 {
        match self.size.lengths {
            Lengths::Any => self.any_length(),
            Lengths::Short => match self.random.below(32) {
                0 => 0,
                1 => self.random.below(2_000),
                _ => 1 + self.random.below(64),
            },
        }
    }

    /// Draws the length of a message in bytes: 0, few, whole packets, almost whole packets, any, many.
    fn any_length(&mut self) -> u32 {
        let packets = |random: &mut Random, pmtu: Pmtu| pmtu.bytes() as u32 * (1 + random.below(3));
        let pmtu = self.shape.pmtu;
        match self.random.below(16) {
            0 => 0,
            1..=3 => 1 + self.random.below(64),
            4..=5 => packets(self.random, pmtu),
            6 => packets(self.random, pmtu) + 1,
            7 => packets(self.random, pmtu) - 1,
            8 => self.random.below(20_000),
            _ => self.random.below(4_000),
        }
    }

    fn whole(&self, addr: u64, length: u32) -> Sge {
        let l_key = l_key(self.shape.pd);
        Sge { addr, length, l_key }
    }

    /// Returns a list of this many bytes, in memory from `base` on, with its last element first, so that no two
    /// neighbours are in order. Elements may be empty.
    fn cut(&mut self, base: u64, length: u32) -> Vec<Sge> {
        let count = match self.random.below(4) {
            0 | 1 => 1,
            2 => 2,
            _ => 1 + self.random.below(MAX_SGES),
        };
        let mut cuts: Vec<u32> = (1..count).map(|_| self.random.below(length + 1)).collect();
        cuts.extend([0, length]);
        cuts.sort_unstable();
        cuts.windows(2)
            .map(|cut| self.whole(base + u64::from(length - cut[1]), cut[1] - cut[0]))
            .collect()
    }

    /// Returns the message's receive completion, and the buffer to post. The buffer of a Write stays unchanged.
    fn received(&mut self, operation: &SendOperation, target: &[Sge], length: u32) -> Option<Received> {
        use CompletedOperation::{Receive, ReceiveWithImmediate};
        let (operation, immediate, invalidated) = match *operation {
            SendOperation::Send => (Receive, None, None),
            SendOperation::SendWithImmediate { immediate } => (Receive, Some(immediate), None),
            SendOperation::SendWithInvalidate { r_key } => (Receive, None, Some(r_key)),
            SendOperation::WriteWithImmediate { immediate, .. } => {
                (ReceiveWithImmediate, Some(immediate), None)
            }
            _ => return None,
        };
        let buffer = match operation {
            Receive => {
                let more = self.random.below(100);
                self.cut(target[0].addr, length + more)
            }
            _ => Vec::new(),
        };
        Some(Received {
            operation,
            immediate,
            invalidated,
            buffer,
        })
    }
}
