//! Requests that are missing, and what shows later that only the capture lacks them.
//!
//! A responder only acknowledges what it has received. A packet that it acknowledges without a NAK was therefore sent,
//! whatever the capture holds (`responder.md` section 8). A hole is withdrawn once its packets are acknowledged, unless
//! a NAK names one of them while it is sent again: then the responder has not received it either.
use super::super::finding::Rule;
use super::super::found::Findings;
use super::super::history::psns;
use super::hole::{Early, Hole};
use super::Requests;
use hca_golden::psn;

/// Largest number of holes that are remembered. A later ack withdraws only the findings of remembered holes.
const HOLES: usize = 64;
/// Most answers without their requests that are remembered.
const REMEMBERED: usize = 64;

impl Requests {
    /// Records that these PSNs are missing, as this packet shows.
    pub(super) fn hole(&mut self, first: u32, last: u32, rule: Rule, findings: &Findings<'_>) {
        if self.holes.len() == HOLES {
            self.holes.remove(0);
        }
        self.holes.push(Hole {
            first,
            last,
            packet: findings.packet,
            rule,
            proven: false,
        });
    }

    /// Records that these PSNs are missing but were answered: only the capture lacks them.
    pub(super) fn proven_hole(&mut self, first: u32, last: u32, findings: &Findings<'_>) {
        self.recount = true;
        self.supposed += self.history.missing(first, last);
        self.hole(first, last, Rule::RequestPsn, findings);
        if let Some(hole) = self.holes.last_mut() {
            hole.proven = true;
        }
    }

    /// Returns true if the capture lacks the request of this PSN. An answer that acknowledges it is not judged, and
    /// shows that it was sent.
    pub fn is_lacking(&mut self, psn: u32, findings: &mut Findings<'_>) -> bool {
        if self.history.of(psn).is_some() {
            return false;
        }
        match self
            .holes
            .iter()
            .find(|hole| hole.holds(psn))
            .map(|hole| hole.last)
        {
            Some(last) => self.holes_are_taken(last, findings),
            // The PSN was taken for the end of a Read while the PMTU was unknown.
            None => self.recount = true,
        }
        true
    }

    /// Withdraws the holes up to this PSN, because it is acknowledged: only the capture lacks those requests, or they
    /// came late.
    pub(super) fn holes_are_taken(&mut self, psn: u32, findings: &mut Findings<'_>) {
        if self.holes.is_empty() {
            return;
        }
        let Requests {
            holes,
            history,
            supposed,
            recount,
            ..
        } = self;
        for hole in holes.iter_mut().filter(|hole| !hole.proven) {
            if psn::difference(psn, hole.last) >= 0 {
                findings.withdraw(hole.packet, hole.rule);
                *supposed += match hole.rule {
                    // These are packets that had to be sent again.
                    Rule::GoneBack => psns(hole.first, hole.last),
                    _ => history.missing(hole.first, hole.last),
                };
                *recount = true;
                hole.proven = true;
            }
        }
    }

    /// Lets the finding stand that this PSN was left out of a replay, because a sequence NAK names it.
    pub fn is_named(&mut self, psn: u32) {
        self.holes
            .retain(|hole| hole.proven || hole.rule != Rule::GoneBack || !hole.holds(psn));
    }

    /// Counts this PSN as lacking no longer, because its request comes after all.
    pub(super) fn is_late(&mut self, psn: u32) {
        let was_counted = |hole: &Hole| hole.proven && hole.rule != Rule::GoneBack && hole.holds(psn);
        if !self.holes.iter().any(was_counted) || self.history.of(psn).is_some() {
            return;
        }
        match self.supposed {
            0 => self.lacks = self.lacks.saturating_sub(1),
            _ => self.supposed -= 1,
        }
    }

    /// Number of PSNs whose requests the capture lacks.
    pub fn lacking(&self) -> u64 {
        self.lacks + self.supposed
    }

    /// Decides about the PSNs that were assumed to be lacking: the capture lacks them if the MSN went on; otherwise
    /// they were never sent.
    pub fn capture_lacked(&mut self, went_on: bool) {
        let supposed = std::mem::take(&mut self.supposed);
        self.lacks += if went_on { supposed } else { 0 };
    }

    /// True if the capture may lack more than it shows, so that the MSN proves nothing.
    pub fn has_holes(&self) -> bool {
        self.recount || self.holes.iter().any(|hole| !hole.proven)
    }

    /// Records an answer to a PSN above all that were seen. Its finding stands until a request with that PSN or a later
    /// one comes.
    pub fn answered_early(&mut self, psn: u32, taken: bool, findings: &Findings<'_>) {
        if self.early.len() == REMEMBERED {
            self.early.remove(0);
        }
        self.early.push(Early {
            psn,
            packet: findings.packet,
            taken,
        });
    }

    /// True if an early answer acknowledged everything up to this PSN.
    pub(super) fn was_answered(&self, psn: u32) -> bool {
        let covers = |early: &Early| early.taken && psn::difference(early.psn, psn) >= 0;
        self.early.iter().any(covers)
    }

    /// Withdraws the findings of early answers up to this PSN, because the requests were sent.
    pub(super) fn comes_late(&mut self, psn: u32, findings: &mut Findings<'_>) {
        let Requests { early, recount, .. } = self;
        early.retain(|answer| {
            let late = psn::difference(psn, answer.psn) >= 0;
            if late {
                findings.withdraw_answer(answer.packet);
                *recount = true;
            }
            !late
        });
    }

    /// Takes a packet that is sent again: it follows the one before it, or a new replay begins.
    pub(super) fn replays(&mut self, psn: u32, findings: &mut Findings<'_>) {
        let last = self.history.of(psn).map_or(psn, |sent| sent.last_psn());
        let is_left_out = |hole: &Hole| hole.rule == Rule::GoneBack && !hole.proven && hole.holds(psn);
        if self.nak.is_none() && self.replay.is_some() && self.holes.iter().any(is_left_out) {
            // No NAK asks for the packet: those behind it in the replay have overtaken it before the capture.
            return;
        }
        if let Some(next) = self.replay.filter(|next| psn::difference(psn, *next) > 0) {
            self.left_out(next, psn, findings);
        }
        self.replay = Some(psn::add(last, 1));
    }

    /// Takes a new packet, before which the replay has to be complete.
    pub(super) fn ends_replay(&mut self, findings: &mut Findings<'_>) {
        if let (Some(replay), Some(next)) = (self.replay.take(), self.next) {
            self.left_out(replay, next, findings);
        }
    }

    /// Checks that the replay leaves out only packets that have their answers.
    fn left_out(&mut self, from: u32, to: u32, findings: &mut Findings<'_>) {
        let from = match self.answered {
            Some(answered) if psn::difference(answered, from) >= 0 => psn::add(answered, 1),
            _ => from,
        };
        let last = psn::subtract(to, 1);
        if psn::difference(last, from) < 0 {
            return;
        }
        let detail = match psns(from, last) {
            1 => format!("PSN {from} is not sent again, nor acknowledged"),
            _ => format!("PSNs {from} to {last} are not sent again, nor acknowledged"),
        };
        findings.add(Rule::GoneBack, detail);
        self.overtaken.leaves_out(from, findings.packet);
        self.hole(from, last, Rule::GoneBack, findings);
    }
}
