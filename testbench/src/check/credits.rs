//! End-to-end credits as packets show them (`protocol/requester.md` section 4, `aeth.md` sections 3 to 5).
//!
//! Counted in receive WQEs since the capture began, not in SSN and LSN: how many messages there were before nobody
//! knows. Where a capture leaves open what the requester knew, it knew the most.
use super::finding::Rule;
use super::found::Findings;
use super::history::History;
use hca_golden::psn;
use hca_golden::wire::credit;

/// A message that no credit permits: its first packet is a probe, or it is a Write with immediate that has ended.
#[derive(Clone, Copy, Debug)]
struct Limited {
    /// PSN of the packet that takes the receive WQE.
    psn: u32,
    /// Number of that receive WQE.
    number: u32,
    /// The packet is the first of several and asks for an ack. A requester that sends nothing behind it waits for that
    /// ack.
    is_probe: bool,
}

/// Receive WQEs of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Credits {
    /// Number of receive WQEs that the messages sent so far have taken.
    pub taken: u32,
    /// Number of receive WQEs that may be taken as far as the requester knows; `None` until an answer has said so.
    offered: Option<u32>,
    /// Smallest number of receive WQEs that there are.
    posted: Option<u32>,
    /// MSN before the capture's first message: its smallest and largest possible value.
    base: Option<(u32, u32)>,
    /// Code 31 came, so that the responder does not count; or the requester does not respect credits.
    free: bool,
    /// The requester was seen to wait for a credit.
    keeps: bool,
    limited: Option<Limited>,
}

impl Credits {
    /// Forgets the counts, because the capture does not show what was sent.
    pub fn forget(&mut self) {
        *self = Credits {
            taken: self.taken,
            free: self.free,
            keeps: self.keeps,
            ..Credits::default()
        };
    }

    /// Judges a new packet, which begins a message or continues one. All PSNs up to `answered` have an answer.
    pub fn next(&mut self, begins: bool, answered: Option<u32>, findings: &mut Findings<'_>) {
        let Some(limited) = self.limited else { return };
        let known = self.free || self.offered.is_some_and(|offered| offered >= limited.number);
        let took = answered.is_some_and(|answered| psn::difference(answered, limited.psn) >= 0);
        self.limited = None;
        if known || took {
            self.keeps |= limited.is_probe && took;
            return;
        }
        let rule = match begins {
            true => Rule::CreditOrder,
            false => Rule::CreditRest,
        };
        let detail = format!("{} for the message of PSN {}", self.lack(), limited.psn);
        self.goes_beyond(rule, detail, findings);
    }

    /// Reports a packet that no credit permits.
    fn goes_beyond(&mut self, rule: Rule, detail: String, findings: &mut Findings<'_>) {
        match self.keeps {
            true => findings.add(rule, detail),
            false => (self.free, self.limited) = (true, None),
        }
    }

    /// Counts a packet that takes a receive WQE. `asks` says whether it asks for an ack, `ends` whether it ends its
    /// message.
    pub fn take(&mut self, psn: u32, [asks, ends]: [bool; 2], findings: &mut Findings<'_>) {
        self.taken = self.taken.wrapping_add(1);
        let number = self.taken;
        if self.free || self.offered.is_none_or(|offered| number <= offered) {
            return;
        }
        self.limited = Some(Limited {
            psn,
            number,
            is_probe: asks && !ends,
        });
        if !asks {
            let detail = format!("A = 0, {}", self.lack());
            self.goes_beyond(Rule::CreditProbe, detail, findings);
        }
    }

    fn lack(&self) -> String {
        let offered = self.offered.unwrap_or(0);
        format!("receive WQE {} is not offered, {offered} are", self.taken)
    }

    /// Takes a positive answer with an MSN. It answers a packet with which `messages` messages had ended.
    pub fn advertised(
        &mut self,
        history: &History,
        (msn, messages): (u32, u32),
        code: Option<u8>,
        findings: &mut Findings<'_>,
    ) {
        let Some(code) = code else {
            self.free = true;
            return;
        };
        let Some(credits) = credit::decode(code).map(u32::from) else {
            return;
        };
        // Messages that end after that packet may also be complete and count in the MSN.
        let newest = history.back().map_or(messages, |newest| newest.messages);
        let (mut least, mut most) = (psn::subtract(msn, newest), psn::subtract(msn, messages));
        if let Some((least_before, most_before)) = self.base {
            least = later(least, least_before);
            most = earlier(most, most_before);
        }
        self.base = Some((least, most));
        let ended = |base| {
            let beyond = psn::difference(psn::subtract(msn, base), messages & psn::MASK);
            history.taken_by(messages.wrapping_add_signed(beyond.max(0)))
        };
        let (fewest, most_taken) = (ended(most), ended(least));
        // A code stands for all counts below that of the next code. Its count may be more recent than the MSN, and then
        // excludes what was taken since.
        let above = code.checked_add(1).and_then(credit::decode).map(u32::from);
        let no_more = above.map(|above| self.taken + above - 1);
        if let (Some(posted), Some(no_more)) = (self.posted, no_more) {
            if no_more < posted {
                let detail = format!("{no_more} receive WQEs at most, {posted} were posted");
                findings.add(Rule::CreditsTaken, detail);
            }
        }
        let posted = fewest + credits;
        self.posted = Some(self.posted.map_or(posted, |before| before.max(posted)));
        self.offered = match (self.offered, no_more) {
            (Some(offered), _) => Some(offered.max(most_taken + credits)),
            // Answers before the capture may have advertised more.
            (None, no_more) => no_more,
        };
    }
}

/// The later of two serial numbers.
fn later(a: u32, b: u32) -> u32 {
    match psn::difference(a, b) > 0 {
        true => a,
        false => b,
    }
}

/// The earlier of two serial numbers.
fn earlier(a: u32, b: u32) -> u32 {
    match psn::difference(a, b) > 0 {
        true => b,
        false => a,
    }
}
