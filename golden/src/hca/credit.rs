//! The responder's credits: its receive WQEs, and those that it has advertised (`aeth.md` section 5, `responder.md`
//! section 8).
use super::credit_codes::CreditCodes;
use super::queue_pair::QueuePair;
use super::response::{Body, Response};
use super::{Hca, Output, Rule, Violation};
use crate::psn;
use crate::verbs::QpState;
use crate::wire::credit::{decode, encode, NO_CREDITS};
use crate::wire::lrh::Lrh;

impl QueuePair {
    /// Returns the number of receive WQEs that are announced and not taken; it is 0 at create and Reset (CF147).
    fn count(&self) -> u16 {
        u16::try_from(self.receive.available()).unwrap_or(u16::MAX)
    }

    /// Returns the credit code for a count (CF144, CF146).
    fn code_of(&self, count: u16) -> u8 {
        match self.attributes.credits.supplied {
            true => encode(count),
            false => NO_CREDITS,
        }
    }

    /// Returns the credit codes that an answer decided on now may carry. The newest doorbell may not count yet.
    pub fn codes(&self) -> CreditCodes {
        let count = self.count();
        let before = count.checked_sub(self.advertised.newest).unwrap_or(count);
        let mut codes = CreditCodes::of(self.code_of(before));
        codes.add(self.code_of(count));
        codes
    }

    /// Takes a doorbell that announces `more` receive WQEs. An unsolicited ack is due once the peer knows of at most
    /// half of those that it could know of, because it may be waiting (CF151).
    pub fn bring_receives(&mut self, more: u16) {
        if more == 0 {
            return;
        }
        self.advertised.newest = more;
        self.note_credits();
        if !self.attributes.credits.supplied || !self.answers() {
            return;
        }
        self.advertised.permitted = true;
        let fresh = decode(encode(self.count())).unwrap_or_default();
        let advertised = self.advertised.known;
        let waiting_for_psn = self.responder.outstanding_nak != Default::default();
        let starving = fresh > advertised && 2 * u32::from(advertised) <= fresh.into();
        self.advertised.due |= starving && !self.advertised.nak && !waiting_for_psn && !self.failing();
    }

    /// Notes that a receive WQE is taken.
    pub fn take_receive(&mut self) {
        self.advertised.known = self.advertised.known.saturating_sub(1);
        self.note_credits();
    }

    /// Notes that the count, or its advertised part, has changed: answers on their way may carry the new credits.
    pub fn note_credits(&mut self) {
        let code = self.code_of(self.count());
        self.responses.note(code);
    }

    /// Notes that an answer is decided on: no unsolicited ack is due any more.
    pub fn decide_answer(&mut self, nak: bool) {
        self.advertised.due = false;
        self.advertised.nak = nak;
        if !nak {
            self.advertised.newest = 0;
            self.advertised.known = decode(encode(self.count())).unwrap_or_default();
        }
    }

    /// Notes that a positive answer leaves.
    pub fn report(&mut self, psn: u32, syndrome: u8) {
        if psn::difference(psn, self.advertised.psn) > 0 {
            self.advertised.psn = psn;
        }
        let now = decode(encode(self.count())).unwrap_or_default();
        let advertised = decode(syndrome).unwrap_or_default().min(now);
        self.advertised.known = self.advertised.known.max(advertised);
    }

    /// Returns the PSN of the unsolicited ack that is due.
    pub fn unsolicited(&self) -> Option<u32> {
        let is_due = self.advertised.due && self.answers() && !self.failing();
        is_due.then(|| self.answered().0)
    }

    /// Returns the newest PSN that is answered or has to be, and the later ones that may be.
    fn answered(&self) -> (u32, Vec<u32>) {
        let mut newest = self.advertised.psn;
        let mut optional = Vec::new();
        for response in self.responses.positive() {
            let psn = response.last_psn();
            if psn::difference(psn, newest) <= 0 {
                continue;
            }
            if response.required() {
                newest = psn;
                optional.clear();
            } else {
                optional.push(psn);
            }
        }
        (newest, optional)
    }

    /// Returns true if the QP's state lets it answer.
    fn answers(&self) -> bool {
        use QpState::{Rtr, Rts, Sqd, Sqe};
        matches!(self.state, Rtr | Rts | Sqd | Sqe)
    }
}

impl Hca {
    /// Follows the event that the responder sends an unsolicited ack with its credits. The ack takes the route of the
    /// QP's requests, because it answers no packet.
    pub(super) fn report_credits(&mut self, qpn: u32, psn: u32) -> Result<Vec<Output>, Violation> {
        let slid = self.port(self.qp(qpn)?.attributes.port).config.lid;
        let qp = self.qp_mut(qpn)?;
        let says = format!("scheduled an unsolicited ack at PSN {psn}");
        // The responder may not know yet of the NAK of a Read that cannot continue, or of an atomic without answer. As
        // with requests, answers that are decided meanwhile ignore it and do not leave (adopted reading, `responder.md`
        // section 7).
        let cut = qp.responses.has_ended();
        if !qp.advertised.permitted || (qp.advertised.nak && !cut) || !qp.answers() {
            let expected = match qp.advertised.nak {
                true => "none while a NAK is the latest answer",
                false => "none, for no receive WQE came since the last",
            };
            return Err(Rule::UnsolicitedAck.broken(qpn, expected, says));
        }
        let (mut newest, optional) = qp.answered();
        if cut {
            newest = psn::subtract(qp.responder.expected_psn, 1);
        }
        if psn != newest && !optional.contains(&psn) {
            let expected = format!("PSN {newest}, which is that of the latest positive answer");
            return Err(Rule::Psn.broken(qpn, expected, says));
        }
        qp.advertised.permitted = false;
        if cut {
            return Ok(Vec::new());
        }
        let a = &qp.attributes;
        let lrh = Lrh {
            sl: a.sl,
            dlid: a.dlid,
            slid: slid | u16::from(a.source_path_bits),
            ..Lrh::default()
        };
        let body = Body::Acknowledge {
            syndrome: NO_CREDITS,
            required: true,
        };
        qp.responses.push(Response {
            psn,
            msn: qp.responder.msn,
            lrh,
            body,
            codes: qp.codes(),
            spare: false,
        });
        qp.decide_answer(false);
        Ok(Vec::new())
    }
}
