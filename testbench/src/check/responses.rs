//! Rules of a responder (`protocol/responder.md` sections 7 to 9, `aeth.md`).
use super::finding::{Findings, Rule};
use super::requests::Requests;
use hca_golden::psn;
use hca_golden::wire::aeth::{NakCode, Syndrome};
use hca_golden::wire::opcode::{Opcode, Operation, Position};
use hca_golden::wire::packet::Packet;

/// Read responses that are under way.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// PSN of the next one.
    next: u32,
    /// Last PSN of the Read.
    last: u32,
    /// Bytes that are left.
    left: u64,
}

/// The answers to one direction of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Responses {
    /// The highest PSN answered, Reads up to their last response.
    highest: Option<u32>,
    reading: Option<Reading>,
    /// A sequence or RNR NAK that no request has answered yet.
    nak: Option<u32>,
    /// MSN and the messages that it stood for, at the latest answer.
    msn: Option<(u32, u32)>,
    /// MSN before the first message, as an answer told that did not count well.
    doubted: Option<u32>,
    /// PSNs of Reads and atomics whose answers have not come, and the packets with which that was found.
    owed: Vec<(u32, u64)>,
    /// The life of the queue pair that all this is of.
    life: u32,
}

impl Responses {
    /// A request came: with the PSN of a NAK it takes the NAK's effect. If its answer had not come, it was lost on its way here.
    pub fn requested(&mut self, psn: u32, findings: &mut Findings<'_>) {
        self.owed.retain(|(owed, packet)| {
            let again = *owed == psn;
            if again {
                findings.withdraw(*packet, Rule::OwnResponse);
            }
            !again
        });
        if self.nak == Some(psn) {
            self.nak = None;
        }
    }

