//! Requests that come again (`protocol/requester.md` sections 5 and 6).
use super::super::finding::Rule;
use super::super::found::Findings;
use super::super::history::{Request, Sent};
use super::super::observed::Observed;
use super::Requests;
use hca_golden::decision::timer;
use hca_golden::psn;
use hca_golden::wire::opcode::{Opcode, Operation};
use std::time::Duration;

/// Shortest time, in nanoseconds, after which a requester may take an answer as missing (`aeth.md` section 6).
const SHORTEST_TIMEOUT: u64 = 8192;

impl Requests {
    /// Notes an RNR NAK: its PSN may come again once the delay is over.
    pub fn must_wait(&mut self, psn: u32, timer: u8, findings: &Findings<'_>) {
        self.retries.not_ready(psn);
        if !self.repeats {
            self.not_ready = Some(psn);
        }
        let delay = timer::rnr_delay(timer) / 1000;
        // A file may have no times, and packets that were sent again already may cross the NAK.
        if findings.time != 0 && !self.repeats {
            self.wait = Some((psn, findings.time + delay));
        }
    }

    /// Takes a packet whose PSN was seen before.
    pub(super) fn again(&mut self, request: &Request, opcode: &'static Opcode, findings: &mut Findings<'_>) {
        let psn = request.psn;
        if self.history.of(psn).is_none() {
            return;
        }
        self.may_be_overtaken(psn, findings);
        self.starts_over |= self.first == Some(psn) && self.is_idle();
        if self.is_idle() && !self.repeats {
            let ended = |sent: &Sent| sent.messages.wrapping_sub(u32::from(sent.opcode.ends()));
            self.begins_at = self.history.of(psn).map(ended);
        }
        self.gone_back(psn, findings);
        self.begins_again(psn, findings);
        self.tries_again(psn, findings);
        self.waited(psn, findings);
        self.replays(psn, findings);
        if let Some(sent) = self.history.at(psn) {
            sent.times += 1;
        }
        self.history.asks_again(psn);
        let Some(sent) = self.history.of(psn) else { return };
        if !is_same(request, opcode, sent, self.pmtu) {
            let detail = format!(
                "PSN {psn} was {}, now it is another {}",
                sent.opcode.name, opcode.name
            );
            findings.add(Rule::Resent, detail);
        }
    }

    /// True if a new life of the queue pair begins: everything is acknowledged, and another message begins at a known
    /// PSN or before all known ones.
    pub(super) fn is_reborn(&self, request: &Request, opcode: &Opcode) -> bool {
        let sent = self.history.of(request.psn);
        let is_other = |sent: &Sent| !is_same(request, opcode, sent, self.pmtu);
        opcode.begins() && self.is_idle() && sent.is_none_or(is_other)
    }

    /// Begins a new life: the queue pair was reset, or a packet was not sent again as it was.
    pub(super) fn reborn(&mut self, packet: &Observed, findings: &mut Findings<'_>) {
        let psn = packet.psn;
        let is_over = self.first == Some(psn) || self.fatal.is_some();
        let other = self.history.of(psn).is_some() && !is_over;
        self.end_life();
        if other {
            let detail = format!("PSN {psn} was another packet, unless the queue pair was reset");
            findings.add(Rule::Resent, detail);
            self.doubt = Some((findings.packet, Rule::Resent));
        }
    }

    /// Checks that the packet does not come again before the delay of its RNR NAK is over. A requester that has not had
    /// the NAK may go back because no answer came, but not as soon.
    fn waited(&mut self, psn: u32, findings: &mut Findings<'_>) {
        let wait = self.wait.take_if(|(waits, _)| *waits == psn);
        let Some(sent) = self.history.at(psn) else { return };
        let after = findings
            .time
            .saturating_sub(std::mem::replace(&mut sent.time, findings.time));
        let early = wait.and_then(|(_, until)| until.checked_sub(findings.time));
        if let Some(early) = early.filter(|early| *early > 0 && after < SHORTEST_TIMEOUT) {
            let early = Duration::from_nanos(early);
            let detail = format!("PSN {psn} comes again {early:?} before its time");
            findings.add(Rule::RnrWait, detail);
        }
    }

    /// Checks that the requester goes back to the PSN of a sequence NAK. Packets that were sent again already may
    /// continue.
    pub(super) fn gone_back(&mut self, psn: u32, findings: &mut Findings<'_>) {
        if self
            .wait
            .is_some_and(|(waits, _)| psn::difference(psn, waits) < 0)
        {
            // The packets before it have no answer yet.
            self.wait = None;
        }
        let Some(nak) = self.nak.take().or_else(|| self.not_ready.take()) else {
            return;
        };
        let beyond = psn::difference(psn, nak);
        if beyond > 0 && !self.repeats {
            findings.add(
                Rule::GoneBack,
                format!("went back to PSN {psn}, the NAK is for {nak}"),
            );
            self.hole(nak, psn::subtract(psn, 1), Rule::GoneBack, findings);
        }
        if beyond < 0 {
            self.nak = Some(nak);
        }
    }

    /// A replay begins with this PSN. All packets before it must have been answered, even if the capture lacks answers.
    pub(super) fn begins_again(&mut self, psn: u32, findings: &Findings<'_>) {
        if self.replay.is_none_or(|next| psn::difference(psn, next) < 0) {
            self.went_back = Some((psn, findings.packet));
        }
    }

    /// A sequence NAK names a packet without an answer. If the requester had left that packet out of an earlier replay,
    /// the packet had no answer at that time either.
    pub fn left_out_before(&mut self, nak: u32, findings: &mut Findings<'_>) {
        let Some((first, packet)) = self
            .went_back
            .filter(|(first, _)| psn::difference(*first, nak) > 0)
        else {
            return;
        };
        let was_sent = self
            .history
            .at(nak)
            .is_some_and(|sent| sent.is_known() && !sent.is_read());
        let is_open = self
            .answered
            .is_none_or(|answered| psn::difference(nak, answered) > 0);
        if was_sent && is_open && self.nak.is_none() {
            self.went_back = None;
            findings.add_to(
                packet,
                Rule::GoneBack,
                format!("went back to PSN {first}, and {nak} had no answer, as its NAK shows"),
            );
        }
    }
}

/// Returns true if the repeated packet is the same one, or the rest of the same Read.
fn is_same(request: &Request, opcode: &Opcode, sent: &Sent, pmtu: Option<u32>) -> bool {
    match sent.is_read() && opcode.operation == Operation::Read {
        true => is_rest(request, sent, pmtu),
        false => opcode.value == sent.opcode.value && request.body == sent.request.body,
    }
}

/// Returns true if the request is the rest of a Read, for the missing part of its responses (CF175).
fn is_rest(request: &Request, sent: &Sent, pmtu: Option<u32>) -> bool {
    let Some((again, first)) = request.reth().zip(sent.request.reth()) else {
        return false;
    };
    let skipped = again.va.wrapping_sub(first.va);
    let responses = psn::difference(request.psn, sent.psn) as u64;
    again.r_key == first.r_key
        && u64::from(again.dma_len).checked_add(skipped) == Some(u64::from(first.dma_len))
        && pmtu.is_none_or(|pmtu| skipped == u64::from(pmtu) * responses)
}
