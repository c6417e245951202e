//! Compares the model's outcome with the block's.
use super::put::place;
use super::Case;
use crate::decision::comparison::Comparison;
use crate::device::translation::{drop_reason, event, status};
use crate::trace::drop_reason::name;
use hca_golden::decision::protection::Right;
use hca_golden::decision::responder::{
    access, judge, needs_receive_wqe, step, takes_receive_wqe, Action, Completed, Context, Open,
    OutstandingNak,
};
use hca_golden::decision::Verdict;
use hca_golden::event::{DropReason, Event};
use hca_golden::psn;
use hca_golden::verbs::{QpState, Status};
use hca_golden::wire::length::packets;
use hca_golden::wire::opcode::Operation;
use hca_host::command::STATE_ERROR;
use hca_host::retire::{drop, Record};
use hca_sim::decision::DecisionBlock;

/// Codes of `job.kind`.
const JOB_ACK: u8 = 0;
const JOB_READ: u8 = 1;
const JOB_ATOMIC: u8 = 2;
/// Codes of `walk_right` and of a check's right.
const RIGHT_LOCAL_WRITE: usize = 1;
const RIGHT_REMOTE_WRITE: usize = 2;
const RIGHT_REMOTE_READ: usize = 3;
const RIGHT_REMOTE_ATOMIC: usize = 4;

pub const OUTCOMES: &[&str] = &[
    "OPCODE",
    "DEST_QP",
    "QP_STATE",
    "SOURCE",
    "P_KEY",
    "NAK_OUTSTANDING",
    "UNMATCHED_DUPLICATE",
    "ANSWERS_WAIT",
    "sequence NAK",
    "NAK invalid request",
    "NAK remote access error",
    "NAK remote operational error",
    "RNR NAK",
    "duplicate acknowledged",
    "duplicate answered with data",
    "duplicate answered with an original",
    "Send goes on",
    "Send ends",
    "Write goes on",
    "Write ends",
    "Read",
    "atomic",
    "receive WQE completes",
    "receive WQE completes in error",
    "LOC_LEN_ERR",
    "error without a receive WQE",
    "access error",
    "R_Key goes out of use",
    "R_Key cannot go out of use",
    "keys asked for",
    "ePSN wraps",
    "MSN wraps",
];

/// Compares verdict, context, answer, completion and memory.
pub fn compare(case: &Case, block: &DecisionBlock, c: &mut Comparison) {
    let (before, request) = (&case.context, &case.request);
    let ways = ["drop", "refuse", "acknowledge", "replay", "execute"]
        .iter()
        .filter(|way| block.is_set(&format!("verdict.{way}")));
    c.same("verdicts", 1_u64, ways.count() as u64);
    let verdict = decided(block);
    let permitted = permitted(case);
    c.permitted(
        "verdict",
        verdict.as_ref().is_ok_and(|v| permitted.contains(v)),
        || {
            permitted
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", or ")
        },
        || verdict.as_ref().map_or_else(Clone::clone, ToString::to_string),
    );
    let verdict = match verdict {
        Ok(verdict) if !c.differs() => verdict,
        _ => return,
    };
    let (after, actions) = step(before.clone(), request, verdict);
    let fails = actions.contains(&Action::Fail);
    c.same(
        "fails",
        fails,
        block.get("changed.state") == u64::from(STATE_ERROR) && case.state != QpState::Error,
    );
    let takes = block.is_set("takes");
    let open_send = matches!(before.open, Some(Open::Send { .. }));
    if verdict != Verdict::Execute || !fails {
        c.permitted(
            "takes",
            (takes || open_send || !needs_receive_wqe(before, request, verdict))
                && (!takes || !open_send && takes_receive_wqe(before, request, verdict)),
            || "as responder.md section 1 step 12 says".to_owned(),
            || takes.to_string(),
        );
    }
    c.same(
        "changed.consumer",
        case.consumer.wrapping_add(takes.into()),
        block.get("changed.consumer"),
    );
    if !fails {
        context(case, &after, block, c);
    }
    answer(case, &after, &actions, block, c);
    completion(&actions, open_send || takes, block, c);
    memory(case, &actions, verdict, block, c);
    outcomes(case, &after, &actions, verdict, c);
}

