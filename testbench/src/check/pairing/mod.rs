//! Finds which answers belong to which requests, because no packet names both queue pairs of a connection.
//!
//! Each flow of answers is compared with each flow of requests in the other direction between the same ports: how many
//! answers match a request, with the right kind and an MSN that counts it, and how many do not. The queue pairs that
//! fit best form a connection. Packets are therefore examined before they are judged (`ahead.rs`). If there are many
//! flows, only those are examined that asked near the answer's PSN, so that the work grows with the packets and not
//! with the pairs of flows. Flows of requests that share their PSNs with too many others are not paired, and their
//! packets are not judged. Nothing more is remembered of flows that are paired.
mod asked;
mod fit;
mod matching;
mod settled;

use super::flow::{Address, Flow, Tenant};
use super::observed::Observed;
use asked::Asked;
use fit::Fit;
use hca_golden::psn;
use hca_golden::wire::opcode::Transport;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Most flows of requests that one flow of answers is compared with.
const CANDIDATES: usize = 32;
/// Most flows examined for one answer.
const LOOKED_AT: usize = 512;
/// Number of answers of a flow that are all looked up. Later only the 16th, 32nd, 64th and so on are.
const LOOKED_UP: i64 = 8;
/// While too many flows fit, every 16th answer is looked up.
const CROWDED: i64 = 16;
/// Number of answers that fit one flow only, after which the two flows are paired.
const CLAIMS: i64 = 3;
/// PSNs are near each other if they agree above these bits.
const NEAR_BITS: u32 = 12;

/// A score, or a number of answers, that is enough evidence to pair a flow.
const ENOUGH: i64 = 3;

/// Answers of one flow.
#[derive(Debug, Default)]
struct Answers {
    /// How well each flow of requests fits, by its number.
    fits: BTreeMap<usize, Fit>,
    /// More flows of requests fit than are compared.
    crowded: bool,
    count: i64,
    /// Number of flows of requests at the flow's last answer.
    asked: usize,
}

impl Answers {
    fn is_looked_up(&self) -> bool {
        self.count <= LOOKED_UP
            || self.count & (self.count - 1) == 0
            || self.crowded && self.count % CROWDED == 0
    }

    /// The only unpaired flow of requests that all answers fit, if there is exactly one.
    fn claims(&self, asked: &[Asked]) -> Option<usize> {
        if self.crowded || self.count != CLAIMS {
            return None;
        }
        let mut open = self.fits.iter().filter(|(number, _)| !asked[**number].claimed);
        let (number, fit) = open.next()?;
        (fit.is_perfect() && open.next().is_none()).then_some(*number)
    }

    /// Adds the flows that requested the PSN of the newest answer; `None` if there are too many.
    fn look_up(&mut self, candidates: Option<Vec<usize>>) {
        match candidates {
            Some(candidates) => {
                self.crowded = false;
                for asked in candidates {
                    self.fits.entry(asked).or_default();
                }
            }
            // A flow that all answers fit so far stays a candidate.
            None if self.fits.values().any(Fit::is_perfect) => {}
            None => {
                self.crowded = true;
                self.fits.clear();
            }
        }
    }
}

/// The flow of requests that each flow of answers is for.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    pub(super) answers: BTreeMap<Flow, Flow>,
    /// Flows of requests and of answers that fit too many others to be paired.
    pub(super) alike: BTreeSet<Flow>,
}

/// Flows that asked near a PSN.
#[derive(Debug, Default)]
struct Near {
    open: BTreeSet<usize>,
    /// Flows that are paired.
    claimed: BTreeSet<usize>,
}

impl Near {
    fn of(&mut self, claimed: bool) -> &mut BTreeSet<usize> {
        match claimed {
            true => &mut self.claimed,
            false => &mut self.open,
        }
    }
}

/// Examines the packets of a capture, in order.
#[derive(Debug, Default)]
pub struct Pairing {
    asked: Vec<Asked>,
    /// The number of each flow.
    numbers: HashMap<Flow, usize>,
    /// Flows by the ports and the PSNs of their latest requests.
    near: BTreeMap<(Ports, u32), Near>,
    /// Number of flows of requests between two ports.
    between: BTreeMap<Ports, usize>,
    /// Number of flows of answers between two ports.
    answered_between: BTreeMap<Ports, usize>,
    answers: HashMap<Flow, Answers>,
    /// Flows of answers and of requests that are paired for good.
    settled_answers: HashSet<Flow>,
    settled_requests: HashSet<Flow>,
}

/// Where packets come from and go to.
type Ports = (Tenant, Address, Address);

/// A queue pair, with its own port and that of its peer.
type End = (Tenant, Address, Address, u32);

