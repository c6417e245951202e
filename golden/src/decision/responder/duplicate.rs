//! Duplicates (`responder.md` section 6).
use super::{Action, Context, Request};
use crate::decision::Verdict;
use crate::event::DropReason;
use crate::wire::aeth::ACK_WITHOUT_CREDITS;
use crate::wire::opcode::Operation;

/// Returns the permitted verdicts on a duplicate. A duplicate never gets a NAK.
pub(super) fn verdicts(context: &Context, request: &Request) -> Vec<Verdict> {
    let discard = Verdict::Drop(DropReason::UnmatchedDuplicate);
    // A device without remote access treats a Read as an unknown opcode.
    let unknown = Verdict::Drop(DropReason::Opcode);
    match request.operation() {
        Some(Operation::Send | Operation::Write) => vec![Verdict::Duplicate],
        Some(_) if is_stored(context, request) => vec![Verdict::Duplicate],
        Some(_) if !context.remote_access => vec![unknown],
        Some(_) => vec![discard],
        None => vec![unknown, discard, Verdict::Duplicate],
    }
}

/// Returns the answers that a duplicate causes again.
pub(super) fn answers(context: &Context, request: &Request) -> Vec<Action> {
    let (psn, msn) = (request.psn, context.msn);
    match (request.operation(), request.target) {
        (Some(Operation::Read), Some(data)) => vec![Action::RespondWithData { psn, data, msn }],
        (Some(Operation::CompareSwap | Operation::FetchAdd), _) => vec![Action::RespondWithOriginal {
            psn,
            original: original(context, request).unwrap_or_default(),
            msn,
            again: true,
        }],
        _ => acknowledge_again(context, request),
    }
}

/// Returns true if a waiting answer to a duplicate of the atomic with this PSN has lost its saved value to the atomic
/// that was just executed (AD: [`event`](crate::event)).
pub fn is_superseded(context: &Context, psn: u32) -> bool {
    !context.resources.keeps_atomic(psn)
}

fn is_stored(context: &Context, request: &Request) -> bool {
    match (request.operation(), request.target) {
        (Some(Operation::Read), Some(target)) => {
            context.resources.matches_read(request.psn, &target, context.pmtu)
        }
        _ => original(context, request).is_some(),
    }
}

fn original(context: &Context, request: &Request) -> Option<u64> {
    context.resources.original(request.psn, request.opcode?.value)
}

/// Acknowledges again, with the current MSN, the latest executed Send or Write before any response that is still owed
/// (CF117, CF118, CF124). The ack never carries the PSN of a Read (CF125). A device may also wait until those responses
/// have left, and then acknowledge the latest request of all, in order.
fn acknowledge_again(context: &Context, request: &Request) -> Vec<Action> {
    let owed = context.resources.first_owed();
    let (syndrome, msn) = (ACK_WITHOUT_CREDITS, context.msn);
    vec![
        Action::Respond {
            psn: owed.map_or(context.ackable_psn, |r| r.ackable_psn),
            syndrome,
            msn,
            required: request.ack_req,
        },
        Action::RespondLast {
            psn: context.ackable_psn,
            syndrome,
            msn,
        },
    ]
}
