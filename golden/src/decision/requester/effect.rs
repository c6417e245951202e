//! Effects of a response (`requester.md` section 6).
use super::context::{Action, Context};
use super::response::is_ghost;
use super::retry::{end, progress, retry, wait};
use super::{credit, Kind, Message, Response};
use crate::event::RewindCause;
use crate::verbs::{SendOperation, Status};
use crate::wire::aeth::{NakCode, Syndrome};
use crate::wire::opcode::Position;

/// Size of an atomic's original value in bytes.
const ATOMIC_BYTES: usize = 8;

/// What a response means, given the request that it answers.
enum Meaning {
    /// Everything before this position is answered.
    Acknowledge(u64),
    /// Responses from this position on were lost.
    ImpliedNak(u64),
    SequenceNak(u64),
    RnrNak(u64, u8),
    /// The WQE that contains this position fails.
    Fatal(u64, Status, Option<Status>),
    /// The payload of a Read.
    Data(u64),
    /// The answer to an atomic: position and original value.
    Original(u64, u64),
}

/// Applies a response that [`judge`](super::judge) accepts.
pub fn accept(mut context: Context, response: &Response, now: u64) -> (Context, Vec<Action>) {
    let mut actions = Vec::new();
    if is_ghost(&context, response) {
        credit::take(&mut context, response);
        return (context, actions);
    }
    let answered = match meaning(&context, response) {
        Meaning::Acknowledge(end) => {
            credit::take(&mut context, response);
            context.rnr_retries = context.limits.rnr_retry;
            advance(&mut context, end, now, &mut actions);
            return (context, actions);
        }
        Meaning::Data(position) => {
            if let Some(message) = context.holding(position) {
                let index = message.index;
                let offset = message.offset(position, context.limits.pmtu);
                actions.push(Action::Place { index, offset });
            }
            position + 1
        }
        Meaning::Original(position, original) => {
            if let Some(message) = context.holding(position) {
                let index = message.index;
                actions.push(Action::PlaceOriginal { index, original });
            }
            position + 1
        }
        Meaning::ImpliedNak(position) => {
            advance(&mut context, position, now, &mut actions);
            actions.extend(retry(&mut context, position, RewindCause::ImpliedNak));
            return (context, actions);
        }
        Meaning::SequenceNak(position) => {
            advance(&mut context, position, now, &mut actions);
            actions.extend(retry(&mut context, position, RewindCause::SequenceNak));
            return (context, actions);
        }
        Meaning::RnrNak(position, timer) => {
            advance(&mut context, position, now, &mut actions);
            actions.extend(wait(&mut context, position, timer, now));
            return (context, actions);
        }
        Meaning::Fatal(position, status, other) => {
            advance(&mut context, position, now, &mut actions);
            actions.extend(end(&context, status, other));
            return (context, actions);
        }
    };
    credit::take(&mut context, response);
    context.rnr_retries = context.limits.rnr_retry;
    advance(&mut context, answered, now, &mut actions);
    (context, actions)
}

/// Returns the WQE, the offset and the length of the memory that a response fills if it is the awaited one; offset and
/// length in bytes.
pub fn placement(context: &Context, response: &Response) -> Option<(u16, u64, usize)> {
    let position = context.position(response.psn);
    let message = context.holding(position)?;
    match response.kind {
        Kind::Read(_) => {
            let offset = message.offset(position, context.limits.pmtu);
            Some((message.index, offset, response.length))
        }
        Kind::Atomic { .. } => Some((message.index, 0, ATOMIC_BYTES)),
        Kind::Acknowledge => None,
    }
}

/// Completes everything before `answered`. WQEs complete in post order; a Read or atomic completes only with its data
/// (FB04), and no WQE completes with a packet that was never sent.
fn advance(context: &mut Context, answered: u64, now: u64, actions: &mut Vec<Action>) {
    progress(context, answered, now);
    let pmtu = context.limits.pmtu;
    while let Some(message) = context.messages.front() {
        if message.end(pmtu).is_none_or(|end| end > answered) {
            break;
        }
        let (index, status) = (message.index, Status::Success);
        actions.push(Action::Complete {
            index,
            status,
            other: None,
        });
        let message = context.messages.pop_front();
        if context.late.is_some() {
            context.answered.extend(message);
        }
    }
}

