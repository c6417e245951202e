//! Effects of a verdict on a request (`responder.md` section 4 and 5).
use super::resource::{Kind, Resource};
use super::{check, duplicate, Action, Completed, Context, Open, OutstandingNak, Request, UNANSWERED};
use crate::decision::protection::{Access, Right};
use crate::decision::Verdict;
use crate::psn;
use crate::verbs::Status;
use crate::wire::aeth::{
    ACK_WITHOUT_CREDITS, NAK_INVALID_REQUEST, NAK_REMOTE_ACCESS, NAK_REMOTE_OPERATIONAL, NAK_SEQUENCE,
};
use crate::wire::opcode::Operation;
use crate::wire::reth::Reth;

/// Size of an atomic's target in bytes.
const ATOMIC_BYTES: u64 = 8;

/// Returns the access that a request needs under an R_Key: the whole target for a Read and for the first packet of a
/// Write, only its own part for a later packet of a Write. `None` for an access to no bytes (CF089).
pub fn access(context: &Context, request: &Request) -> Option<Access> {
    let of = |target: Reth, va: u64, length: u64, right| Access {
        key: target.r_key,
        va,
        length,
        right,
    };
    let whole = |right| request.target.map(|t| of(t, t.va, t.dma_len.into(), right));
    let access = match (request.operation()?, context.open) {
        (Operation::Write, Some(Open::Write { target, received })) => {
            let left = u64::from(target.dma_len).saturating_sub(received);
            let length = left.min(request.length as u64);
            Some(of(
                target,
                target.va.wrapping_add(received),
                length,
                Right::RemoteWrite,
            ))
        }
        (Operation::Write, _) => whole(Right::RemoteWrite),
        (Operation::Read, _) => whole(Right::RemoteRead),
        (Operation::CompareSwap | Operation::FetchAdd, _) => {
            let target = request.target?;
            Some(of(target, target.va, ATOMIC_BYTES, Right::RemoteAtomic))
        }
        _ => None,
    };
    access.filter(|a| a.length != 0)
}

/// Applies a verdict of [`check::judge`] and returns its actions.
pub fn step(context: Context, request: &Request, verdict: Verdict) -> (Context, Vec<Action>) {
    match verdict {
        Verdict::Execute => execute(context, request),
        Verdict::Duplicate => {
            let answers = duplicate::answers(&context, request);
            (context, answers)
        }
        Verdict::Refuse { syndrome, psn } => refuse(context, request, syndrome, psn),
        Verdict::Accept | Verdict::Drop(_) => (context, Vec::new()),
    }
}

/// Notes that the last response of a Read or an atomic has left.
pub fn answered(mut context: Context, last_psn: u32) -> Context {
    context.resources.answered(last_psn);
    context
}

/// Returns the actions for a read response that cannot be produced: a NAK with its PSN (section 7, CF142) and, like all
/// answers to a Read, with the MSN of the moment at which the Read was accepted (CF136). The QP goes to Error; requests
/// that are under way are judged without regard to it.
pub fn fail(msn: u32, psn: u32, syndrome: u8) -> Vec<Action> {
    let nak = Action::Respond {
        psn,
        syndrome,
        msn,
        required: true,
    };
    vec![nak, Action::ReportAccessError]
}

/// Executes a request (section 4).
fn execute(mut context: Context, request: &Request) -> (Context, Vec<Action>) {
    let mut actions = Vec::new();
    let ends = request.opcode.is_some_and(|o| o.ends());
    let ackable_before = context.ackable_psn;
    let pmtu = context.pmtu;
    context.expected_psn = request.next_psn(pmtu);
    context.msn = psn::add(context.msn, ends.into());
    context.outstanding_nak = OutstandingNak::None;
    let (psn, msn) = (request.psn, context.msn);
    let keep = |context: &mut Context, kind| {
        context.resources.keep(Resource {
            first_psn: psn,
            last_psn: psn::subtract(context.expected_psn, 1),
            kind,
            owed: true,
            ackable_psn: ackable_before,
        });
    };
    match (request.operation(), request.target) {
        (Some(Operation::Read), Some(data)) => {
            keep(&mut context, Kind::Read { target: data });
            actions.push(Action::RespondWithData { psn, data, msn });
        }
        (Some(operation @ (Operation::CompareSwap | Operation::FetchAdd)), Some(target)) => {
            let original = request.original;
            let opcode = request.opcode.map_or(0, |o| o.value);
            keep(&mut context, Kind::Atomic { opcode, original });
            actions.extend(new_value(operation, request).map(|value| Action::StoreAtomic {
                va: target.va,
                r_key: target.r_key,
                value,
            }));
            actions.push(Action::RespondWithOriginal {
                psn,
                original,
                msn,
                again: false,
            });
        }
        (Some(Operation::Write), _) => {
            context.ackable_psn = psn;
            actions.extend(write(&mut context, request, ends));
            actions.push(acknowledge(&context, request));
        }
        _ => {
            context.ackable_psn = psn;
            if !send(&mut context, request, ends, &mut actions) {
                return (context, actions);
            }
            actions.push(acknowledge(&context, request));
        }
    }
    (context, actions)
}

