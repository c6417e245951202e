//! Acks and NAKs that a responder owes or may send, in order (`responder.md` section 8).
use super::violation::Rule;
use crate::wire::aeth::{NAK_SEQUENCE, RNR_NAK};
use std::collections::VecDeque;

/// One response, as it will stand on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Response {
    /// 24 bits.
    pub psn: u32,
    pub syndrome: u8,
    /// As it stood when the request was decided; 24 bits.
    pub msn: u32,
    /// False where a response is permitted but not asked for.
    pub required: bool,
    /// The request's SLID.
    pub dlid: u16,
    /// The request's DLID.
    pub slid: u16,
    /// The request's SL.
    pub sl: u8,
}

impl Response {
    fn is_nak(&self) -> bool {
        self.syndrome >> 5 != 0
    }

    /// A NAK that asks for the expected PSN again and leaves the QP as it is: RNR or sequence.
    fn asks_again(&self) -> bool {
        self.is_nak() && (self.syndrome >> 5 == RNR_NAK >> 5 || self.syndrome == NAK_SEQUENCE)
    }
}

/// Scheduled responses, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct ResponseQueue(VecDeque<Response>);

impl ResponseQueue {
    pub fn push(&mut self, response: Response) {
        self.0.push_back(response);
    }

    /// The response of this PSN and syndrome goes out: those before it are covered by it (coalescing), those that
    /// only repeat it need not follow.
    pub fn emit(&mut self, psn: u32, syndrome: u8) -> Result<Response, Rule> {
        let at = match self.0.iter().position(|r| (r.psn, r.syndrome) == (psn, syndrome)) {
            Some(at) => at,
            None if self.0.iter().any(|r| r.psn == psn) => return Err(Rule::Syndrome),
            None => return Err(Rule::AckNotPermitted),
        };
        if !self.may_leave(at) {
            return Err(Rule::NakSkipped);
        }
        // Repeats of one ack collapse into it; its address is that of the latest (responder.md section 8: SL and LIDs
        // are those of the request).
        let mut response = self.0[at];
        if let Some(newest) = self.0.iter().rfind(|r| (r.psn, r.syndrome) == (psn, syndrome)) {
            (response.dlid, response.slid, response.sl) = (newest.dlid, newest.slid, newest.sl);
        }
        self.0.drain(..=at);
        for repeat in &mut self.0 {
            if (repeat.psn, repeat.syndrome) == (psn, syndrome) {
                repeat.required = false;
            }
        }
        Ok(response)
    }

    /// Those that may go out now.
    pub fn permitted(&self) -> impl Iterator<Item = &Response> {
        (0..self.0.len())
            .filter(|&at| self.may_leave(at))
            .map(|at| &self.0[at])
    }

    /// No ack passes a NAK. A NAK stands in for the RNR and sequence NAKs before it: it acknowledges all before its
    /// PSN and asks for the rest again, as they did (`responder.md` section 7).
    fn may_leave(&self, at: usize) -> bool {
        let mut passed = self.0.iter().take(at).filter(|r| r.is_nak());
        if self.0[at].is_nak() {
            passed.all(Response::asks_again)
        } else {
            passed.next().is_none()
        }
    }

    /// Those that must go out, or be covered.
    pub fn required(&self) -> impl Iterator<Item = &Response> {
        self.0.iter().filter(|r| r.required)
    }

    /// The QP is in Error: positive acks may be lost.
    pub fn release_acks(&mut self) {
        for response in &mut self.0 {
            response.required &= response.is_nak();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(psn: u32, syndrome: u8) -> Response {
        Response {
            psn,
            syndrome,
            msn: 0,
            required: true,
            dlid: 1,
            slid: 2,
            sl: 0,
        }
    }

    fn queue(responses: &[(u32, u8)]) -> ResponseQueue {
        ResponseQueue(responses.iter().map(|&(p, s)| response(p, s)).collect())
    }

    #[test]
    fn a_later_ack_covers_earlier_ones() {
        let mut q = queue(&[(100, 0x1F), (101, 0x1F), (102, 0x1F)]);
        assert_eq!(q.emit(101, 0x1F), Ok(response(101, 0x1F)));
        assert_eq!(q.emit(100, 0x1F), Err(Rule::AckNotPermitted));
        assert_eq!(q.required().count(), 1);
    }

    #[test]
    fn a_nak_covers_acks_and_is_not_passed() {
        let mut q = queue(&[(100, 0x1F), (101, 0x60), (101, 0x1F)]);
        assert_eq!(q.emit(101, 0x1F), Err(Rule::NakSkipped));
        assert_eq!(q.emit(101, 0x60), Ok(response(101, 0x60)));
        assert_eq!(q.emit(101, 0x1F), Ok(response(101, 0x1F)));
    }

    /// Section 7: the later NAK acknowledges PSN 100, so both the NAK and the ack before it are told by it.
    #[test]
    fn a_nak_stands_in_for_one_that_asks_again() {
        for before in [0x60, 0x2C] {
            for later in [0x60, 0x2C, 0x61] {
                let mut q = queue(&[(100, before), (100, 0x1F), (101, later)]);
                assert_eq!(q.emit(100, 0x1F), Err(Rule::NakSkipped));
                assert_eq!(q.emit(101, later), Ok(response(101, later)));
                assert_eq!(q.required().count(), 0);
            }
        }
    }

    #[test]
    fn no_nak_stands_in_for_one_that_ends_the_connection() {
        for fatal in [0x61, 0x62, 0x63] {
            let mut q = queue(&[(100, fatal), (101, 0x60)]);
            assert_eq!(q.emit(101, 0x60), Err(Rule::NakSkipped));
            assert_eq!(q.permitted().count(), 1);
        }
    }

    #[test]
    fn a_repeated_ack_need_not_follow_but_may() {
        let mut q = queue(&[(100, 0x1F), (100, 0x1F)]);
        assert!(q.emit(100, 0x1F).is_ok());
        assert_eq!(q.required().count(), 0);
        assert!(q.emit(100, 0x1F).is_ok());
        assert_eq!(q.emit(100, 0x1F), Err(Rule::AckNotPermitted));
    }

    #[test]
    fn a_wrong_syndrome_is_named() {
        assert_eq!(queue(&[(100, 0x1F)]).emit(100, 0x60), Err(Rule::Syndrome));
    }
}
