//! How often a requester goes back to the same packet (`protocol/requester.md` section 7).
//!
//! The limits are known if the capture holds the REQ and REP of the connection. A packet that is sent again counts as a
//! retry if it comes no sooner than the agreed ack timeout; a copy by a mirror comes sooner.
use super::super::finding::Rule;
use super::super::found::Findings;
use super::Requests;
use hca_golden::psn;

/// Value of an unlimited RNR retry count (`requester.md` section 7). A retry count of 7 means seven retries, but some
/// peers take it as unlimited: more retries than that are no finding.
const ENDLESS: u8 = 7;
/// Codes of the ack timeout (`aeth.md` section 6).
const TIMEOUTS: std::ops::RangeInclusive<u8> = 1..=31;
const SHORTEST_TIMEOUT: u64 = 4096;
/// Number of retries without an answer from which on the summary counts the requester as one without answers.
const SILENCE: u32 = 3;

impl Requests {
    /// Takes a repeated packet with this PSN. It is a retry if the replay begins with it.
    pub(super) fn tries_again(&mut self, psn: u32, findings: &mut Findings<'_>) {
        if self.replay.is_some_and(|next| psn::difference(psn, next) >= 0) {
            return;
        }
        let sent = self.history.at(psn).map_or(findings.time, |sent| sent.time);
        let since = findings.time.saturating_sub(sent);
        let retries = self.retries.at(psn);
        let was_not_ready = std::mem::take(&mut retries.not_ready);
        let Some(limits) = self.limits else {
            retries.times += u32::from(!was_not_ready);
            return;
        };
        let (rule, times, most) = if was_not_ready {
            // The responder answers: its NAK came through.
            retries.times = 0;
            retries.rnr_times += 1;
            (Rule::RnrRetries, retries.rnr_times, limits.rnr_retries)
        } else {
            let timeout = TIMEOUTS
                .contains(&limits.timeout)
                .then(|| SHORTEST_TIMEOUT << limits.timeout);
            retries.times += u32::from(timeout.is_some_and(|timeout| since >= timeout));
            (Rule::Retries, retries.times, limits.retries)
        };
        if most != ENDLESS && times == u32::from(most) + 1 {
            let detail = format!("PSN {psn} comes again, {times} times by now; {most} were agreed on");
            findings.add(rule, detail);
        }
    }

    /// Returns true if the requester went back again and again and got no answer.
    pub fn is_unanswered(&self) -> bool {
        self.retries.times >= SILENCE
    }
}