fn acknowledge(context: &Context, request: &Request) -> Action {
    Action::Respond {
        psn: request.psn,
        syndrome: ACK_WITHOUT_CREDITS,
        msn: context.msn,
        required: request.ack_req,
    }
}

/// Executes a packet of a Send (CF094 to CF098). Returns false if the R_Key could not be invalidated: the request then
/// gets no answer (section 5).
fn send(context: &mut Context, request: &Request, ends: bool, actions: &mut Vec<Action>) -> bool {
    let offset = context.received();
    let received = offset + request.length as u64;
    context.open = (!ends).then_some(Open::Send { received });
    actions.push(Action::Place { offset });
    if !ends {
        return true;
    }
    let byte_count = received as u32;
    match request.invalidate {
        None => actions.push(Action::Complete {
            byte_count,
            of: Completed::Send,
        }),
        Some(r_key) if request.may_invalidate => actions.extend([
            Action::Invalidate { r_key },
            Action::Complete {
                byte_count,
                of: Completed::SendWithInvalidate { r_key },
            },
        ]),
        Some(_) => {
            actions.extend(NOT_INVALIDATED);
            return false;
        }
    }
    true
}

/// The effects of a key that cannot be invalidated.
const NOT_INVALIDATED: [Action; 2] = [
    Action::CompleteInError {
        status: Status::RemInvReqErr,
        other: Some(Status::LocQpOpErr),
    },
    Action::Fail,
];

/// Executes a packet of a Write (CF099 to CF101).
fn write(context: &mut Context, request: &Request, ends: bool) -> Vec<Action> {
    let Some(target) = context.write_target(request) else {
        return Vec::new();
    };
    let offset = context.received();
    let received = offset + request.length as u64;
    context.open = (!ends).then_some(Open::Write { target, received });
    let mut actions = vec![Action::Store {
        va: target.va.wrapping_add(offset),
        r_key: target.r_key,
    }];
    if request.uses_receive_wqe() {
        // FB27.
        actions.push(Action::Complete {
            byte_count: target.dma_len,
            of: Completed::WriteWithImmediate,
        });
    }
    actions
}

/// Returns the value that an atomic stores, if it stores one (CF103, CF104).
fn new_value(operation: Operation, request: &Request) -> Option<u64> {
    let operands = request.operands.unwrap_or_default();
    match operation {
        Operation::FetchAdd => Some(request.original.wrapping_add(operands.swap_add)),
        _ => (request.original == operands.compare).then_some(operands.swap_add),
    }
}

/// Refuses a request (section 5).
fn refuse(mut context: Context, request: &Request, syndrome: u8, psn: u32) -> (Context, Vec<Action>) {
    let nak = Action::Respond {
        psn,
        syndrome,
        msn: context.msn,
        required: true,
    };
    let in_error = |status, other| Action::CompleteInError { status, other };
    let actions = match syndrome {
        NAK_SEQUENCE => {
            context.outstanding_nak = OutstandingNak::Sequence;
            vec![nak]
        }
        NAK_INVALID_REQUEST => {
            let error = match check::too_long(&context, request) {
                Some(true) => in_error(Status::LocLenErr, None),
                Some(false) => in_error(Status::LocLenErr, Some(Status::RemInvReqErr)),
                None => in_error(Status::RemInvReqErr, None),
            };
            vec![nak, error, Action::Fail]
        }
        UNANSWERED => NOT_INVALIDATED.to_vec(),
        NAK_REMOTE_ACCESS => vec![nak, Action::ReportAccessError, Action::Fail],
        NAK_REMOTE_OPERATIONAL => {
            let error = in_error(Status::LocProtErr, Some(Status::LocQpOpErr));
            vec![nak, error, Action::Fail]
        }
        _ => {
            context.outstanding_nak = OutstandingNak::Rnr;
            vec![nak]
        }
    };
    (context, actions)
}
