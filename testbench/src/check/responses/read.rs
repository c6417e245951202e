//! Responses of Reads (`protocol/responder.md` section 8).
use super::super::finding::Rule;
use super::super::found::Findings;
use super::super::observed::Observed;
use super::super::requests::Requests;
use super::reading::Reading;
use super::Responses;
use hca_golden::psn;
use hca_golden::wire::opcode::{Opcode, Position};

impl Responses {
    pub(super) fn read_response(
        &mut self,
        requests: &mut Requests,
        packet: &Observed,
        opcode: &Opcode,
        findings: &mut Findings<'_>,
    ) {
        let psn = packet.psn;
        let length = u64::from(packet.body.bytes);
        if requests.pmtu.is_none() && matches!(opcode.position, Position::First | Position::Middle) {
            requests.learn_pmtu(length as u32);
        }
        if opcode.ends() {
            requests.read_ends(psn);
        }
        let Some(sent) = requests.history.of(psn).filter(|sent| sent.is_read()) else {
            return findings.add(Rule::ReadResponse, format!("PSN {psn} is of no Read"));
        };
        let pmtu = u64::from(requests.pmtu.unwrap_or(sent.read_bytes().max(1)));
        let within = Reading {
            next: psn,
            last: sent.last_psn(),
            left: u64::from(sent.read_bytes())
                .saturating_sub(pmtu * psn::difference(psn, sent.psn).max(0) as u64),
        };
        // Soft-RoCE begins the answer to the rest of a Read with a middle packet (`requester.md` section 5).
        let was_asked_again = sent.is_asked_again;
        let (first, last) = (sent.psn, sent.last_psn());
        let begun = match self.reading.filter(|reading| reading.next == psn) {
            Some(reading) if !opcode.begins() => reading,
            // The answer to a repeated Read begins within the Read, or the first answer continues. The begin of the
            // first judged answer may not have been captured.
            _ if opcode.begins() || self.highest.is_none() => within,
            reading => {
                let next = self
                    .reading
                    .filter(|reading| reading.last == last)
                    .map(|r| r.next);
                let expected = reading.map(|r| r.next.to_string()).unwrap_or("a first".into());
                let expected = next.map_or(expected, |next| next.to_string());
                let detail = format!("{} with PSN {psn}, expected {expected}", opcode.name);
                let expected = next.unwrap_or(first);
                let is_behind = psn::difference(psn, expected) <= 0;
                if is_behind && self.owed.iter().any(|owed| owed.psn == psn) {
                    // The next responses have overtaken it before the capture.
                    return self.settle(|owed| owed.psn == psn, findings);
                }
                if !(is_behind && was_asked_again) {
                    findings.add(Rule::ReadResponse, detail);
                }
                if is_behind && !was_asked_again {
                    return;
                }
                // The responses behind the missing one may be sound, even those of a Read that was requested again.
                if !is_behind {
                    self.owes(expected, Rule::ReadResponse, requests, findings);
                }
                within
            }
        };
        let ends = begun.left <= pmtu;
        if ends != opcode.ends() {
            let detail = format!("{} while {} bytes are left", opcode.name, begun.left);
            findings.add(Rule::ReadResponse, detail);
        }
        if length != begun.left.min(pmtu) {
            let detail = format!("{length} bytes where {} are due", begun.left.min(pmtu));
            findings.add(Rule::ReadLength, detail);
        }
        self.reading = (!opcode.ends()).then_some(Reading {
            next: psn::add(psn, 1),
            left: begun.left.saturating_sub(length),
            ..begun
        });
        if self
            .highest
            .is_none_or(|highest| psn::difference(psn, highest) > 0)
        {
            self.covers(requests, psn, findings);
        }
        if psn == last || opcode.begins() {
            self.count_read(requests, packet, last, findings);
        }
    }

    /// Checks the MSN of a read response: every one of them carries the MSN that counts the Read (CF136).
    fn count_read(
        &mut self,
        requests: &mut Requests,
        packet: &Observed,
        last: u32,
        findings: &mut Findings<'_>,
    ) {
        let highest = self.highest.replace(last);
        self.count(requests, packet, last, findings);
        self.highest = highest;
    }
}