/// Returns the verdict that the record on the retire port names.
pub fn decided(block: &DecisionBlock) -> Result<Verdict, String> {
    let record = Record {
        order: 0,
        kind: block.get("record_kind") as u8,
        code: block.get("record_code") as u8,
        qpn: 0,
        psn: block.get("record_psn") as u32,
        index: 0,
    };
    Ok(match event(&record)? {
        Event::RequestExecuted { .. } => Verdict::Execute,
        Event::DuplicateRequest { .. } => Verdict::Duplicate,
        Event::RequestRefused { syndrome, psn, .. } => Verdict::Refuse { syndrome, psn },
        Event::PacketDropped { reason, .. } => Verdict::Drop(reason),
        other => return Err(format!("{other:?}")),
    })
}

/// Returns the verdicts that steps 4 to 15 permit.
fn permitted(case: &Case) -> Vec<Verdict> {
    match dropped_before(case)[..] {
        [] => judge(&case.context, &case.request)
            .iter()
            .map(|r| r.verdict)
            .collect(),
        ref reasons => reasons.iter().copied().map(Verdict::Drop).collect(),
    }
}

/// Returns the reasons for which steps 4 to 7 drop the request; the block may name any of them. Admission may have
/// judged by an earlier state of the QP; then the reason that the present state gives is permitted, too.
pub fn dropped_before(case: &Case) -> Vec<DropReason> {
    use QpState::{Rtr, Rts, Sqd, Sqe};
    let receives = matches!(case.state, Rtr | Rts | Sqd | Sqe);
    let mut reasons: Vec<DropReason> = case
        .refused
        .and_then(|code| drop_reason(code).ok())
        .into_iter()
        .collect();
    if !receives {
        // Steps 6 and 7 come after the state.
        if matches!(case.refused, Some(drop::SOURCE | drop::P_KEY)) {
            reasons.clear();
        }
        reasons.push(DropReason::QpState);
    }
    reasons
}

fn context(case: &Case, after: &Context, block: &DecisionBlock, c: &mut Comparison) {
    c.same("changed.epsn", after.expected_psn, block.get("changed.epsn"));
    c.same("changed.msn", after.msn, block.get("changed.msn"));
    c.same(
        "changed.acked_psn",
        after.ackable_psn,
        block.get("changed.acked_psn"),
    );
    c.same(
        "changed.nak_outstanding",
        after.outstanding_nak != OutstandingNak::None,
        block.get("changed.nak_outstanding"),
    );
    c.same(
        "changed.rnr_outstanding",
        after.outstanding_nak == OutstandingNak::Rnr,
        block.get("changed.rnr_outstanding"),
    );
    open_message(after, block, c);
    let stores = after.resources != case.context.resources;
    c.same("stores", stores, block.get("stores"));
    c.same(
        "changed.taken",
        (case.taken + u8::from(stores)) % 32,
        block.get("changed.taken"),
    );
    let kept = (case.kept + usize::from(stores)).min(case.depth.max(case.kept));
    c.same("changed.stored", kept as u64, block.get("changed.stored"));
}

/// Compares the message that is under way after the request.
pub fn open_message(after: &Context, block: &DecisionBlock, c: &mut Comparison) {
    let (send, write) = (
        matches!(after.open, Some(Open::Send { .. })),
        matches!(after.open, Some(Open::Write { .. })),
    );
    c.same("changed.open_send", send, block.get("changed.open_send"));
    c.same("changed.open_write", write, block.get("changed.open_write"));
    if let Some(open) = after.open {
        c.same("changed.received", open.received(), block.get("changed.received"));
    }
    if let Some(Open::Write { target, received }) = after.open {
        c.same(
            "changed.write_va",
            target.va.wrapping_add(received),
            block.get("changed.write_va"),
        );
        c.same("changed.write_key", target.r_key, block.get("changed.write_key"));
        let left = u64::from(target.dma_len) - received;
        c.same("changed.write_left", left, block.get("changed.write_left"));
    }
}

