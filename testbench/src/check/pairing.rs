//! Which answers are for which requests: no packet names both queue pairs of a connection.
//!
//! Each flow of answers is held against each flow of requests the other way between the same ports: how many answers are
//! for what had been asked, of its kind, with an MSN that counts it, and how many are not. Queue pairs that fit best are a
//! connection. So a capture is read once for this, and once more to be judged.
use super::flow::{Address, Flow};
use super::message::{read_psns, REMEMBERED};
use hca_golden::psn;
use hca_golden::wire::aeth::{NakCode, Syndrome};
use hca_golden::wire::opcode::{Opcode, Operation, Position, Transport};
use hca_golden::wire::packet::Packet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An answer that does not fit outweighs so many that do, which may by chance.
const MISFIT: i64 = 4;
/// A flow of requests with as many that do not fit, and fewer that do, is looked at no more.
const HOPELESS: i64 = 64;
/// Answers that show that a flow has some, though none fits.
const ENOUGH: i64 = 3;

/// What an answer has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Atomic,
    Other,
}

impl Kind {
    fn of(opcode: &Opcode) -> Kind {
        match opcode.operation {
            Operation::Read | Operation::ReadResponse => Kind::Read,
            Operation::CompareSwap | Operation::FetchAdd | Operation::AtomicAcknowledge => Kind::Atomic,
            _ => Kind::Other,
        }
    }
}

/// PSNs of a request packet.
#[derive(Clone, Copy, Debug)]
struct Span {
    psn: u32,
    last: u32,
    kind: Kind,
    /// Messages that had ended with it.
    messages: u32,
}

/// Requests of one flow.
#[derive(Debug, Default)]
struct RunSpec {
    spans: VecDeque<Span>,
    next: Option<u32>,
    pmtu: Option<u32>,
    messages: u32,
}

impl RunSpec {
    fn packet(&mut self, packet: &Packet, opcode: &Opcode) {
        let sent = packet.bth.psn;
        if matches!(opcode.position, Position::First | Position::Middle) {
            self.pmtu = Some(packet.payload.len().max(1) as u32);
        }
        if let Some(ahead) = self.next.map(|next| psn::difference(sent, next)) {
            if ahead.unsigned_abs() as usize > REMEMBERED {
                self.spans.clear();
            } else if ahead < 0 {
                return;
            }
        }
        self.messages += u32::from(opcode.ends());
        // A Read may take as many as this; what comes next shows how many.
        let pmtu = self.pmtu.unwrap_or(256);
        let psns = match (Kind::of(opcode), packet.reth()) {
            (Kind::Read, Some(reth)) => read_psns(reth.dma_len, pmtu),
            _ => 1,
        };
        if self.spans.len() == REMEMBERED {
            self.spans.pop_front();
        }
        self.spans.push_back(Span {
            psn: sent,
            last: psn::add(sent, psns - 1),
            kind: Kind::of(opcode),
            messages: self.messages,
        });
        self.next = Some(psn::add(sent, if self.pmtu.is_some() { psns } else { 1 }));
    }

    fn of(&self, wanted: u32) -> Option<&Span> {
        let after = self
            .spans
            .partition_point(|span| psn::difference(span.psn, wanted) <= 0);
        let span = self.spans.get(after.checked_sub(1)?)?;
        (psn::difference(wanted, span.last) <= 0).then_some(span)
    }
}

/// How answers fit requests.
#[derive(Clone, Copy, Debug, Default)]
struct Fit {
    fits: i64,
    misfits: i64,
    /// MSN before the first message.
    base: Option<u32>,
}

impl Fit {
    fn score(&self) -> i64 {
        self.fits - MISFIT * self.misfits
    }

    fn is_hopeless(&self) -> bool {
        self.misfits >= HOPELESS && self.fits < self.misfits
    }

    fn answer(&mut self, asked: &RunSpec, packet: &Packet, opcode: &Opcode) {
        let answered = packet.bth.psn;
        if asked
            .spans
            .front()
            .is_none_or(|first| psn::difference(answered, first.psn) < 0)
        {
            // To what was sent before the capture.
            return;
        }
        let positive = packet
            .aeth()
            .is_none_or(|aeth| matches!(aeth.meaning(), Syndrome::Ack { .. }));
        let Some(span) = asked.of(answered) else {
            // A sequence NAK may be of what the capture missed.
            let missing = packet
                .aeth()
                .is_some_and(|aeth| aeth.meaning() == Syndrome::Nak(NakCode::PsnSequence));
            self.misfits += i64::from(!missing);
            return;
        };
        if positive && span.kind != Kind::of(opcode) {
            self.misfits += 1;
            return;
        }
        self.fits += 1;
        if let Some(aeth) = packet.aeth().filter(|_| positive) {
            let base = psn::subtract(aeth.msn, span.messages);
            match self.base.map(|before| psn::difference(base, before)) {
                Some(behind) if behind < 0 => self.misfits += 1,
                Some(0) => self.fits += 1,
                _ => {}
            }
            // Messages may be complete behind the PSN: the least is the nearest.
            self.base = Some(match self.base {
                Some(before) if psn::difference(base, before) > 0 => before,
                _ => base,
            });
        }
    }
}

