//! The MSN of answers (`protocol/responder.md` section 7).
use super::super::finding::Rule;
use super::super::found::Findings;
use super::super::observed::Observed;
use super::super::requests::Requests;
use super::Responses;
use hca_golden::psn;
use hca_golden::wire::aeth::Syndrome;

impl Responses {
    /// Checks that the MSN grows by the messages that end between two answers (CF135 to CF137). A duplicate's MSN is
    /// the current one.
    pub(super) fn count(
        &mut self,
        requests: &mut Requests,
        packet: &Observed,
        psn: u32,
        findings: &mut Findings<'_>,
    ) {
        let (Some(aeth), Some(sent)) = (packet.aeth, requests.history.of(psn)) else {
            return;
        };
        if !sent.whole || self.highest != Some(psn) {
            return;
        }
        let messages_now = sent.messages;
        if std::mem::take(&mut requests.recount) {
            let before = self.msn.map_or(aeth.msn, |(before, _)| before);
            requests.capture_lacked(psn::difference(aeth.msn, before) >= 0);
            (self.msn, self.doubted) = (None, None);
        }
        if !self.counts(requests, aeth.msn, messages_now) {
            let base = psn::subtract(aeth.msn, messages_now);
            let (msn, messages) = self.msn.unwrap_or_default();
            let expected = psn::add(msn, messages_now.wrapping_sub(messages));
            let detail = format!("MSN {} at PSN {psn}, expected {expected}", aeth.msn);
            findings.add(Rule::Msn, detail);
            // A difference that appears twice becomes the new base.
            if self.doubted.replace(base) != Some(base) {
                return;
            }
            self.msn = Some((aeth.msn, messages_now));
        }
        self.doubted = None;
        if let Syndrome::Ack { credit } = aeth.meaning() {
            let Requests { history, credits, .. } = requests;
            credits.advertised(history, (aeth.msn, messages_now), credit, findings);
        }
    }

    /// Returns true if the MSN grows by the messages that have ended, `messages_now`. It may be ahead of the PSN,
    /// because a complete message needs no ack of its own.
    fn counts(&mut self, requests: &Requests, msn: u32, messages_now: u32) -> bool {
        let Some((before, messages)) = self.msn else {
            self.msn = Some((msn, messages_now));
            return true;
        };
        let counted = psn::difference(msn, before);
        let since = |count: u32| psn::difference(count & psn::MASK, messages & psn::MASK);
        let ended = since(messages_now);
        let most = requests
            .history
            .back()
            .map_or(ended, |newest| since(newest.messages).max(ended));
        if counted >= 0 && counted <= most {
            self.msn = Some((msn, messages.wrapping_add(counted as u32)));
        }
        (ended..=most).contains(&counted)
    }
}
