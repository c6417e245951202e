//! Acks, NAKs, read responses and atomic acks that a responder owes or may send, in order (`responder.md` section 8).
use super::response::{Body, Data, Response, Saved};
use super::violation::Rule;
use crate::psn;
use crate::wire::lrh::Lrh;
use std::collections::VecDeque;

/// Scheduled responses, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct ResponseQueue {
    owed: VecDeque<Response>,
    /// No response may follow: the last one is the NAK of a Read that cannot continue, or an atomic has no answer.
    ended: bool,
}

impl ResponseQueue {
    /// Schedules a response. An ack for requests before a Read or atomic whose responses are still owed is placed
    /// before those.
    pub fn push(&mut self, response: Response) {
        if self.ended {
            return;
        }
        let before = |r: &&Response| {
            !matches!(r.body, Body::Acknowledge { .. }) && psn::difference(response.psn, r.psn) < 0
        };
        let place = self.owed.iter().position(|r| before(&r));
        match (&response.body, place) {
            (Body::Acknowledge { .. }, Some(at)) if !response.is_nak() => self.owed.insert(at, response),
            _ => self.owed.push_back(response),
        }
    }

    /// Schedules an ack behind all others, if there are responses with data to wait for.
    pub fn push_last(&mut self, mut response: Response) {
        if !self.ended && self.owed.iter().any(|r| r.syndrome().is_none()) {
            response.spare = true;
            self.owed.push_back(response);
        }
    }

    /// Returns the possible routes of an ack with this PSN and syndrome, that of the latest request first. Repetitions
    /// of one ack may leave one by one, or joined into one (section 8: SL and LIDs are those of the request).
    pub fn addresses(&self, psn: u32, syndrome: u8) -> Vec<Lrh> {
        let mut addresses = Vec::new();
        for response in self.owed.iter().rev() {
            if response.is_ack_of(psn, syndrome) && !addresses.contains(&response.lrh) {
                addresses.push(response.lrh);
            }
        }
        addresses
    }

    /// Takes the ack or NAK with this PSN and syndrome, which leaves. It covers earlier acks (coalescing), and its
    /// repetitions need not follow.
    pub fn emit_ack(&mut self, psn: u32, syndrome: u8) -> Result<Response, Rule> {
        let is_it = |r: &Response| r.is_ack_of(psn, syndrome);
        let at = match self.owed.iter().position(is_it) {
            Some(at) => at,
            None if self.owed.iter().any(|r| r.psn == psn && r.syndrome().is_some()) => {
                return Err(Rule::Syndrome)
            }
            None => return Err(Rule::AckNotPermitted),
        };
        self.may_leave(at)?;
        let mut response = self.owed[at].clone();
        if let Some(newest) = self.owed.iter().rfind(|r| is_it(r)) {
            response.lrh = newest.lrh;
        }
        self.leave(at);
        self.owed
            .remove(self.owed.iter().position(is_it).unwrap_or_default());
        for repeat in self.owed.iter_mut().filter(|r| is_it(r)) {
            repeat.release();
        }
        Ok(response)
    }

    /// Notes that the read response with this PSN leaves; returns true if it was the last of its Read.
    pub fn emit_data(&mut self, psn: u32, syndrome: u8) -> Result<bool, Rule> {
        let at = self.data_at(psn, syndrome)?;
        let at = self.leave(at);
        let last = match &mut self.owed[at].body {
            Body::Data(data) => data.advance(),
            _ => true,
        };
        self.owed[at].psn = psn::add(psn, 1);
        if last {
            self.owed.remove(at);
        }
        Ok(last)
    }

    /// Takes the answer to the atomic with this PSN, which leaves.
    pub fn emit_original(&mut self, psn: u32, syndrome: u8) -> Result<Response, Rule> {
        let is_it = |r: &Response| r.psn == psn && matches!(r.body, Body::Original { .. });
        let at = self
            .owed
            .iter()
            .position(is_it)
            .ok_or(Rule::ResponseNotPermitted)?;
        self.may_leave(at)?;
        if !self.owed[at].may_say(syndrome) {
            return Err(Rule::Syndrome);
        }
        let at = self.leave(at);
        self.owed.remove(at).ok_or(Rule::ResponseNotPermitted)
    }

