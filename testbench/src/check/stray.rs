//! Answers for which the requests of their queue pair do not wait: from a queue pair that was made anew, or stray ones.
use super::finding::{Finding, Rule};
use super::flow::Flow;
use super::judge::{Direction, Judge};
use super::observed::Observed;
use super::renewed::{Held, Shown, Waiting};

/// Number of answers of a flow, for which no request waits, that are compared with other connections. Later this
/// happens only each time that their number has doubled, because the search examines every connection between two
/// ports.
const STRAYS: u32 = 8;

impl Judge {
    /// Returns the flow of requests with which this answer is judged; `None` if it is not judged.
    pub(super) fn asked(&mut self, number: u64, time: u64, packet: &Observed) -> Option<Flow> {
        let flow = packet.flow;
        let partner = self.answers.get(&flow).copied();
        if let Some(asked) = partner.filter(|asked| self.expects(asked, packet.psn)) {
            for held in self.renewed.goes_on(&flow, &asked) {
                self.astray(held, asked);
            }
            return Some(asked);
        }
        if partner.is_some_and(|asked| self.is_given_again(&asked, packet)) {
            return partner;
        }
        let held = Held {
            number,
            time,
            answer: *packet,
            partner,
        };
        let waiting = self.waiting(&held);
        match self.renewed.strange(held, waiting) {
            Shown::Nothing => {}
            Shown::Held => {
                match partner {
                    Some(_) => self.counts.held += 1,
                    None => self.unasked(&flow),
                }
                return None;
            }
            Shown::Renewed(asked) => self.renew(flow, asked),
        }
        let asked = self.answers.get(&flow).copied();
        if asked.is_none() {
            self.unasked(&flow);
        }
        asked
    }

    fn expects(&self, asked: &Flow, psn: u32) -> bool {
        self.known(asked)
            .is_some_and(|direction| direction.requests.expects(psn))
    }

    /// Returns true if the answer may repeat an earlier one, because a duplicate request that the capture lacks is
    /// answered again, with the current MSN (CF125).
    fn is_given_again(&self, asked: &Flow, packet: &Observed) -> bool {
        self.known(asked).is_some_and(|direction| {
            let is_now = packet
                .aeth
                .is_none_or(|aeth| direction.responses.is_current(aeth.msn));
            is_now && direction.requests.history.of(packet.psn).is_some()
        })
    }

    fn known(&self, asked: &Flow) -> Option<&Direction> {
        self.numbers.get(asked).map(|number| &self.directions[*number])
    }

    /// Takes an answer that no captured request asked for.
    fn unasked(&mut self, flow: &Flow) {
        self.counts.unasked += 1;
        let networks = self.networks.get(&(flow.to, flow.from));
        self.counts.elsewhere += u64::from(networks.is_some_and(|known| !known.contains_key(&flow.tenant)));
    }

    /// Returns the requests of other connections between the same ports that wait for this answer.
    fn waiting(&mut self, held: &Held) -> Vec<Waiting> {
        let flow = held.answer.flow;
        let strays = self.strays.entry(flow).or_default();
        *strays = strays.saturating_add(1);
        if *strays > STRAYS && !strays.is_power_of_two() && !self.renewed.holds(&flow) {
            return Vec::new();
        }
        let networks = self.networks.get(&(flow.to, flow.from));
        let between = networks.and_then(|networks| networks.get(&flow.tenant));
        // Requests that wait for their own answers get a new partner only if no other answers to them are known.
        let is_over = held
            .partner
            .and_then(|asked| self.known(&asked))
            .is_none_or(|direction| direction.requests.is_idle());
        let others = between.into_iter().flatten().filter(|asked| {
            Some(**asked) != held.partner && (is_over || !self.answered_by.contains_key(*asked))
        });
        let waiting = others.filter_map(|asked| {
            let direction = &self.directions[*self.numbers.get(asked)?];
            let waits = direction.requests.waits_for(held.answer.psn);
            waits.then_some(Waiting {
                asked: *asked,
                answers: direction.answers,
            })
        });
        waiting.collect()
    }

    /// Assigns these answers to these requests from now on. Earlier requests of the flow stay without an answer.
    pub(super) fn renew(&mut self, answers: Flow, asked: Flow) {
        self.strays.remove(&answers);
        for flow in [&answers, &asked] {
            self.alike.remove(flow);
        }
        let left = self.answers.insert(answers, asked);
        if let Some(left) = left.filter(|left| self.answered_by.get(left) == Some(&answers)) {
            self.answered_by.remove(&left);
        }
        let left = self.answered_by.insert(asked, answers);
        if let Some(left) = left.filter(|left| self.answers.get(left) == Some(&asked)) {
            self.answers.remove(&left);
        }
        let Some(number) = self.numbers.get(&asked) else {
            return;
        };
        let direction = &mut self.directions[*number];
        direction.requests.lose_track();
        direction.requests.limits = self.limits.get(&asked).copied();
        // The requesting queue pair may also be another one since the last answer.
        let since = direction.latest_answer;
        self.found.withdraw_all(|finding| {
            finding.of == Some(asked) && finding.packet > since && finding.rule.is_of_one_life()
        });
    }

    /// Notes that the answer belonged to no requests: the requester got its answer from its own responder.
    fn astray(&mut self, held: Held, asked: Flow) {
        let Some(right) = self.answered_by.get(&asked) else {
            return;
        };
        self.found.add(Finding {
            packet: held.number,
            rule: Rule::AnswerQp,
            flow: held.answer.flow.to_string(),
            detail: format!(
                "PSN {} is of {asked}, whose answers go to QP {:06X}h",
                held.answer.psn, right.dest_qp
            ),
            ladder: Vec::new(),
            of: Some(asked),
            time: held.time,
        });
    }
}
