//! Rules of a responder (`protocol/responder.md` sections 7 to 9, `aeth.md`).
mod count;
mod read;
mod reading;

use super::finding::Rule;
use super::found::Findings;
use super::observed::{Observed, Own};
use super::requests::Requests;
use hca_golden::psn;
use hca_golden::wire::aeth::{NakCode, Syndrome};
use hca_golden::wire::opcode::{Opcode, Operation};
use reading::Reading;

/// Most missing answers that are remembered. A late answer withdraws the finding of a remembered one alone.
const OWED: usize = 64;

/// An answer of a Read or atomic that has not come.
#[derive(Clone, Copy, Debug)]
struct Owed {
    psn: u32,
    /// Packet that showed that the answer is missing.
    packet: u64,
    /// Rule that is broken.
    rule: Rule,
    /// Highest PSN that had been requested.
    requested: u32,
}

/// A sequence or RNR NAK.
#[derive(Clone, Copy, Debug)]
struct Nak {
    psn: u32,
    /// Number of times that the PSN came without a NAK of its own. Packets may queue between the capture and the
    /// responder.
    unanswered: u32,
}

/// The answers to one direction of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Responses {
    /// The highest answered PSN; of a Read, that of its last response.
    highest: Option<u32>,
    /// The highest answered PSN before that one.
    below: Option<u32>,
    reading: Option<Reading>,
    /// The latest sequence or RNR NAK.
    nak: Option<Nak>,
    /// The MSN of the latest answer, and the number of messages that it counted.
    msn: Option<(u32, u32)>,
    /// The MSN before the first message, by the latest answer whose MSN did not fit the count.
    doubted: Option<u32>,
    /// Answers that are missing.
    owed: Vec<Owed>,
    /// The life of the queue pair to which all this belongs.
    life: u32,
    /// Number of acks that come after newer ones and are right for their place.
    pub overtaken: u64,
}

impl Responses {
    /// Takes a request: with the PSN of a NAK it permits another NAK. If its answer is missing, that answer was lost
    /// before the capture.
    pub fn requested(&mut self, psn: u32, findings: &mut Findings<'_>) {
        self.settle(|owed| owed.psn == psn, findings);
        if let Some(nak) = self.nak.as_mut().filter(|nak| nak.psn == psn) {
            nak.unanswered += 1;
        }
    }

    /// Takes a NAK, whose PSN must have come since the latest one (CF061).
    fn repeats(&mut self, psn: u32, requests: &Requests, findings: &mut Findings<'_>) {
        match self.nak.as_mut().filter(|nak| nak.psn == psn) {
            Some(nak) if nak.unanswered > 0 => nak.unanswered -= 1,
            Some(_) => findings.add(Rule::RepeatedNak, format!("PSN {psn} has not come again")),
            None => {
                let came = requests.history.of(psn).map_or(1, |sent| sent.times);
                let unanswered = came.saturating_sub(1);
                self.nak = Some(Nak { psn, unanswered });
            }
        }
    }

    /// Withdraws the findings about these missing answers: they came, or were lost behind the point of capture.
    fn settle(&mut self, is_settled: impl Fn(&Owed) -> bool, findings: &mut Findings<'_>) {
        self.owed.retain(|owed| {
            let settled = is_settled(owed);
            if settled {
                findings.withdraw(owed.packet, owed.rule);
            }
            !settled
        });
    }

    /// Records that this answer is missing.
    fn owes(&mut self, psn: u32, rule: Rule, requests: &Requests, findings: &Findings<'_>) {
        if self.owed.len() == OWED {
            self.owed.remove(0);
        }
        self.owed.push(Owed {
            psn,
            packet: findings.packet,
            rule,
            requested: requests.history.last_psn().unwrap_or(psn),
        });
    }

    /// True if the latest answer had this MSN.
    pub fn is_current(&self, msn: u32) -> bool {
        self.msn.is_some_and(|(now, _)| now == msn)
    }

