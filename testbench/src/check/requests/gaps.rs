//! Requests that are missing, and that come later.
use super::super::finding::Rule;
use super::super::found::Findings;
use super::super::found::Found;
use super::super::history::Request;
use super::gap::Gap;
use super::Requests;
use hca_golden::psn;
use hca_golden::wire::opcode::Opcode;

/// Most gaps that are remembered. A request that fills an older gap is judged as sent again.
const GAPS: usize = 64;

impl Requests {
    /// Records that PSNs are missing before this one.
    pub(super) fn gap(&mut self, psn: u32, findings: &mut Findings<'_>) {
        let expected = psn::add(self.next.unwrap_or(psn), self.slack);
        let missing = psn::difference(psn, expected);
        let detail = format!("expected PSN {expected}, found {psn}: {missing} are missing");
        let upto = psn::subtract(psn, 1);
        if self.was_answered(upto) {
            self.proven_hole(expected, upto, findings);
        } else if missing != 1 || self.spoiled != Some(expected) {
            findings.add(Rule::RequestPsn, detail);
            self.hole(expected, upto, Rule::RequestPsn, findings);
        }
        if let Some(answered) = self.answered {
            self.gaps
                .retain(|gap| psn::difference(gap.expected, answered) > 0);
        }
        self.open_gap(expected, psn, findings.packet);
    }

    /// Records that these PSNs are missing, up to the one of this packet.
    fn open_gap(&mut self, expected: u32, found: u32, packet: u64) {
        if self.gaps.len() == GAPS {
            self.gaps.remove(0);
        }
        self.gaps.push(Gap {
            expected,
            found,
            packet,
            messages: self.messages,
            taken: self.credits.taken,
            open: self.open,
        });
        self.open = None;
        self.unsure = true;
        self.credits.forget();
    }

    /// Takes a packet that was missing. If a NAK named it, it was lost before the point of capture, which is no fault
    /// of the requester.
    pub(super) fn fill(
        &mut self,
        at: usize,
        request: Request,
        opcode: &'static Opcode,
        findings: &mut Findings<'_>,
    ) {
        let gap = self.gaps[at];
        let psn = request.psn;
        let was_lost = self.nak == Some(psn);
        self.is_late(psn);
        for filled in self.gaps.drain(at..).filter(|_| was_lost) {
            findings.withdraw(filled.packet, Rule::RequestPsn);
            self.holes.retain(|hole| hole.packet != filled.packet);
        }
        let behind = self.history.split_off(psn);
        (self.messages, self.credits.taken, self.open) = (gap.messages, gap.taken, gap.open);
        if psn != gap.expected {
            let is_next = psn == psn::add(gap.expected, 1);
            self.open = self.open.filter(|_| is_next);
            if let Some(open) = &mut self.open {
                open.announced = None;
            }
            self.unsure = !is_next;
            if !was_lost {
                // The packets before it are still missing.
                self.gaps.push(Gap { found: psn, ..gap });
            }
        }
        self.credits.forget();
        (self.next, self.slack) = (Some(psn), 0);
        self.gone_back(psn, findings);
        self.fresh(request, opcode, findings);
        // A NAK asks for all packets that follow, too.
        let replay = self.next.filter(|_| was_lost);
        // The packets that follow are judged already.
        let mut found = Found::default();
        let mut judged = Findings {
            packet: findings.packet,
            time: findings.time,
            flow: findings.flow,
            of: findings.of,
            room: findings.room,
            found: &mut found,
        };
        for sent in behind {
            let next = psn::add(self.next.unwrap_or(sent.psn), self.slack);
            if psn::difference(sent.psn, next) > 0 {
                self.open_gap(next, sent.psn, gap.packet);
            } else if self.slack > 0 {
                self.history.end_read_before(sent.psn);
            }
            self.fresh(sent.request, sent.opcode, &mut judged);
            self.history.was_sent(sent.times, sent.time);
        }
        self.replay = replay;
        if was_lost {
            self.overtaken.fills(psn, findings.packet);
        }
    }
}
