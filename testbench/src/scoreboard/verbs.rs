//! Verbs under way.
use crate::device::model::{command, number};
use crate::device::{Outcome, Refusal, Ticket, Verb};
use hca_golden::event::CommandVerb;
use hca_golden::refusal::VerbError;
use hca_golden::verbs::QpState;
use std::collections::{BTreeMap, VecDeque};

/// Verbs under way.
#[derive(Default)]
pub struct Verbs {
    pub(super) tickets: u64,
    /// Verbs that are not started, because software waits for the command before.
    pub(super) asked: VecDeque<Asked>,
    pub(super) started: VecDeque<Started>,
    /// States that software moved queue pairs to.
    pub(super) moved: BTreeMap<u32, QpState>,
    /// A refusal does not end the run.
    pub may_be_refused: bool,
    /// Results of verbs that may be refused, with their tickets.
    pub outcomes: VecDeque<(Ticket, Result<Outcome, Refusal>)>,
}

/// A verb that software has requested.
pub(super) struct Asked {
    pub(super) ticket: Ticket,
    pub(super) verb: Verb,
    /// A refusal does not end the run.
    pub(super) may_be_refused: bool,
}

pub(super) struct Started {
    pub(super) asked: Asked,
    /// Ticket of the device.
    pub(super) ticket: Ticket,
    /// Outcome of the model; `None` before the device has judged.
    pub(super) expected: Option<Result<Outcome, VerbError>>,
    /// Outcome of the device, if it was there at once.
    pub(super) outcome: Option<Result<Outcome, Refusal>>,
    /// The latest decision that placed data when the verb took effect.
    pub(super) placements: u64,
}

impl Verbs {
    /// Returns the number of verbs without an outcome.
    pub fn open(&self) -> usize {
        self.asked.len() + self.started.len()
    }

    /// Returns the names of the verbs without an outcome.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        let started = self.started.iter().map(|s| &s.asked);
        let asked = started.chain(&self.asked);
        asked.map(|a| format!("outcome of {}", a.verb))
    }

    /// Adds a verb behind the others.
    pub fn ask(&mut self, verb: Verb, may_be_refused: bool) -> Ticket {
        let ticket = Ticket(self.tickets);
        self.tickets += 1;
        self.asked.push_back(Asked {
            ticket,
            verb,
            may_be_refused,
        });
        ticket
    }

    /// Takes the next verb that software may start. A verb that holds others starts once it waits for nothing, another
    /// verb once no such verb is before it.
    pub(super) fn next(&mut self) -> Option<Asked> {
        let holds_others = self.asked.front()?.verb.holds_others();
        let waits = match holds_others {
            true => !self.started.is_empty(),
            false => self.started.iter().any(|s| s.asked.verb.holds_others()),
        };
        match waits {
            true => None,
            false => self.asked.pop_front(),
        }
    }

    /// Returns the command that the device reports on.
    pub(super) fn judged(&mut self, verb: CommandVerb, about: u32) -> Option<&mut Started> {
        let is_it = |s: &&mut Started| {
            let asked = &s.asked.verb;
            s.expected.is_none() && command(asked) == Some(verb) && number(asked) == about
        };
        self.started.iter_mut().find(is_it)
    }
}
