//! Queue pairs that are made anew with another partner.
//!
//! Another connection may use a QPN again. The answers of that queue pair then belong to another flow of requests. The
//! judge takes the new flow when three facts hold: the former flow waits for none of these answers, the new flow lies
//! between the same ports and waits for all of them, and no other queue pair answers the new flow. It keeps the answers
//! unjudged until `SHOW` of them have come.
use super::flow::Flow;
use super::observed::Observed;
use std::collections::HashMap;

/// Number of answers in a row that show to which flow of requests they belong.
const SHOW: usize = 3;
/// Number of answers held for several flows of requests that are too many to show anything.
const UNDECIDED: usize = 64;
/// Largest number of flows of answers that are held at once.
const HELD: usize = 256;

/// Requests that wait for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub asked: Flow,
    /// Number of answers that these requests had got.
    pub answers: u64,
}

/// An answer that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub number: u64,
    pub time: u64,
    pub answer: Observed,
    /// The requests to which it belonged, as far as was known before.
    pub partner: Option<Flow>,
}

/// Answers of one flow, and the requests that waited for all of them.
#[derive(Clone, Debug)]
struct Trial {
    first: Held,
    held: usize,
    waiting: Vec<Waiting>,
}

/// What an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Nothing: no other requests wait for it.
    Nothing,
    /// It may belong to other requests, and is held.
    Held,
    /// It belongs to these requests from now on.
    Renewed(Flow),
}

/// Flows of answers that may belong to other requests than before.
#[derive(Debug, Default)]
pub(super) struct Renewed {
    trials: HashMap<Flow, Trial>,
}

impl Renewed {
    /// Returns true if answers of this flow are held.
    pub fn holds(&self, answers: &Flow) -> bool {
        self.trials.contains_key(answers)
    }

    /// Takes an answer for which its own requests do not wait, and the requests that do.
    pub fn strange(&mut self, held: Held, waiting: Vec<Waiting>) -> Shown {
        let answers = held.answer.flow;
        let Some(trial) = self.trials.get_mut(&answers) else {
            if waiting.is_empty() || self.trials.len() == HELD {
                return Shown::Nothing;
            }
            let trial = Trial {
                first: held,
                held: 1,
                waiting,
            };
            self.trials.insert(answers, trial);
            return Shown::Held;
        };
        trial.waiting.retain(|before| waiting.contains(before));
        trial.held += 1;
        match trial.waiting[..] {
            [] => {
                self.trials.remove(&answers);
                Shown::Nothing
            }
            [only] if trial.held >= SHOW => {
                self.trials.remove(&answers);
                Shown::Renewed(only.asked)
            }
            _ if trial.held > UNDECIDED => {
                self.trials.remove(&answers);
                Shown::Nothing
            }
            _ => Shown::Held,
        }
    }

    /// Notes that a flow of answers continues with the answers for which its own requests wait. Returns the answers
    /// that were held for these requests and that belong to none: the first answer of each flow without requests of its
    /// own.
    pub fn goes_on(&mut self, answers: &Flow, asked: &Flow) -> Vec<Held> {
        if self.trials.is_empty() {
            return Vec::new();
        }
        self.trials.remove(answers);
        let mut astray = Vec::new();
        self.trials.retain(|_, trial| {
            let was_meant = trial.waiting.iter().any(|waiting| waiting.asked == *asked);
            trial.waiting.retain(|waiting| waiting.asked != *asked);
            let is_over = trial.waiting.is_empty();
            if is_over && was_meant && trial.first.partner.is_none() {
                astray.push(trial.first);
            }
            !is_over
        });
        astray.sort_by_key(|held| held.number);
        astray
    }
}
