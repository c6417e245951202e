//! Which answers are for which requests: no packet names both queue pairs of a connection.
//!
//! Each flow of answers is held against each flow of requests the other way between the same ports: how many answers
//! are for what had been asked, of its kind, with an MSN that counts it, and how many are not. Queue pairs that fit
//! best are a connection. So a capture is read once for this, and once more to be judged. Of many flows those are
//! looked at that asked near the answer's PSN, the latest of them first, so that the work grows with the packets and
//! not with pairs of flows.
use super::flow::{Address, Flow, Tenant};
use super::message::read_psns;
use hca_golden::psn;
use hca_golden::wire::aeth::{NakCode, Syndrome};
use hca_golden::wire::opcode::{Opcode, Operation, Position, Transport};
use hca_golden::wire::packet::Packet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An answer that does not fit outweighs so many that do, which may by chance.
const MISFIT: i64 = 4;
/// A flow of requests with as many that do not fit, and fewer that do, is looked at no more.
const HOPELESS: i64 = 64;
/// Request packets of a flow that are remembered.
const REMEMBERED: usize = 1024;
/// Flows of requests that one flow of answers is held against.
const CANDIDATES: usize = 32;
/// The first so many answers of a flow are looked up, and then one when their number has doubled.
const LOOKED_UP: i64 = 8;
/// PSNs that are near each other differ below these bits.
const NEAR_BITS: u32 = 12;

/// Answers that show that a flow has some, though none fits.
const ENOUGH: i64 = 3;

