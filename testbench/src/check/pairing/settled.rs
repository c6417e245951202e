//! Which flows belong together, by all that was seen of them.
use super::super::flow::Flow;
use super::{matching, End, Pairing, Pairs, Ports, ENOUGH};
use std::collections::{BTreeMap, BTreeSet};

impl Pairing {
    /// Returns the pairs that are not settled yet: all if `last`, because no packet follows, or else only those that
    /// fit well enough.
    pub fn pairs(&self, last: bool) -> Pairs {
        let mut pairs = Pairs::default();
        let mut scores = self.scores();
        if !last {
            scores.retain(|(x, y), score| *score >= ENOUGH || self.are_alone(x, y));
        }
        for (x, y) in matching::connections(scores) {
            for (asker, asked) in [(x, y), (y, x)] {
                let answers = flow_to(asker);
                if !self.settled_answers.contains(&answers) {
                    pairs.answers.insert(answers, flow_to(asked));
                }
            }
        }
        self.leave_the_alike(&mut pairs);
        if last {
            self.pair_the_rest(&mut pairs);
        }
        pairs
    }

    /// True if no other queue pairs of the same two ports are known.
    fn are_alone(&self, x: &End, y: &End) -> bool {
        let is_one = |counts: &BTreeMap<Ports, usize>, end: &End| {
            let (tenant, port, other, _) = *end;
            counts.get(&(tenant, port, other)).is_none_or(|count| *count <= 1)
        };
        [x, y]
            .into_iter()
            .all(|end| is_one(&self.between, end) && is_one(&self.answered_between, end))
    }

    /// For each possible connection, how well its queue pairs fit, both directions together.
    fn scores(&self) -> BTreeMap<(End, End), i64> {
        let mut scores = BTreeMap::new();
        for (flow, answers) in &self.answers {
            let asker: End = (flow.tenant, flow.to, flow.from, flow.dest_qp);
            for (number, fit) in &answers.fits {
                let requests = &self.asked[*number].flow;
                if self.settled_requests.contains(requests) {
                    continue;
                }
                let asked: End = (requests.tenant, requests.to, requests.from, requests.dest_qp);
                let ends = (asker.min(asked), asker.max(asked));
                *scores.entry(ends).or_default() += fit.score();
            }
        }
        scores
    }

    /// Flows of answers that fit too many flows of requests, and those flows of requests.
    fn leave_the_alike(&self, pairs: &mut Pairs) {
        let unpaired = self
            .answers
            .iter()
            .filter(|(flow, _)| !pairs.answers.contains_key(flow) && !self.settled_answers.contains(flow));
        let crowd: Vec<Flow> = unpaired
            .filter(|(_, answers)| answers.crowded)
            .map(|(flow, _)| *flow)
            .collect();
        let between: BTreeSet<Ports> = crowd
            .iter()
            .map(|flow| (flow.tenant, flow.to, flow.from))
            .collect();
        let paired: BTreeSet<Flow> = self.paired(pairs);
        let may_be_theirs =
            |flow: &Flow| !paired.contains(flow) && between.contains(&(flow.tenant, flow.from, flow.to));
        let asked = self
            .asked
            .iter()
            .map(|requests| requests.flow)
            .filter(may_be_theirs);
        pairs.alike = crowd.iter().copied().chain(asked).collect();
    }

    /// Flows of requests that are paired.
    fn paired(&self, pairs: &Pairs) -> BTreeSet<Flow> {
        let settled = self.settled_requests.iter();
        settled.chain(pairs.answers.values()).copied().collect()
    }

    /// Flows of answers that fit no requests, if as many flows of requests have no answers. They are paired, and the
    /// judge finds their faults.
    fn pair_the_rest(&self, pairs: &mut Pairs) {
        let paired = self.paired(pairs);
        let is_left = |flow: &&Flow| {
            let is_known = pairs.answers.contains_key(flow) || self.settled_answers.contains(flow);
            !is_known && !pairs.alike.contains(flow)
        };
        let mut left: BTreeMap<Ports, Vec<Flow>> = BTreeMap::new();
        let answers: BTreeSet<&Flow> = self.answers.keys().collect();
        for flow in answers.into_iter().filter(is_left) {
            left.entry((flow.tenant, flow.to, flow.from))
                .or_default()
                .push(*flow);
        }
        let mut asked: BTreeMap<Ports, Vec<Flow>> = BTreeMap::new();
        let flows: BTreeSet<Flow> = self.asked.iter().map(|requests| requests.flow).collect();
        for flow in flows
            .difference(&paired)
            .filter(|flow| !pairs.alike.contains(flow))
        {
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
                pairs.answers.extend(left.into_iter().zip(asked));
            }
        }
    }
}

/// Returns the flow of packets to this queue pair.
fn flow_to((tenant, port, other, dest_qp): End) -> Flow {
    Flow {
        tenant,
        from: other,
        to: port,
        dest_qp,
    }
}
