//! Queue pairs that are made anew with another partner.
//!
//! Another connection may use a QPN again. The answers of that queue pair then belong to another flow of requests. The
//! judge takes the new flow when three facts hold: the former flow waits for none of these answers, the new flow lies
//! between the same ports and waits for all of them, and no other queue pair answers the new flow. It keeps the answers
//! unjudged until `SHOW` of them have come.
use super::flow::Flow;
use super::observed::Observed;
use std::collections::HashMap;

/// Answers in a row that show to which flow of requests they belong.
const SHOW: usize = 3;
/// More answers than these, held for several flows of requests, show nothing.
const UNDECIDED: usize = 64;
/// Flows of answers that are held at once.
const HELD: usize = 256;

/// Requests that wait for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub asked: Flow,
    /// Answers that they had had.
    pub answers: u64,
}

/// An answer that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub number: u64,
    pub time: u64,
    pub answer: Observed,
    /// The requests that it belongs to, as far as was known before.
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
    /// Nothing: nobody else waits for it.
    Nothing,
    /// It may be for others: it is held.
    Held,
    /// It is for these requests from now on.
    Renewed(Flow),
}

/// Flows of answers that may be for other requests than before.
#[derive(Debug, Default)]
pub(super) struct Renewed {
    trials: HashMap<Flow, Trial>,
}

impl Renewed {
    /// Answers of this flow are held.
    pub fn holds(&self, answers: &Flow) -> bool {
        self.trials.contains_key(answers)
    }

    /// An answer that its own requests do not wait for, and the requests that do.
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

    /// A flow of answers goes on with what its own requests wait for, these. What was held for them belongs to nobody
    /// who would have it: the first answer of each flow that had no requests of its own.
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
