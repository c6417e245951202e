//! End-to-end credits at the requester (`requester.md` section 4, `aeth.md` section 4).
use super::context::Context;
use super::{Message, Plan, Response};
use crate::psn;
use crate::verbs::SendOperation;
use crate::wire::aeth::Syndrome;

/// Applies the credits of a positive response.
pub(super) fn take(context: &mut Context, response: &Response) {
    if let Some(Syndrome::Ack { credit }) = response.meaning().filter(|_| context.limits.credits) {
        context.credits.take(credit, response.msn);
    }
}

/// Returns true if the message takes a receive WQE that the peer has not announced, and no response has settled it.
/// Only part of such a message may be sent, and nothing behind it (CF197, CF200, CF202).
pub fn is_limited(context: &Context, message: &Message) -> bool {
    let beyond = |lsn| psn::difference(message.ssn, lsn) > 0;
    message.operation.takes_receive_wqe() && context.lsn().is_some_and(beyond)
}

/// Returns true if the peer had the receive WQE. For a Send this is known once its first packet is acknowledged; a
/// Write with immediate is then complete.
fn is_settled(context: &Context, message: &Message) -> bool {
    let is_write = matches!(message.operation, SendOperation::WriteWithImmediate { .. });
    let first = message.first.filter(|_| !is_write);
    first.is_some_and(|first| first < context.unacknowledged)
}

/// Returns true if a packet that was never sent has to wait for a limited message: an earlier one, or its own. A
/// limited Send sends only its first packet; a limited Write with immediate sends all of its packets.
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
