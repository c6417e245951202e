//! End-to-end credits at the requester (`requester.md` section 4, `aeth.md` section 4).
use super::{Context, Message, Plan, Response};
use crate::psn;
use crate::verbs::SendOperation;
use crate::wire::aeth::Syndrome;
use crate::wire::credit;
use std::collections::VecDeque;

/// The requester's knowledge of the peer's receive WQEs. SSN, MSN and LSN are 24 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credits {
    /// SSN of the newest WQE.
    ssn: u32,
    /// SSNs up to here are unlimited.
    lsn: u32,
    /// Code 31 arrived: nothing is limited until Reset (CF206).
    switched_off: bool,
    /// SSNs of started messages that take no receive WQE and are not counted in an MSN yet, oldest first.
    uncounted: VecDeque<u32>,
}

impl Credits {
    /// SSN of the next WQE; the first is 1 (CF195).
    pub fn number(&mut self) -> u32 {
        self.ssn = psn::add(self.ssn, 1);
        self.ssn
    }

    /// SSN of the newest WQE taken.
    pub fn ssn(&self) -> u32 {
        self.ssn
    }

    /// SSNs up to here are unlimited; all are once code 31 came.
    pub fn lsn(&self) -> Option<u32> {
        (!self.switched_off).then_some(self.lsn)
    }

    /// A message starts. One that takes no receive WQE leaves its credit to the messages behind it (CF196).
    pub(super) fn start(&mut self, message: &Message) {
        if !message.operation.takes_receive_wqe() {
            self.lsn = psn::add(self.lsn, 1);
            self.uncounted.push_back(message.ssn);
        }
    }

    /// LSN = MSN + credits (CF194), plus one for each started message that takes no receive WQE and is not counted in
    /// MSN yet: for the counted ones, MSN includes it already.
    fn limit(&self, msn: u32, credits: u16) -> u32 {
        let beyond = |ssn: &&u32| psn::difference(**ssn, msn) > 0;
        let uncounted = self.uncounted.iter().filter(beyond).count();
        psn::add(psn::add(msn, credits.into()), uncounted as u32)
    }

    /// Applies a positive response. An older limit never replaces a newer one (CF207).
    fn take(&mut self, code: Option<u8>, msn: u32) {
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

    /// True if a positive response changes the limit; nothing does once code 31 has arrived.
    pub(super) fn tells(&self, code: Option<u8>, msn: u32) -> bool {
        let newer = |credits| psn::difference(self.limit(msn, credits), self.lsn) > 0;
        !self.switched_off && code.and_then(credit::decode).is_none_or(newer)
    }
}

/// A positive response takes effect.
pub(super) fn take(context: &mut Context, response: &Response) {
    if let Some(Syndrome::Ack { credit }) = response.meaning().filter(|_| context.limits.credits) {
        context.credits.take(credit, response.msn);
    }
}

/// A message that takes a receive WQE that the peer has not announced. Nothing may follow the part of it that may be
/// sent (CF197, CF200, CF202), unless a response has settled it.
pub fn is_limited(context: &Context, message: &Message) -> bool {
    let beyond = |lsn| psn::difference(message.ssn, lsn) > 0;
    message.operation.takes_receive_wqe() && context.lsn().is_some_and(beyond)
}

/// The peer had the WQE: the first packet of a Send is acknowledged. A Write with immediate is complete then.
fn is_settled(context: &Context, message: &Message) -> bool {
    let is_write = matches!(message.operation, SendOperation::WriteWithImmediate { .. });
    let first = message.first.filter(|_| !is_write);
    first.is_some_and(|first| first < context.unacknowledged)
}

/// A packet that was never sent has to wait for an earlier limited message, or for its own: a limited Send sends only
/// its first packet, and a limited Write with immediate sends all of them.
pub(super) fn stops(context: &Context, plan: &Plan) -> bool {
    if plan.position < context.next {
        return false;
    }
    let holds_back = |m: &&Message| is_limited(context, m) && !is_settled(context, m);
    let mut earlier = context.messages.iter().take_while(|m| m.ssn != plan.ssn);
    let own = context.messages.iter().find(|m| m.ssn == plan.ssn);
    let stops_itself = |m: &Message| {
        let is_write = matches!(m.operation, SendOperation::WriteWithImmediate { .. });
        !is_write && !plan.starts && holds_back(&m)
    };
    earlier.any(|m| holds_back(&m)) || own.is_some_and(stops_itself)
}
