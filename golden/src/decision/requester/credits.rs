//! What a requester knows about the credits of its peer.
use super::message::Message;
use crate::psn;
use crate::wire::credit;
use std::collections::VecDeque;

/// The receive WQEs of the peer as the requester knows them. SSN, MSN and LSN have 24 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credits {
    /// SSN of the newest WQE.
    ssn: u32,
    /// LSN: messages with SSNs up to this one may be sent.
    lsn: u32,
    /// True once code 31 has arrived. The peer then sets no limit until Reset (CF206).
    switched_off: bool,
    /// SSNs of started messages that take no receive WQE and that no MSN has counted yet, oldest first.
    uncounted: VecDeque<u32>,
}

impl Credits {
    /// Returns the SSN of the next WQE and counts it; the first is 1 (CF195).
    pub fn number(&mut self) -> u32 {
        self.ssn = psn::add(self.ssn, 1);
        self.ssn
    }

    /// Returns the SSN of the newest WQE taken.
    pub fn ssn(&self) -> u32 {
        self.ssn
    }

    /// Returns the last SSN that may be sent; `None` once code 31 has arrived.
    pub fn lsn(&self) -> Option<u32> {
        (!self.switched_off).then_some(self.lsn)
    }

    /// Notes that a message starts. A message that takes no receive WQE leaves its credit to those behind it (CF196).
    pub(super) fn start(&mut self, message: &Message) {
        if !message.operation.takes_receive_wqe() {
            self.lsn = psn::add(self.lsn, 1);
            self.uncounted.push_back(message.ssn);
        }
    }

    /// Returns LSN = MSN + credits (CF194), plus one for each started message that takes no receive WQE and is not
    /// counted in the MSN yet.
    fn limit(&self, msn: u32, credits: u16) -> u32 {
        let beyond = |ssn: &&u32| psn::difference(**ssn, msn) > 0;
        let uncounted = self.uncounted.iter().filter(beyond).count();
        psn::add(psn::add(msn, credits.into()), uncounted as u32)
    }

    /// Applies a positive response. An older limit never replaces a newer one (CF207).
    pub(super) fn take(&mut self, code: Option<u8>, msn: u32) {
        let Some(credits) = code.and_then(credit::decode) else {
            self.switched_off = true;
            return;
        };
        let limit = self.limit(msn, credits);
        if psn::difference(limit, self.lsn) > 0 {
            self.lsn = limit;
        }
        self.uncounted.retain(|ssn| psn::difference(*ssn, msn) > 0);
    }

    /// Returns true if a positive response changes the limit. None does once code 31 has arrived.
    pub(super) fn tells(&self, code: Option<u8>, msn: u32) -> bool {
        let newer = |credits| psn::difference(self.limit(msn, credits), self.lsn) > 0;
        !self.switched_off && code.and_then(credit::decode).is_none_or(newer)
    }
}
