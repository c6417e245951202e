//! Which answers are for which requests: no packet names both queue pairs of a connection.
//!
//! Each flow of answers is held against each flow of requests the other way between the same ports: how many answers
//! are for what had been asked, of its kind, with an MSN that counts it, and how many are not. Queue pairs that fit
//! best are a connection. So packets are looked at ahead of their judgement (`ahead.rs`). Of many flows those are looked
//! at that asked near the answer's PSN, so that the work grows with the packets and not with pairs of flows. Flows of
//! requests that share their PSNs with too many others are not paired, and their packets are not judged. Of flows that
//! are paired nothing more is remembered.
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

/// Flows of requests that one flow of answers is held against.
const CANDIDATES: usize = 32;
/// As many flows that asked near a PSN are looked at for those that asked for it.
const LOOKED_AT: usize = 512;
/// The first so many answers of a flow are looked up, and then one when their number has doubled.
const LOOKED_UP: i64 = 8;
/// As long as too many flows fit, one in so many answers is looked up.
const CROWDED: i64 = 16;
/// After so many answers that fit one flow alone it is theirs.
const CLAIMS: i64 = 3;
/// PSNs that are near each other differ below these bits.
const NEAR_BITS: u32 = 12;

/// Answers that show that a flow has some, though none fits.
const ENOUGH: i64 = 3;

/// Answers of one flow.
#[derive(Debug, Default)]
struct Answers {
    /// By the number of the flow of requests.
    fits: BTreeMap<usize, Fit>,
    /// More than can be held against it fit.
    crowded: bool,
    count: i64,
    /// Flows of requests that there were when it answered.
    asked: usize,
}

impl Answers {
    fn is_looked_up(&self) -> bool {
        self.count <= LOOKED_UP
            || self.count & (self.count - 1) == 0
            || self.crowded && self.count % CROWDED == 0
    }

    /// The one flow of requests that all answers fit, if others have their answers.
    fn claims(&self, asked: &[Asked]) -> Option<usize> {
        if self.crowded || self.count != CLAIMS {
            return None;
        }
        let mut open = self.fits.iter().filter(|(number, _)| !asked[**number].claimed);
        let (number, fit) = open.next()?;
        (fit.is_perfect() && open.next().is_none()).then_some(*number)
    }

    /// These flows have asked for what it answers now; none: they are too many.
    fn look_up(&mut self, candidates: Option<Vec<usize>>) {
        match candidates {
            Some(candidates) => {
                self.crowded = false;
                for asked in candidates {
                    self.fits.entry(asked).or_default();
                }
            }
            // One that all answers fit so far is not one of the crowd.
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
    /// Those that have their answers.
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

/// Looks at the packets of a capture, in order.
#[derive(Debug, Default)]
pub struct Pairing {
    asked: Vec<Asked>,
    /// The number of each.
    numbers: HashMap<Flow, usize>,
    /// Flows by the ports and the PSNs of their latest requests.
    near: BTreeMap<(Ports, u32), Near>,
    /// How many flows of requests there are between two ports.
    between: BTreeMap<Ports, usize>,
    /// And how many flows of answers.
    answered_between: BTreeMap<Ports, usize>,
    answers: HashMap<Flow, Answers>,
    /// Flows of answers and of requests that are paired for good.
    settled_answers: HashSet<Flow>,
    settled_requests: HashSet<Flow>,
}

/// Where packets come from and go to.
type Ports = (Tenant, Address, Address);

/// A queue pair, with its port and the other's.
type End = (Tenant, Address, Address, u32);

impl Pairing {
    /// The next packet.
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

    /// This flow has its answers, and is looked at no more where others are.
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

    /// The flow asks about this PSN now.
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

    /// A request of an opcode that RC was given later.
    pub fn newer(&mut self, packet: &Observed) {
        if self.settled_requests.contains(&packet.flow) {
            return;
        }
        let number = self.number(packet.flow);
        self.asked[number].newer(packet.psn);
        self.stands(number, packet.psn);
    }

    /// Answers are looked at whose requests are not known.
    pub fn is_open(&self) -> bool {
        let is_settled = |flow: &Flow| self.settled_answers.contains(flow);
        !self.answers.keys().all(is_settled)
    }

    /// These belong together for good: nothing more has to be known of either.
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

    /// This flow of requests is looked at no more.
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
    /// Flows of requests that have asked for it and are not known, those that have their answers or not; none if there
    /// are more than there is room for.
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