fn answer(case: &Case, after: &Context, actions: &[Action], block: &DecisionBlock, c: &mut Comparison) {
    let last = |psn: u32, length: u32| psn::add(psn, packets(length.into(), after.pmtu) - 1);
    let job = |field: &str| block.get(&format!("job.{field}"));
    let new = after.expected_psn != case.context.expected_psn;
    let mut answers = false;
    for action in actions {
        match *action {
            Action::Respond {
                psn, syndrome, msn, ..
            } => {
                answers = true;
                c.same("job.kind", JOB_ACK, job("kind"));
                let behind = actions.iter().find_map(|a| match a {
                    Action::RespondLast { psn, .. } => Some(*psn),
                    _ => None,
                });
                let actual = job("psn") as u32;
                c.permitted(
                    "job.psn",
                    actual == psn || Some(actual) == behind,
                    || format!("{psn:X}h, or {:X}h at last", behind.unwrap_or(psn)),
                    || format!("{actual:X}h"),
                );
                c.same("job.syndrome", syndrome, job("syndrome"));
                c.same("job.msn", msn, job("msn"));
            }
            Action::RespondWithData { psn, data, msn } => {
                answers = true;
                c.same("job.kind", JOB_READ, job("kind"));
                c.same("job.psn", psn, job("psn"));
                c.same("job.msn", msn, job("msn"));
                c.same("job.va", data.va, job("va"));
                c.same("job.r_key", data.r_key, job("r_key"));
                c.same("job.length", data.dma_len, job("length"));
                c.same("last_psn", last(psn, data.dma_len), block.get("last_psn"));
            }
            Action::RespondWithOriginal { psn, msn, .. } => {
                answers = true;
                c.same("job.kind", JOB_ATOMIC, job("kind"));
                c.same("job.psn", psn, job("psn"));
                c.same("job.msn", msn, job("msn"));
                c.same("last_psn", psn, block.get("last_psn"));
                let slot = match new {
                    true => u64::from(case.taken % 16),
                    false => place(case),
                };
                c.same("job.slot", slot, job("slot"));
            }
            _ => {}
        }
    }
    c.same("answers", answers, block.get("answers"));
}

/// Compares whether a receive WQE completes, and with which byte count. In error it completes only if the QP has one.
pub fn completion(actions: &[Action], has_wqe: bool, block: &DecisionBlock, c: &mut Comparison) {
    let mut completes = false;
    for action in actions {
        match *action {
            Action::Complete { byte_count, .. } => {
                completes = true;
                c.same("byte_count", byte_count, block.get("byte_count"));
            }
            Action::CompleteInError { status: due, other } => {
                completes = has_wqe;
                let actual = status(block.get("verdict.status") as u8);
                c.permitted(
                    "verdict.status",
                    !has_wqe || actual.as_ref().is_ok_and(|s| *s == due || Some(*s) == other),
                    || format!("{due:?} or {other:?}"),
                    || format!("{actual:?}"),
                );
            }
            _ => {}
        }
    }
    c.same("completes", completes, block.get("completes"));
}

/// Compares the bytes that are requested, and their use.
fn memory(case: &Case, actions: &[Action], verdict: Verdict, block: &DecisionBlock, c: &mut Comparison) {
    let (before, request) = (&case.context, &case.request);
    let invalidates = actions.iter().any(|a| matches!(a, Action::Invalidate { .. }));
    c.same("invalidates", invalidates, block.get("invalidates"));
    if verdict != Verdict::Execute {
        return;
    }
    let is_send = request.opcode.is_some_and(|o| o.operation == Operation::Send);
    let wanted = access(before, request);
    c.same(
        "walks",
        wanted.is_some() || is_send && request.length != 0,
        block.get("walks"),
    );
    if let Some(wanted) = wanted {
        let right = match wanted.right {
            Right::RemoteWrite => RIGHT_REMOTE_WRITE,
            Right::RemoteRead => RIGHT_REMOTE_READ,
            Right::RemoteAtomic => RIGHT_REMOTE_ATOMIC,
            Right::LocalRead | Right::LocalWrite => RIGHT_LOCAL_WRITE,
        };
        c.same("walk_right", right as u64, block.get("walk_right"));
        c.same("walk_va", wanted.va, block.get("walk_va"));
        c.same("walk_key", wanted.key, block.get("walk_key"));
        // For a Write that continues, the whole rest of the target is walked, at least the packet's part.
        let span = block.get("walk_span");
        let left = match before.open {
            Some(Open::Write { target, received }) => u64::from(target.dma_len) - received,
            _ => wanted.length,
        };
        c.permitted(
            "walk_span",
            (wanted.length..=left).contains(&span),
            || format!("{:X}h to {left:X}h", wanted.length),
            || format!("{span:X}h"),
        );
        c.outcome("keys asked for");
    }
    written(request.length, actions, block, c);
}