fn meaning(context: &Context, response: &Response) -> Meaning {
    let position = context.position(response.psn);
    if let Some((message, waits_for)) = context.unanswered() {
        let beyond = message
            .end(context.limits.pmtu)
            .is_some_and(|end| position >= end);
        let is_read = matches!(message.operation, SendOperation::Read { .. });
        let skips = matches!(response.kind, Kind::Read(_)) && is_read && position > waits_for;
        // This is an unsolicited ack behind responses that were lost: it repeats the PSN of the last one.
        let repeats = is_ack(response) && message.end(context.limits.pmtu) == Some(position + 1);
        if beyond || skips || repeats {
            return Meaning::ImpliedNak(waits_for);
        }
    }
    match response.kind {
        Kind::Acknowledge => acknowledge(context, response, position),
        _ if !is_positive(response) => wrong_opcode(context, position),
        Kind::Read(place) => data(context, response, position, place),
        Kind::Atomic { original } => match context.holding(position) {
            Some(message) if message.operation.is_atomic() && response.permitted => {
                Meaning::Original(position, original)
            }
            Some(message) if message.operation.is_atomic() => {
                Meaning::Fatal(position, Status::LocProtErr, Some(Status::LocAccessErr))
            }
            _ => wrong_opcode(context, position),
        },
    }
}

fn is_ack(response: &Response) -> bool {
    response.kind == Kind::Acknowledge && response.syndrome.is_some() && is_positive(response)
}

fn is_positive(response: &Response) -> bool {
    let syndrome = response.syndrome.map(Syndrome::of);
    syndrome.is_none_or(|s| matches!(s, Syndrome::Ack { .. }))
}

/// Returns the meaning of an Acknowledge packet whose PSN is not beyond an unanswered Read or atomic.
fn acknowledge(context: &Context, response: &Response, position: u64) -> Meaning {
    let waits_for = context.unanswered().map(|(_, waits_for)| waits_for);
    // A NAK inside a Read applies to the Read as a whole: its unanswered part is requested again (FB22).
    let before = waits_for.map_or(position, |w| w.min(position));
    match response.syndrome.map_or(Syndrome::Reserved(0), Syndrome::of) {
        Syndrome::Ack { .. } if waits_for.is_some_and(|w| position >= w) => wrong_opcode(context, position),
        Syndrome::Ack { .. } => Meaning::Acknowledge(position + 1),
        Syndrome::RnrNak { timer } => Meaning::RnrNak(before, timer),
        Syndrome::Nak(NakCode::PsnSequence) => Meaning::SequenceNak(before),
        Syndrome::Nak(NakCode::InvalidRequest) => Meaning::Fatal(before, Status::RemInvReqErr, None),
        Syndrome::Nak(NakCode::RemoteAccess) => Meaning::Fatal(before, Status::RemAccessErr, None),
        Syndrome::Nak(NakCode::RemoteOperational) => Meaning::Fatal(before, Status::RemOpErr, None),
        Syndrome::Nak(NakCode::InvalidRdRequest) | Syndrome::Reserved(_) => {
            Meaning::Acknowledge(context.unacknowledged)
        }
    }
}

/// Returns the meaning of a response with the wrong opcode (CF185).
fn wrong_opcode(context: &Context, position: u64) -> Meaning {
    Meaning::Fatal(start_of_fault(context, position), Status::BadRespErr, None)
}

/// Returns the position before which a faulty response acknowledges everything: the start of the WQE to which it
/// belongs.
fn start_of_fault(context: &Context, position: u64) -> u64 {
    let first = context.holding(position).and_then(|m| m.first);
    first.unwrap_or(position).max(context.unacknowledged)
}

/// Returns the meaning of a read response with the awaited PSN. Its opcode and length must fit its place (CF184,
/// CF185).
fn data(context: &Context, response: &Response, position: u64, place: Position) -> Meaning {
    let pmtu = context.limits.pmtu;
    let message = match context.holding(position) {
        Some(m) if matches!(m.operation, SendOperation::Read { .. }) => m,
        _ => return wrong_opcode(context, position),
    };
    let left = message.length - message.offset(position, pmtu);
    let opcode_fits = fits(message, position, left <= pmtu as u64, place);
    let length_fits = response.length as u64 == left.min(pmtu as u64);
    let fatal = |status, other| Meaning::Fatal(start_of_fault(context, position), status, other);
    match (opcode_fits, length_fits) {
        (true, true) if response.permitted => Meaning::Data(position),
        (true, true) => fatal(Status::LocProtErr, Some(Status::LocAccessErr)),
        (true, false) => fatal(Status::LocLenErr, None),
        (false, true) => fatal(Status::BadRespErr, None),
        (false, false) => fatal(Status::BadRespErr, Some(Status::LocLenErr)),
    }
}

/// Returns true if a read response may have this place: First or Only at a position from which a request was sent,
/// Middle or Last after the first response; First or Middle before the end, Last or Only at it.
fn fits(message: &Message, position: u64, ends: bool, place: Position) -> bool {
    let begins_here = message.requests.contains(&position);
    let follows = message.first != Some(position);
    match place {
        Position::First => begins_here && !ends,
        Position::Only => begins_here && ends,
        Position::Middle => follows && !ends,
        Position::Last => follows && ends,
    }
}