/// What an answer has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Atomic,
    Other,
    /// Of an opcode that is not judged: any answer will do.
    Any,
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
    /// When it asked last, in packets.
    latest: u64,
    /// Where it stands in [`Pairing::near`], the latest two.
    near: [Option<u32>; 2],
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
        self.remember(Span {
            psn: sent,
            last: psn::add(sent, psns - 1),
            kind: Kind::of(opcode),
            messages: self.messages,
        });
        self.next = Some(psn::add(sent, if self.pmtu.is_some() { psns } else { 1 }));
    }

    fn remember(&mut self, span: Span) {
        if self.spans.len() == REMEMBERED {
            self.spans.pop_front();
        }
        self.spans.push_back(span);
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
        if positive && span.kind != Kind::Any && span.kind != Kind::of(opcode) {
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
    /// Flows of requests that there were when it answered.
    asked: usize,
}

/// The flow of requests that each flow of answers is for.
#[derive(Clone, Debug, Default)]
pub struct Pairs(pub(super) BTreeMap<Flow, Flow>);

/// Looks at the packets of a capture, in order.
#[derive(Debug, Default)]
pub struct Pairing {
    asked: BTreeMap<Flow, RunSpec>,
    /// Flows by the ports and the PSNs of their latest requests.
    near: BTreeMap<(Ports, u32), BTreeSet<Flow>>,
    /// How many flows of requests there are between two ports.
    between: BTreeMap<Ports, usize>,
    packets: u64,
    answers: BTreeMap<Flow, Answers>,
}

/// Where packets come from and go to.
type Ports = (Tenant, Address, Address);

/// A queue pair, with its port and the other's.
type End = (Tenant, Address, Address, u32);

impl Pairing {
    /// The next packet.
    pub fn packet(&mut self, tenant: Tenant, packet: &Packet) {
        let Some(opcode) = packet
            .opcode()
            .filter(|o| Transport::of(o.value) == Transport::Rc)
        else {
            return;
        };
        let flow = Flow::of(tenant, packet);
        self.packets += 1;
        if !opcode.is_response() {
            self.requests(flow).packet(packet, opcode);
            return self.stands(flow, packet.bth.psn);
        }
        let psn = packet.bth.psn;
        let answers = self.answers.entry(flow).or_default();
        answers.count += 1;
        let ports = (tenant, flow.to, flow.from);
        answers.asked = self.between.get(&ports).copied().unwrap_or(0);
        let is_looked_up = answers.count <= LOOKED_UP || answers.count & (answers.count - 1) == 0;
        if is_looked_up && answers.fits.len() < CANDIDATES {
            for asked in candidates(&self.near, &self.asked, ports, psn) {
                answers.fits.entry(asked).or_default();
            }
        }
        for (asked, fit) in &mut answers.fits {
            if let (false, Some(requests)) = (fit.is_hopeless(), self.asked.get(asked)) {
                fit.answer(requests, packet, opcode);
            }
        }
    }

    fn requests(&mut self, flow: Flow) -> &mut RunSpec {
        let between = &mut self.between;
        self.asked.entry(flow).or_insert_with(|| {
            *between.entry((flow.tenant, flow.from, flow.to)).or_default() += 1;
            RunSpec::default()
        })
    }

    /// The flow asks about this PSN now.
    fn stands(&mut self, flow: Flow, psn: u32) {
        let Some(requests) = self.asked.get_mut(&flow) else {
            return;
        };
        requests.latest = self.packets;
        let here = psn >> NEAR_BITS;
        if requests.near[0] == Some(here) {
            return;
        }
        let ports = (flow.tenant, flow.from, flow.to);
        let [latest, left] = requests.near;
        requests.near = [Some(here), latest];
        if let Some(left) = left.filter(|left| !requests.near.contains(&Some(*left))) {
            if let Some(flows) = self.near.get_mut(&(ports, left)) {
                flows.remove(&flow);
            }
        }
        self.near.entry((ports, here)).or_default().insert(flow);
    }

    /// A request of an opcode that RC was given later.
    pub fn newer(&mut self, tenant: Tenant, packet: &Packet) {
        let flow = Flow::of(tenant, packet);
        let requests = self.requests(flow);
        requests.messages += 1;
        requests.next = Some(psn::add(packet.bth.psn, 1));
        requests.remember(Span {
            psn: packet.bth.psn,
            last: packet.bth.psn,
            kind: Kind::Any,
            messages: requests.messages,
        });
        self.stands(flow, packet.bth.psn);
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
            let asker: End = (flow.tenant, flow.to, flow.from, flow.dest_qp);
            for (requests, fit) in &answers.fits {
                let asked: End = (requests.tenant, requests.to, requests.from, requests.dest_qp);
                let ends = (asker.min(asked), asker.max(asked));
                *connections.entry(ends).or_default() += fit.score();
            }
        }
        connections
    }

    /// Answers that fit nothing, where as many flows of requests have none: they are judged, and found wrong.
    fn pair_the_rest(&self, pairs: &mut Pairs) {
        let paired: BTreeSet<Flow> = pairs.0.values().copied().collect();
        let mut left: BTreeMap<Ports, Vec<Flow>> = BTreeMap::new();
        for flow in self.answers.keys().filter(|flow| !pairs.0.contains_key(flow)) {
            left.entry((flow.tenant, flow.to, flow.from))
                .or_default()
                .push(*flow);
        }
        let mut asked: BTreeMap<Ports, Vec<Flow>> = BTreeMap::new();
        for flow in self.asked.keys().filter(|flow| !paired.contains(flow)) {
            asked
                .entry((flow.tenant, flow.from, flow.to))
                .or_default()
                .push(*flow);
        }
        for (ports, left) in left {
            let asked = asked.remove(&ports).unwrap_or_default();
            let sure = |flow: &Flow| {
                let answers = &self.answers[flow];
                answers.count >= ENOUGH && answers.asked >= left.len()
            };
            if left.len() == asked.len() && (left.len() == 1 || left.iter().all(sure)) {
                pairs.0.extend(left.into_iter().zip(asked));
            }
        }
    }
}

/// Flows of requests that may have asked for this PSN, those that asked latest.
fn candidates(
    near: &BTreeMap<(Ports, u32), BTreeSet<Flow>>,
    asked: &BTreeMap<Flow, RunSpec>,
    ports: Ports,
    psn: u32,
) -> Vec<Flow> {
    let here = psn >> NEAR_BITS;
    let before = psn::subtract(psn, 1 << NEAR_BITS) >> NEAR_BITS;
    let flows = [here, before].map(|bucket| near.get(&(ports, bucket)));
    let mut found: Vec<(u64, Flow)> = flows
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|flow| Some((asked.get(flow)?, *flow)))
        .filter(|(requests, _)| requests.of(psn).is_some())
        .map(|(requests, flow)| (u64::MAX - requests.latest, flow))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(CANDIDATES);
    found.into_iter().map(|(_, flow)| flow).collect()
}

/// Packets to this queue pair.
fn flow_to((tenant, port, other, dest_qp): End) -> Flow {
    Flow {
        tenant,
        from: other,
        to: port,
        dest_qp,
    }
}