    /// Judges an answer to these requests.
    pub fn packet(
        &mut self,
        requests: &mut Requests,
        packet: &Packet,
        opcode: &Opcode,
        findings: &mut Findings<'_>,
    ) {
        if self.is_reborn(requests, packet) {
            requests.end_life();
        }
        if self.life != requests.lives {
            if let Some((aeth, (before, _))) = packet.aeth().zip(self.msn) {
                requests.begins_with(aeth.msn, before, findings);
            }
            *self = Responses {
                life: requests.lives,
                ..Responses::default()
            };
        }
        if !opcode.has_payload() && !packet.payload.is_empty() {
            let detail = format!("{} bytes in {}", packet.payload.len(), opcode.name);
            findings.add(Rule::NoPayload, detail);
        }
        requests.partition(packet, opcode, findings);
        if packet.bth.a || packet.bth.se {
            findings.add(Rule::AckFields, format!("A or SE in {}", opcode.name));
        }
        let psn = packet.bth.psn;
        let (Some(first), Some(last)) = (requests.history.first_psn(), requests.history.last_psn()) else {
            return;
        };
        if psn::difference(psn, first) < 0 {
            // To what was sent before the capture.
            return;
        }
        if psn::difference(psn, last) > 0 {
            let detail = format!("PSN {psn}, the highest request is {last}");
            return findings.add(Rule::UnknownPsn, detail);
        }
        if let Some(fatal) = requests.fatal {
            if psn::difference(psn, fatal) >= 0 {
                let detail = format!("{} for PSN {psn} after the NAK for {fatal}", opcode.name);
                return findings.add(Rule::AfterFatalNak, detail);
            }
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

    /// When all is over, no message is complete, or fewer are than were, with the first sent again: the queue pair was reset.
    fn is_reborn(&self, requests: &Requests, packet: &Packet) -> bool {
        let Some((aeth, (before, _))) = packet.aeth().zip(self.msn) else {
            return false;
        };
        let fewer = psn::difference(aeth.msn, before) < 0;
        let none = aeth.msn == 0 && matches!(aeth.meaning(), Syndrome::Ack { .. });
        fewer && requests.is_idle() && (none || requests.starts_over)
    }

    fn acknowledge(&mut self, requests: &mut Requests, packet: &Packet, findings: &mut Findings<'_>) {
        let psn = packet.bth.psn;
        let Some(aeth) = packet.aeth() else { return };
        match aeth.meaning() {
            Syndrome::Ack { .. } => {
                let sent = requests.history.of(psn);
                let is_newest = self.highest == Some(psn);
                // An unsolicited ack repeats the latest PSN, be it of a Read or of an atomic (`responder.md` section 8).
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
                self.negative(requests, packet, findings);
                requests.nak = Some(psn);
            }
            Syndrome::Nak(NakCode::InvalidRdRequest) | Syndrome::Reserved(_) => {
                findings.add(Rule::ReservedSyndrome, format!("syndrome {:02X}h", aeth.syndrome));
            }
            Syndrome::Nak(_) => {
                self.covers(requests, psn::subtract(psn, 1), findings);
                requests.fatal = Some(psn);
            }
        }
    }

    /// A sequence or RNR NAK has the PSN that the responder expects, and acknowledges what is before it.
    fn negative(&mut self, requests: &mut Requests, packet: &Packet, findings: &mut Findings<'_>) {
        let psn = packet.bth.psn;
        let before = psn::subtract(psn, 1);
        if self.nak == Some(psn) {
            findings.add(Rule::RepeatedNak, format!("PSN {psn} has not come again"));
        }
        self.nak = Some(psn);
        if let Some(highest) = self.highest.filter(|highest| psn::difference(psn, *highest) <= 0) {
            let detail = format!("NAK of PSN {psn} after {highest} was acknowledged");
            return findings.add(Rule::NakPsn, detail);
        }
        let told = packet.aeth().zip(self.msn).zip(requests.history.of(before));
        if let Some(((aeth, (msn, messages)), sent)) = told.filter(|(_, sent)| sent.whole) {
            // Nothing from its PSN on is complete.
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

    /// An answer that acknowledges all up to this PSN.
    fn positive(&mut self, requests: &mut Requests, packet: &Packet, psn: u32, findings: &mut Findings<'_>) {
        if let Some(highest) = self.highest.filter(|highest| psn::difference(psn, *highest) < 0) {
            let is_ack = packet
                .opcode()
                .is_some_and(|o| o.operation == Operation::Acknowledge);
            // What came again is acknowledged again, with the MSN of now (CF125); it may have come again behind the capture.
            let is_current = packet
                .aeth()
                .zip(self.msn)
                .is_some_and(|(aeth, (msn, _))| psn::difference(aeth.msn, msn) >= 0);
            if is_ack && !is_current {
                let detail = format!("PSN {psn} after {highest}");
                findings.add(Rule::ResponseOrder, detail);
            }
        }
        self.covers(requests, psn, findings);
        self.count(requests, packet, psn, findings);
    }

    /// Everything up to this PSN has its answer: what needs its own must have had it.
    fn covers(&mut self, requests: &mut Requests, psn: u32, findings: &mut Findings<'_>) {
        let from = self.highest.unwrap_or(psn);
        if psn::difference(psn, from) <= 0 && self.highest.is_some() {
            return;
        }
        if let Some(reading) = self.reading.filter(|r| psn::difference(psn, r.last) > 0) {
            let detail = format!("read response {} has not come", reading.next);
            findings.add(Rule::OwnResponse, detail);
            self.owed.push((reading.next, findings.packet));
            self.reading = None;
        }
        for sent in requests.history.with_own_response(from, psn) {
            if psn::difference(sent.last_psn(), psn) < 0 {
                let detail = format!("{} of PSN {} has no response", sent.opcode.name, sent.psn);
                findings.add(Rule::OwnResponse, detail);
                self.owed.push((sent.psn, findings.packet));
            }
        }
        self.highest = Some(psn);
        requests.acknowledged(psn);
    }

    /// The MSN grows by the messages that end between two answers (CF135 to CF137); a duplicate's is the current one.
    fn count(&mut self, requests: &mut Requests, packet: &Packet, psn: u32, findings: &mut Findings<'_>) {
        let (Some(aeth), Some(sent)) = (packet.aeth(), requests.history.of(psn)) else {
            return;
        };
        if !sent.whole || self.highest != Some(psn) {
            return;
        }
        let messages_now = sent.messages;
        if !self.counts(requests, aeth.msn, messages_now) {
            let base = psn::subtract(aeth.msn, messages_now);
            let (msn, messages) = self.msn.unwrap_or_default();
            let expected = psn::add(msn, messages_now.wrapping_sub(messages));
            let detail = format!("MSN {} at PSN {psn}, expected {expected}", aeth.msn);
            findings.add(Rule::Msn, detail);
            // Twice the same is how it counts from now on.
            if self.doubted.replace(base) != Some(base) {
                return;
            }
            self.msn = Some((aeth.msn, messages_now));
        }
        self.doubted = None;
        if let Syndrome::Ack { credit } = aeth.meaning() {
            let Requests { history, credits, .. } = requests;
            credits.told(history, (aeth.msn, messages_now), credit, findings);
        }
    }

    /// The MSN goes on by the messages that have ended, these by now; it may run ahead of the PSN, for what is complete needs
    /// no ack of its own.
    fn counts(&mut self, requests: &Requests, msn: u32, messages_now: u32) -> bool {
        let Some((before, messages)) = self.msn else {
            self.msn = Some((msn, messages_now));
            return true;
        };
        let told = psn::difference(msn, before);
        let since = |count: u32| psn::difference(count & psn::MASK, messages & psn::MASK);
        let ended = since(messages_now);
        let most = requests
            .history
            .back()
            .map_or(ended, |newest| since(newest.messages).max(ended));
        if told >= 0 && told <= most {
            self.msn = Some((msn, messages.wrapping_add(told as u32)));
        }
        (ended..=most).contains(&told)
    }

    fn read_response(
        &mut self,
        requests: &mut Requests,
        packet: &Packet,
        opcode: &Opcode,
        findings: &mut Findings<'_>,
    ) {
        let psn = packet.bth.psn;
        let length = packet.payload.len() as u64;
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
        let begun = match self.reading.filter(|reading| reading.next == psn) {
            Some(reading) if !opcode.begins() => reading,
            // A Read that was asked for again begins within, or its first answer goes on; of the first answer that is judged
            // the beginning may not have been captured.
            _ if opcode.begins() || self.highest.is_none() => Reading {
                next: psn,
                last: sent.last_psn(),
                left: u64::from(sent.read_bytes())
                    .saturating_sub(pmtu * psn::difference(psn, sent.psn).max(0) as u64),
            },
            reading => {
                let expected = reading.map(|r| r.next.to_string()).unwrap_or("a first".into());
                let detail = format!("{} with PSN {psn}, expected {expected}", opcode.name);
                return findings.add(Rule::ReadResponse, detail);
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
        let last = sent.last_psn();
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

    /// Every response of a Read carries the MSN that counts it (CF136).
    fn count_read(
        &mut self,
        requests: &mut Requests,
        packet: &Packet,
        last: u32,
        findings: &mut Findings<'_>,
    ) {
        let highest = self.highest.replace(last);
        self.count(requests, packet, last, findings);
        self.highest = highest;
    }
}

/// An atomic ack answers an atomic, of a word, and answers it again as it did.
fn atomic(requests: &mut Requests, packet: &Packet, findings: &mut Findings<'_>) {
    let psn = packet.bth.psn;
    let sent = requests.history.at(psn).filter(|sent| sent.is_atomic());
    let (Some(sent), Some(answer)) = (sent, packet.atomic_ack_eth()) else {
        return findings.add(Rule::AtomicResponse, format!("PSN {psn} is of no atomic"));
    };
    if let Some(asked) = sent.packet.atomic_eth().filter(|asked| asked.va % 8 != 0) {
        findings.add(
            Rule::AtomicAddress,
            format!("VA {:016X}h was not refused", asked.va),
        );
    }
    let original = *sent.original.get_or_insert(answer.orig_rem_dt);
    if original != answer.orig_rem_dt {
        let detail = format!(
            "PSN {psn} gave {original:016X}h, now {:016X}h",
            answer.orig_rem_dt
        );
        findings.add(Rule::AtomicReplay, detail);
    }
}