    /// Notes that an atomic was executed. The answers to duplicates whose saved value is lost to it may be dropped;
    /// `have_lost` says so by PSN.
    pub fn supersede(&mut self, have_lost: impl Fn(u32) -> bool) {
        for response in &mut self.owed {
            match &mut response.body {
                Body::Original { saved, .. } if *saved == Saved::Kept && have_lost(response.psn) => {
                    *saved = Saved::Superseded;
                }
                _ => {}
            }
        }
    }

    /// Drops the answer to the duplicate of the atomic with this PSN. Of several duplicates any may have been answered
    /// before: if one has lost its value, so have the others.
    pub fn drop_replay(&mut self, psn: u32) -> Result<(), Rule> {
        let is_it = |r: &Response| {
            let saved = Saved::Superseded;
            r.psn == psn && matches!(r.body, Body::Original { saved: s, .. } if s == saved)
        };
        let waiting: Vec<usize> = (0..self.owed.len()).filter(|&at| is_it(&self.owed[at])).collect();
        match waiting[..] {
            [] => return Err(Rule::ReplayDropped),
            [only] => drop(self.owed.remove(only)),
            _ => waiting.iter().for_each(|&at| self.owed[at].release()),
        }
        Ok(())
    }

    /// Returns the Read whose next response has this PSN and may leave now. Of several Reads it is one that may carry
    /// this syndrome, because another one may answer a repeated request under way.
    pub fn data(&self, psn: u32, syndrome: u8) -> Result<&Response, Rule> {
        Ok(&self.owed[self.data_at(psn, syndrome)?])
    }

    /// Returns the Read whose next response to be fetched has this PSN.
    pub fn unfetched(&mut self, psn: u32) -> Option<&mut Data> {
        self.owed.iter_mut().find_map(|r| match &mut r.body {
            Body::Data(data) if psn::add(r.psn, data.fetched.len() as u32) == psn && data.has_unfetched() => {
                Some(data)
            }
            _ => None,
        })
    }

    /// Returns the Read whose next response to be fetched has this PSN. All earlier responses must be fetched, because
    /// this one may be on its way.
    pub fn refusable(&self, psn: u32) -> Result<&Response, Rule> {
        Ok(&self.owed[self.unfetched_at(psn)?])
    }

    /// Cuts the Read whose next response to be fetched has this PSN and cannot be produced. No later response is owed.
    pub fn refuse(&mut self, psn: u32) {
        let Ok(at) = self.unfetched_at(psn) else {
            return;
        };
        self.owed.truncate(at + 1);
        if let Some(Body::Data(data)) = self.owed.back_mut().map(|r| &mut r.body) {
            data.cut = true;
            if data.fetched.is_empty() {
                self.owed.pop_back();
            }
        }
    }

    /// Ends the queue: only the scheduled responses are owed, whatever is decided later.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Returns true if responses that are decided on now do not leave.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the responses that may leave now.
    pub fn permitted(&self) -> impl Iterator<Item = &Response> {
        (0..self.owed.len())
            .filter(|&at| self.may_leave(at).is_ok())
            .map(|at| &self.owed[at])
    }

    /// Returns the number of scheduled responses. The packets of a Read count as one.
    pub fn waiting(&self) -> usize {
        self.owed.len()
    }

    /// Returns the positive answers, oldest first.
    pub fn positive(&self) -> impl Iterator<Item = &Response> {
        self.owed.iter().filter(|r| !r.is_nak())
    }

    /// Adds the code of the new credits to every positive answer.
    pub fn note(&mut self, code: u8) {
        self.owed.iter_mut().for_each(|r| r.codes.add(code));
    }