/// Compares the bytes that are written.
pub fn written(length: usize, actions: &[Action], block: &DecisionBlock, c: &mut Comparison) {
    for action in actions {
        match *action {
            Action::Place { offset } if length != 0 => {
                c.same("walk_right", RIGHT_LOCAL_WRITE as u64, block.get("walk_right"));
                c.same("walk_offset", offset, block.get("walk_offset"));
                c.same("walk_length", length as u64, block.get("walk_length"));
            }
            Action::Store { va, r_key } if length != 0 => {
                c.same("walk_va", va, block.get("walk_va"));
                c.same("walk_key", r_key, block.get("walk_key"));
                c.same("walk_offset", 0_u64, block.get("walk_offset"));
                c.same("walk_length", length as u64, block.get("walk_length"));
            }
            Action::StoreAtomic { va, r_key, .. } => {
                c.same("walk_va", va, block.get("walk_va"));
                c.same("walk_key", r_key, block.get("walk_key"));
                c.same("walk_length", 8_u64, block.get("walk_length"));
            }
            _ => {}
        }
    }
}

fn outcomes(case: &Case, after: &Context, actions: &[Action], verdict: Verdict, c: &mut Comparison) {
    c.outcome(match verdict {
        Verdict::Drop(reason) => name(reason),
        Verdict::Refuse { syndrome: 0x00, .. } => "R_Key cannot go out of use",
        Verdict::Refuse { syndrome: 0x60, .. } => "sequence NAK",
        Verdict::Refuse { syndrome: 0x61, .. } => "NAK invalid request",
        Verdict::Refuse { syndrome: 0x62, .. } => "NAK remote access error",
        Verdict::Refuse { syndrome: 0x63, .. } => "NAK remote operational error",
        Verdict::Refuse { .. } => "RNR NAK",
        Verdict::Duplicate | Verdict::Accept => match actions {
            [Action::RespondWithData { .. }] => "duplicate answered with data",
            [Action::RespondWithOriginal { .. }] => "duplicate answered with an original",
            _ => "duplicate acknowledged",
        },
        Verdict::Execute => match (case.request.opcode.map(|o| o.operation), after.open) {
            (Some(Operation::Send), None) => "Send ends",
            (Some(Operation::Send), Some(_)) => "Send goes on",
            (Some(Operation::Write), None) => "Write ends",
            (Some(Operation::Write), Some(_)) => "Write goes on",
            (Some(Operation::Read), _) => "Read",
            _ => "atomic",
        },
    });
    if after.expected_psn < case.context.expected_psn {
        c.outcome("ePSN wraps");
    }
    if after.msn < case.context.msn {
        c.outcome("MSN wraps");
    }
    for action in actions {
        match action {
            Action::Invalidate { .. } => c.outcome("R_Key goes out of use"),
            Action::ReportAccessError => c.outcome("access error"),
            Action::Complete {
                of: Completed::Send, ..
            } => c.outcome("receive WQE completes"),
            Action::CompleteInError { status, .. } => {
                c.outcome(match case.context.open {
                    Some(Open::Send { .. }) => "receive WQE completes in error",
                    _ => "error without a receive WQE",
                });
                if *status == Status::LocLenErr {
                    c.outcome("LOC_LEN_ERR");
                }
            }
            _ => {}
        }
    }
}