impl Pairing {
    /// Takes the next packet.
    pub fn packet(&mut self, packet: &Observed) {
        let Some(opcode) = packet
            .opcode()
            .filter(|o| Transport::of(o.value) == Transport::Rc)
        else {
            return;
        };
        let flow = packet.flow;
        let psn = packet.psn;
        if !opcode.is_response() {
            if self.settled_requests.contains(&flow) {
                return;
            }
            let number = self.number(flow);
            self.asked[number].packet(packet, opcode);
            return self.stands(number, psn);
        }
        if self.settled_answers.contains(&flow) {
            return;
        }
        let ports = (flow.tenant, flow.to, flow.from);
        let answers = self.answers.entry(flow).or_insert_with(|| {
            let answered = (flow.tenant, flow.from, flow.to);
            *self.answered_between.entry(answered).or_default() += 1;
            Answers::default()
        });
        answers.count += 1;
        answers.asked = self.between.get(&ports).copied().unwrap_or(0);
        if answers.is_looked_up() {
            answers.fits.retain(|_, fit| !fit.is_hopeless());
            let wanted = Wanted {
                near: &self.near,
                asked: &self.asked,
                ports,
                psn,
            };
            let found = wanted.candidates(&answers.fits, true);
            let found = found.or_else(|| {
                answers.fits.retain(|number, _| !self.asked[*number].claimed);
                wanted.candidates(&answers.fits, false)
            });
            answers.look_up(found);
        }
        for (number, fit) in &mut answers.fits {
            if !fit.is_hopeless() {
                fit.answer(&self.asked[*number], packet, opcode);
            }
        }
        if let Some(number) = answers.claims(&self.asked) {
            self.claim(number);
        }
    }

    /// Marks the flow as paired: it is no longer examined for other answers.
    fn claim(&mut self, number: usize) {
        let requests = &mut self.asked[number];
        requests.claimed = true;
        let flow = requests.flow;
        for place in requests.near.into_iter().flatten() {
            if let Some(near) = self.near.get_mut(&((flow.tenant, flow.from, flow.to), place)) {
                near.open.remove(&number);
                near.claimed.insert(number);
            }
        }
    }

    fn number(&mut self, flow: Flow) -> usize {
        let Pairing {
            asked,
            numbers,
            between,
            ..
        } = self;
        *numbers.entry(flow).or_insert_with(|| {
            *between.entry((flow.tenant, flow.from, flow.to)).or_default() += 1;
            asked.push(Asked::new(flow));
            asked.len() - 1
        })
    }

    /// Records that the flow requested this PSN.
    fn stands(&mut self, number: usize, psn: u32) {
        let requests = &mut self.asked[number];
        let here = psn >> NEAR_BITS;
        if requests.near[0] == Some(here) {
            return;
        }
        let flow = requests.flow;
        let ports = (flow.tenant, flow.from, flow.to);
        let [latest, left] = requests.near;
        requests.near = [Some(here), latest];
        if let Some(left) = left.filter(|left| !requests.near.contains(&Some(*left))) {
            if let Some(flows) = self.near.get_mut(&(ports, left)) {
                flows.of(requests.claimed).remove(&number);
                if flows.open.is_empty() && flows.claimed.is_empty() {
                    self.near.remove(&(ports, left));
                }
            }
        }
        let near = self.near.entry((ports, here)).or_default();
        near.of(requests.claimed).insert(number);
    }

    /// Takes a request of an opcode that was added to RC later.
    pub fn newer(&mut self, packet: &Observed) {
        if self.settled_requests.contains(&packet.flow) {
            return;
        }
        let number = self.number(packet.flow);
        self.asked[number].newer(packet.psn);
        self.stands(number, packet.psn);
    }

    /// True while some flow of answers is unpaired.
    pub fn is_open(&self) -> bool {
        let is_settled = |flow: &Flow| self.settled_answers.contains(flow);
        !self.answers.keys().all(is_settled)
    }

    /// Pairs the two for good and forgets their details.
    pub(in crate::check) fn settle(&mut self, answers: Flow, asked: Flow) {
        self.settled_answers.insert(answers);
        if let Some(answers) = self.answers.get_mut(&answers) {
            answers.fits.clear();
        }
        if self.settled_requests.insert(asked) {
            if let Some(number) = self.numbers.get(&asked).copied() {
                self.leave(number);
            }
        }
    }

    /// Stops examining this flow.
    fn leave(&mut self, number: usize) {
        let requests = &mut self.asked[number];
        requests.forget();
        let flow = requests.flow;
        for place in std::mem::take(&mut requests.near).into_iter().flatten() {
            let key = ((flow.tenant, flow.from, flow.to), place);
            let Some(near) = self.near.get_mut(&key) else {
                continue;
            };
            near.open.remove(&number);
            near.claimed.remove(&number);
            if near.open.is_empty() && near.claimed.is_empty() {
                self.near.remove(&key);
            }
        }
    }
}

/// A PSN that is answered.
struct Wanted<'a> {
    near: &'a BTreeMap<(Ports, u32), Near>,
    asked: &'a [Asked],
    ports: Ports,
    psn: u32,
}

impl Wanted<'_> {
    /// The flows that requested this PSN and are not known yet, paired ones only if `claimed`; `None` if there are too
    /// many.
    fn candidates(&self, known: &BTreeMap<usize, Fit>, claimed: bool) -> Option<Vec<usize>> {
        let room = CANDIDATES - known.len();
        let here = self.psn >> NEAR_BITS;
        let before = psn::subtract(self.psn, 1 << NEAR_BITS) >> NEAR_BITS;
        let places = [here, before].map(|place| self.near.get(&(self.ports, place)));
        let flows = places.into_iter().flatten();
        let flows = flows.flat_map(|near| near.open.iter().chain(near.claimed.iter().filter(|_| claimed)));
        let mut found = Vec::new();
        for (looked_at, number) in flows.enumerate() {
            if looked_at == LOOKED_AT {
                return None;
            }
            let is_known = known.contains_key(number) || found.contains(number);
            if is_known || self.asked[*number].of(self.psn).is_none() {
                continue;
            }
            if found.len() == room {
                return None;
            }
            found.push(*number);
        }
        Some(found)
    }
}