    /// Returns the responses that must leave, unless another one covers them.
    pub fn required(&self) -> impl Iterator<Item = &Response> {
        self.owed.iter().filter(|r| r.required())
    }

    /// Notes that the QP is in Error: all responses but NAKs may be lost.
    pub fn release(&mut self) {
        self.owed
            .iter_mut()
            .filter(|r| !r.is_nak())
            .for_each(Response::release);
    }

    /// Notes that software has moved the QP to Error: no response need leave (`qp_cq.md` section 1).
    pub fn release_all(&mut self) {
        self.owed.iter_mut().for_each(Response::release);
    }

    fn unfetched_at(&self, psn: u32) -> Result<usize, Rule> {
        let unfetched = |r: &Response| match &r.body {
            Body::Data(data) if data.has_unfetched() => Some(psn::add(r.psn, data.fetched.len() as u32)),
            _ => None,
        };
        let places = (0..self.owed.len()).filter(|&at| unfetched(&self.owed[at]) == Some(psn));
        let mut refused = Rule::ResponseNotPermitted;
        for at in places {
            let is_repeated = |n| {
                self.owed
                    .range(n + 1..=at)
                    .any(|later| later.repeats(&self.owed[n]))
            };
            let waits = |n: &usize| {
                let passed = &self.owed[*n];
                unfetched(passed).is_some() && passed.required() && !is_repeated(*n)
            };
            if self.owed.iter().take(at).any(Response::is_nak) {
                refused = Rule::NakSkipped;
            } else if (0..at).any(|n| waits(&n)) {
                refused = Rule::ResponsePassed;
            } else {
                return Ok(at);
            }
        }
        Err(refused)
    }

    fn data_at(&self, psn: u32, syndrome: u8) -> Result<usize, Rule> {
        let is_it = |r: &Response| r.psn == psn && matches!(r.body, Body::Data(_));
        let mut places = (0..self.owed.len())
            .filter(|&at| is_it(&self.owed[at]))
            .peekable();
        let first = *places.peek().ok_or(Rule::ResponseNotPermitted)?;
        let leaving: Vec<usize> = places.filter(|&at| self.may_leave(at).is_ok()).collect();
        let says = leaving.iter().find(|&&at| self.owed[at].may_say(syndrome));
        match says.or(leaving.first()) {
            Some(&at) => Ok(at),
            None => self.may_leave(first).map(|()| first),
        }
    }

    /// Returns `Err` if the response at this place would overtake one that it may not overtake.
    fn may_leave(&self, at: usize) -> Result<(), Rule> {
        for (n, passed) in self.owed.iter().take(at).enumerate() {
            if passed.is_nak() && !(self.owed[at].is_nak() && passed.asks_again()) {
                // No ack overtakes a NAK. A NAK replaces the RNR and sequence NAKs before it: like them it acknowledges
                // all PSNs before its own, and requests the rest again (section 7).
                return Err(Rule::NakSkipped);
            }
            let is_ack = matches!(passed.body, Body::Acknowledge { .. });
            let is_repeated = self.owed.range(n + 1..=at).any(|later| later.repeats(passed));
            if !is_ack && passed.required() && !is_repeated {
                return Err(Rule::ResponsePassed);
            }
        }
        Ok(())
    }

    /// Removes the responses that the one at this place replaces; returns its place afterwards.
    fn leave(&mut self, at: usize) -> usize {
        let psn = self.owed[at].psn;
        let mut kept = VecDeque::new();
        let mut place = 0;
        for (n, response) in std::mem::take(&mut self.owed).into_iter().enumerate() {
            if n == at {
                place = kept.len();
            }
            let ahead =
                !response.is_nak() && response.syndrome().is_some() && psn::difference(response.psn, psn) > 0;
            if n >= at || ahead {
                kept.push_back(response);
            }
        }
        self.owed = kept;
        place
    }
}

#[cfg(test)]
#[path = "response_queue_tests.rs"]
mod tests;