/// Answers of one flow.
#[derive(Debug, Default)]
struct Answers {
    fits: BTreeMap<Flow, Fit>,
    count: i64,
}

/// The flow of requests that each flow of answers is for.
#[derive(Clone, Debug, Default)]
pub struct Pairs(pub(super) BTreeMap<Flow, Flow>);

/// Looks at the packets of a capture, in order.
#[derive(Debug, Default)]
pub struct Pairing {
    asked: BTreeMap<Flow, RunSpec>,
    answers: BTreeMap<Flow, Answers>,
}

/// A queue pair, with its port and the other's.
type End = (Address, Address, u32);

impl Pairing {
    /// The next packet.
    pub fn packet(&mut self, packet: &Packet) {
        let Some(opcode) = packet
            .opcode()
            .filter(|o| Transport::of(o.value) == Transport::Rc)
        else {
            return;
        };
        let flow = Flow::of(packet);
        if !opcode.is_response() {
            self.asked.entry(flow).or_default().packet(packet, opcode);
            return;
        }
        let answers = self.answers.entry(flow).or_default();
        answers.count += 1;
        let between = |dest_qp| Flow {
            from: flow.to,
            to: flow.from,
            dest_qp,
        };
        for (asked, requests) in self.asked.range(between(0)..=between(psn::MASK)) {
            let fit = answers.fits.entry(*asked).or_default();
            if !fit.is_hopeless() {
                fit.answer(requests, packet, opcode);
            }
        }
    }

    /// Which belong together, after the last packet.
    pub fn pairs(self) -> Pairs {
        let mut pairs = Pairs::default();
        let mut taken: BTreeSet<End> = BTreeSet::new();
        let mut connections: Vec<((End, End), i64)> = self.connections().into_iter().collect();
        connections.sort_by_key(|(ends, score)| (-score, *ends));
        for ((x, y), score) in connections {
            if score <= 0 || taken.contains(&x) || taken.contains(&y) {
                continue;
            }
            taken.extend([x, y]);
            for (asker, asked) in [(x, y), (y, x)] {
                let answers = flow_to(asker);
                if self.answers.contains_key(&answers) {
                    pairs.0.insert(answers, flow_to(asked));
                }
            }
        }
        self.pair_the_rest(&mut pairs);
        pairs
    }

    /// Scores of queue pairs that may be a connection, both directions together.
    fn connections(&self) -> BTreeMap<(End, End), i64> {
        let mut connections = BTreeMap::new();
        for (flow, answers) in &self.answers {
            let asker: End = (flow.to, flow.from, flow.dest_qp);
            for (requests, fit) in &answers.fits {
                let asked: End = (requests.to, requests.from, requests.dest_qp);
                let ends = (asker.min(asked), asker.max(asked));
                *connections.entry(ends).or_default() += fit.score();
            }
        }
        connections
    }

    /// Answers that fit nothing, where as many flows of requests have none: they are judged, and found wrong.
    fn pair_the_rest(&self, pairs: &mut Pairs) {
        let ports: BTreeSet<(Address, Address)> =
            self.answers.keys().map(|flow| (flow.from, flow.to)).collect();
        for (from, to) in ports {
            let left: Vec<Flow> = self
                .answers
                .iter()
                .filter(|(flow, _)| (flow.from, flow.to) == (from, to) && !pairs.0.contains_key(flow))
                .map(|(flow, _)| *flow)
                .collect();
            let asked: Vec<Flow> = self
                .asked
                .keys()
                .filter(|flow| {
                    (flow.to, flow.from) == (from, to) && !pairs.0.values().any(|pair| pair == *flow)
                })
                .copied()
                .collect();
            let sure = |flow: &Flow| {
                let answers = &self.answers[flow];
                answers.count >= ENOUGH && answers.fits.len() >= left.len()
            };
            if left.len() == asked.len() && (left.len() == 1 || left.iter().all(sure)) {
                pairs.0.extend(left.into_iter().zip(asked));
            }
        }
    }
}

/// Packets to this queue pair.
fn flow_to((port, other, dest_qp): End) -> Flow {
    Flow {
        from: other,
        to: port,
        dest_qp,
    }
}