    /// Judges an answer to these requests.
    pub fn packet(
        &mut self,
        requests: &mut Requests,
        packet: &Observed,
        opcode: &Opcode,
        findings: &mut Findings<'_>,
    ) {
        if self.is_reborn(requests, packet) {
            requests.end_life();
        }
        if self.life != requests.epoch {
            if let Some((aeth, (before, _))) = packet.aeth.zip(self.msn) {
                requests.begins_with(aeth.msn, before, findings);
            }
            *self = Responses {
                life: requests.epoch,
                overtaken: self.overtaken,
                ..Responses::default()
            };
        }
        if !opcode.has_payload() && packet.body.bytes > 0 {
            let detail = format!("{} bytes in {}", packet.body.bytes, opcode.name);
            findings.add(Rule::NoPayload, detail);
        }
        requests.partition(packet, opcode, findings);
        if packet.asks || packet.solicits {
            findings.add(Rule::AckFields, format!("A or SE in {}", opcode.name));
        }
        if let Some(aeth) = packet.aeth.filter(|_| !packet.is_positive()) {
            if opcode.operation != Operation::Acknowledge {
                let rule = match aeth.meaning() {
                    Syndrome::Reserved(_) => rule_of(aeth.syndrome),
                    _ => Rule::RefusingResponse,
                };
                let detail = format!("syndrome {:02X}h in {}", aeth.syndrome, opcode.name);
                return findings.add(rule, detail);
            }
        }
        let psn = packet.psn;
        let (Some(first), Some(last)) = (requests.history.first_psn(), requests.history.last_psn()) else {
            return;
        };
        if psn::difference(psn, first) < 0 {
            // This answers a request from before the capture.
            return;
        }
        if psn::difference(psn, last) > 0 {
            let detail = format!("PSN {psn}, the highest request is {last}");
            requests.answered_early(psn, packet.is_positive(), findings);
            return findings.add(Rule::UnknownPsn, detail);
        }
        if let Some(fatal) = requests.fatal {
            if psn::difference(psn, fatal) >= 0 {
                let detail = format!("{} for PSN {psn} after the NAK for {fatal}", opcode.name);
                return findings.add(Rule::AfterFatalNak, detail);
            }
        }
        if packet.is_positive() && requests.is_lacking(psn, findings) {
            return self.covers(requests, psn, findings);
        }
        match opcode.operation {
            Operation::ReadResponse => self.read_response(requests, packet, opcode, findings),
            Operation::AtomicAcknowledge => {
                atomic(requests, packet, findings);
                self.positive(requests, packet, psn, findings);
            }
            _ => self.acknowledge(requests, packet, findings),
        }
    }

    /// Returns true if the queue pair was reset: everything is acknowledged, and when the first packet is sent again
    /// the MSN counts no message, or fewer than before.
    fn is_reborn(&self, requests: &Requests, packet: &Observed) -> bool {
        let Some((aeth, (before, _))) = packet.aeth.zip(self.msn) else {
            return false;
        };
        let fewer = psn::difference(aeth.msn, before) < 0;
        let none = aeth.msn == 0 && packet.is_positive();
        // The MSN counts only the messages since the requester went back.
        let counts_anew = requests
            .begins_at
            .zip(requests.history.of(packet.psn))
            .is_some_and(|(before, sent)| sent.messages.wrapping_sub(before) == aeth.msn);
        fewer && requests.is_idle() && (none || requests.starts_over || counts_anew)
    }

    fn acknowledge(&mut self, requests: &mut Requests, packet: &Observed, findings: &mut Findings<'_>) {
        let psn = packet.psn;
        let Some(aeth) = packet.aeth else { return };
        match aeth.meaning() {
            Syndrome::Ack { .. } => {
                let sent = requests.history.of(psn).filter(|sent| sent.is_known());
                let is_newest = self.highest == Some(psn);
                // An unsolicited ack repeats the latest PSN, even that of a Read or of an atomic (`responder.md`
                // section 8).
                if let Some(sent) = sent.filter(|s| !is_newest && (s.is_read() || s.is_atomic())) {
                    let detail = format!("an ack for PSN {psn}, which is of {}", sent.opcode.name);
                    findings.add(Rule::OwnResponse, detail);
                }
                self.positive(requests, packet, psn, findings);
            }
            Syndrome::RnrNak { timer } => {
                requests.must_wait(psn, timer, findings);
                let takes = requests
                    .history
                    .of(psn)
                    .is_none_or(|sent| sent.takes_receive_wqe());
                if !takes {
                    findings.add(Rule::RnrNak, format!("PSN {psn} takes no receive WQE"));
                }
                self.negative(requests, packet, findings);
            }
            Syndrome::Nak(NakCode::PsnSequence) => {
                requests.left_out_before(psn, findings);
                self.negative(requests, packet, findings);
                requests.is_named(psn);
                requests.nak = Some(psn);
            }
            Syndrome::Nak(NakCode::InvalidRdRequest) | Syndrome::Reserved(_) => {
                findings.add(rule_of(aeth.syndrome), format!("syndrome {:02X}h", aeth.syndrome));
            }
            Syndrome::Nak(_) => {
                self.covers(requests, psn::subtract(psn, 1), findings);
                requests.fatal = Some(psn);
            }
        }
    }

    /// Judges a sequence or RNR NAK: it has the PSN that the responder expects and acknowledges everything before.
    fn negative(&mut self, requests: &mut Requests, packet: &Observed, findings: &mut Findings<'_>) {
        let psn = packet.psn;
        let before = psn::subtract(psn, 1);
        let behind = self.highest.filter(|highest| psn::difference(psn, *highest) <= 0);
        let by_a_nak = |highest: u32| self.nak.is_some_and(|nak| nak.psn == psn::add(highest, 1));
        if behind.is_some_and(by_a_nak) && self.is_overtaken(requests, packet) {
            self.overtaken += 1;
            return;
        }
        self.repeats(psn, requests, findings);
        if let Some(highest) = behind {
            let detail = format!("NAK of PSN {psn} after {highest} was acknowledged");
            return findings.add(Rule::NakPsn, detail);
        }
        let known = packet.aeth.zip(self.msn).zip(requests.history.of(before));
        let known = known.filter(|(_, sent)| sent.whole && !requests.has_holes());
        if let Some(((aeth, (msn, messages)), sent)) = known {
            // No message from the NAK's PSN on is complete.
            let most = psn::difference(sent.messages & psn::MASK, messages & psn::MASK);
            let ended = psn::difference(aeth.msn, msn);
            if !(0..=most.max(0)).contains(&ended) {
                let most = most.max(0);
                let detail = format!("MSN {} after {msn}, {most} more are complete at most", aeth.msn);
                findings.add(Rule::NakMsn, detail);
            }
        }
        self.covers(requests, before, findings);
    }

    /// Takes an answer that acknowledges everything up to this PSN.
    fn positive(
        &mut self,
        requests: &mut Requests,
        packet: &Observed,
        psn: u32,
        findings: &mut Findings<'_>,
    ) {
        if let Some(highest) = self.highest.filter(|highest| psn::difference(psn, *highest) < 0) {
            let is_ack = packet
                .opcode()
                .is_some_and(|o| o.operation == Operation::Acknowledge);
            // A repeated packet is acknowledged again, with the present MSN (CF125); it may have been repeated behind
            // the capture.
            let is_current = packet
                .aeth
                .zip(self.msn)
                .is_some_and(|(aeth, (msn, _))| psn::difference(aeth.msn, msn) >= 0);
            let is_overtaken = is_ack && !is_current && self.is_overtaken(requests, packet);
            self.overtaken += u64::from(is_overtaken);
            if is_ack && !is_current && !is_overtaken {
                let detail = format!("PSN {psn} after {highest}");
                findings.add(Rule::ResponseOrder, detail);
            }
        }
        self.covers(requests, psn, findings);
        self.count(requests, packet, psn, findings);
    }

    /// Returns true if the ack is right for its place: it may have left in order and been overtaken before the capture.
    fn is_overtaken(&self, requests: &Requests, packet: &Observed) -> bool {
        let is_next = |below: u32| psn::difference(packet.psn, below) >= 0;
        if !self.below.is_none_or(is_next) {
            return false;
        }
        let Some((msn, messages)) = self.msn else {
            return true;
        };
        let known = packet.aeth.zip(requests.history.of(packet.psn));
        known.is_some_and(|(aeth, sent)| {
            let ended_since = psn::difference(messages & psn::MASK, sent.messages & psn::MASK);
            psn::difference(aeth.msn, msn) >= -ended_since
        })
    }

    /// Takes everything up to this PSN as acknowledged, and reports the Reads and atomics before it that lack their own
    /// answers.
    fn covers(&mut self, requests: &mut Requests, psn: u32, findings: &mut Findings<'_>) {
        // The first request of the capture gets its answers later.
        let first = requests.history.first_psn().map(|first| psn::subtract(first, 1));
        let from = self.highest.or(first).unwrap_or(psn);
        if psn::difference(psn, from) <= 0 && self.highest.is_some() {
            return;
        }
        if let Some(reading) = self.reading.filter(|r| psn::difference(psn, r.last) > 0) {
            let detail = format!("read response {} has not come", reading.next);
            findings.add(Rule::OwnResponse, detail);
            self.owes(reading.next, Rule::OwnResponse, requests, findings);
            self.reading = None;
        }
        for sent in requests.history.with_own_response(from, psn) {
            if psn::difference(sent.last_psn(), psn) < 0 {
                let detail = format!("{} of PSN {} has no response", sent.opcode.name, sent.psn);
                findings.add(Rule::OwnResponse, detail);
                self.owes(sent.psn, Rule::OwnResponse, requests, findings);
            }
        }
        self.below = self.highest.replace(psn);
        // A requester that misses an answer asks again before anything else, so the answer came and only the capture
        // lacks it.
        self.settle(|owed| psn::difference(psn, owed.requested) > 0, findings);
        requests.acknowledged(psn, findings);
    }
}

/// Returns the rule that this reserved syndrome breaks.
fn rule_of(syndrome: u8) -> Rule {
    match syndrome & 0x80 {
        0 => Rule::ReservedSyndrome,
        _ => Rule::ReservedBit,
    }
}

/// Checks that an atomic ack answers an atomic, and repeats its first answer if it comes again.
fn atomic(requests: &mut Requests, packet: &Observed, findings: &mut Findings<'_>) {
    let psn = packet.psn;
    let sent = requests.history.at(psn).filter(|sent| sent.is_atomic());
    let (Some(sent), Own::Original(answer)) = (sent, packet.own) else {
        return findings.add(Rule::AtomicResponse, format!("PSN {psn} is of no atomic"));
    };
    let Own::Atomic { va, original } = &mut sent.request.own else {
        return;
    };
    if *va % 8 != 0 {
        findings.add(Rule::AtomicAddress, format!("VA {va:016X}h was not refused"));
    }
    let original = *original.get_or_insert(answer);
    if original != answer {
        let detail = format!("PSN {psn} gave {original:016X}h, now {answer:016X}h");
        findings.add(Rule::AtomicReplay, detail);
    }
}
