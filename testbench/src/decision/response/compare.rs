//! Compares the model's outcome with the block's.
use super::case::{ahead, Case, NOW, STARTED};
use crate::decision::comparison::Comparison;
use crate::decision::flight::span;
use crate::device::translation::{drop_reason, rewind_cause, status};
use crate::trace::drop_reason::name;
use hca_golden::decision::requester::{accept, expire, judge, psn_of, Action, Context, Kind};
use hca_golden::decision::Verdict;
use hca_golden::event::{DropReason, RewindCause};
use hca_golden::verbs::{QpState, Status};
use hca_host::retire::drop;
use hca_sim::decision::DecisionBlock;

pub const OUTCOMES: &[&str] = &[
    "OPCODE",
    "DEST_QP",
    "QP_STATE",
    "SOURCE",
    "P_KEY",
    "GHOST_RESPONSE",
    "DUPLICATE_RESPONSE",
    "RESERVED_SYNDROME",
    "acknowledges",
    "data",
    "original",
    "goes back for a sequence NAK",
    "goes back for an implied NAK",
    "waits as an RNR NAK asks",
    "goes back for a timeout",
    "has a retry under way",
    "BAD_RESP_ERR",
    "LOC_LEN_ERR",
    "LOC_PROT_ERR",
    "REM_INV_REQ_ERR",
    "REM_ACCESS_ERR",
    "REM_OP_ERR",
    "RETRY_EXC_ERR",
    "RNR_RETRY_EXC_ERR",
    "several WQEs complete",
    "all is acknowledged",
    "the next Read or atomic is the oldest",
];

/// Compares verdict, completions, retry counters, timer, and the row.
pub fn compare(case: &Case, block: &DecisionBlock, c: &mut Comparison) {
    let Some(response) = &case.response else {
        let (after, actions) = expire(case.flight.context.clone());
        if after.rewind.is_some() {
            c.outcome("goes back for a timeout");
        }
        return effect(case, &after, &actions, block, c);
    };
    let ways = [
        "drop", "ack", "data", "atomic", "lost", "sequence_nak", "rnr_nak", "fatal",
    ]
    .iter()
    .filter(|way| block.is_set(&format!("verdict.{way}")));
    c.same("verdicts", 1_u64, ways.count() as u64);
    let verdict = match block.is_set("verdict.drop") {
        true => drop_reason(block.get("verdict.drop_reason") as u8).map(Verdict::Drop),
        false => Ok(Verdict::Accept),
    };
    let permitted = permitted(case);
    c.permitted(
        "verdict",
        verdict.as_ref().is_ok_and(|v| permitted.contains(v)),
        || {
            let all: Vec<String> = permitted.iter().map(ToString::to_string).collect();
            all.join(", or ")
        },
        || verdict.as_ref().map_or_else(Clone::clone, ToString::to_string),
    );
    match verdict {
        Ok(Verdict::Drop(reason)) => c.outcome(name(reason)),
        Ok(_) if !c.differs() => {
            let (after, actions) = accept(case.flight.context.clone(), response, NOW);
            placed(case, &actions, block, c);
            kinds(case, &after, &actions, c);
            effect(case, &after, &actions, block, c);
        }
        _ => {}
    }
}

/// Returns the verdicts that `responder.md` section 1 steps 4 to 7 and `requester.md` section 5 permit.
fn permitted(case: &Case) -> Vec<Verdict> {
    let takes = matches!(case.state, QpState::Rts | QpState::Sqd);
    let mut reasons: Vec<DropReason> = case
        .refused
        .and_then(|code| drop_reason(code).ok())
        .into_iter()
        .collect();
    if !takes {
        // Steps 6 and 7 come after the state.
        if matches!(case.refused, Some(drop::SOURCE | drop::P_KEY)) {
            reasons.clear();
        }
        reasons.push(DropReason::QpState);
    }
    match (&reasons[..], &case.response) {
        ([], Some(response)) => {
            let rulings = judge(&case.flight.context, response);
            rulings.iter().map(|r| r.verdict).collect()
        }
        _ => reasons.into_iter().map(Verdict::Drop).collect(),
    }
}

/// Compares the payload and the original values that are written.
fn placed(case: &Case, actions: &[Action], block: &DecisionBlock, c: &mut Comparison) {
    let faulty = case.response.as_ref().is_some_and(|r| !r.permitted);
    let (mut data, mut original) = (false, false);
    for action in actions {
        match *action {
            Action::Place { index, offset } => {
                data = true;
                c.same("row.read_wqe", index, block.get("row.read_wqe"));
                c.same("verdict.offset", offset, block.get("verdict.offset"));
            }
            Action::PlaceOriginal { index, .. } => {
                original = true;
                c.same("row.read_wqe", index, block.get("row.read_wqe"));
            }
            _ => {}
        }
    }
    c.same("verdict.data", data, !faulty && block.is_set("verdict.data"));
    c.same(
        "verdict.atomic",
        original,
        !faulty && block.is_set("verdict.atomic"),
    );
}

/// Compares the completions and, unless the QP has failed, the row.
fn effect(case: &Case, after: &Context, actions: &[Action], block: &DecisionBlock, c: &mut Comparison) {
    let before = &case.flight.context;
    let fails = actions.contains(&Action::Fail);
    c.same("fails", fails, block.get("fails"));
    let bound = before.unacknowledged + ahead(before.unacknowledged, block.get("bound"));
    let full = case.flight.pmtu.bytes();
    let complete = before
        .messages
        .iter()
        .take_while(|m| m.end(full).is_some_and(|end| end <= bound));
    let due = actions.iter().filter(|a| {
        let success = Status::Success;
        matches!(a, Action::Complete { status, .. } if *status == success)
    });
    c.same("WQEs complete", due.count() as u64, complete.count() as u64);
    if fails {
        for action in actions {
            if let Action::Complete {
                status: due, other, ..
            } = *action
            {
                if due != Status::Success {
                    let actual = status(block.get("status") as u8);
                    c.permitted(
                        "status",
                        actual.as_ref().is_ok_and(|s| *s == due || Some(*s) == other),
                        || format!("{due:?} or {other:?}"),
                        || format!("{actual:?}"),
                    );
                    c.outcome(failure(due));
                }
            }
        }
        return;
    }
    row(case, after, block, c);
    timer(case, after, block, c);
}

fn row(case: &Case, after: &Context, block: &DecisionBlock, c: &mut Comparison) {
    let changed = |field: &str| block.get(&format!("changed.{field}"));
    c.same("bound", psn_of(after.unacknowledged), block.get("bound"));
    c.same("changed.una", psn_of(after.unacknowledged), changed("una"));
    c.same("changed.retries", after.retries, changed("retries"));
    c.same("changed.rnr_retries", after.rnr_retries, changed("rnr_retries"));
    c.same("changed.retrying", after.retrying.is_some(), changed("retrying"));
    c.same("changed.rewinding", after.rewind.is_some(), changed("rewinding"));
    if let Some(rewind) = after.rewind {
        let cause = rewind_cause(changed("cause") as u8);
        c.permitted(
            "changed.cause",
            cause == Ok(rewind.cause),
            || format!("{:?}", rewind.cause),
            || format!("{cause:?}"),
        );
    }
    let waits = match after.rewind {
        Some(rewind) if rewind.not_before > NOW => true,
        Some(rewind) => case.waiting && rewind.cause == RewindCause::RnrWaitOver,
        None => false,
    };
    c.same("changed.waiting", waits, changed("waiting"));
    let wrapped = after.unacknowledged - after.start >= u64::from(crate::decision::limits::HALF);
    c.same("changed.wrapped", wrapped, changed("wrapped"));
    for field in ["psn", "started", "current", "offset", "start", "resent"] {
        let name = format!("changed.{field}");
        c.same(&name, block.get(&format!("row.{field}")), changed(field));
    }

    let full = case.flight.pmtu.bytes();
    let mut reads = case
        .flight
        .reads()
        .filter(|m| m.end(full).is_some_and(|end| end > after.unacknowledged));
    c.same("changed.reads", reads.clone().count() as u64, changed("reads"));
    if let Some(oldest) = reads.next() {
        let (first, last) = span(oldest, case.flight.pmtu);
        c.same("changed.read_first", first, changed("read_first"));
        c.same("changed.read_last", last, changed("read_last"));
        c.same("changed.read_wqe", oldest.index, changed("read_wqe"));
        c.same(
            "changed.read_atomic",
            oldest.operation.is_atomic(),
            changed("read_atomic"),
        );
        if case.flight.reads().next() != Some(oldest) {
            c.outcome("the next Read or atomic is the oldest");
        }
    }
}

/// Compares whether the ack timer starts anew, stops, or continues.
fn timer(case: &Case, after: &Context, block: &DecisionBlock, c: &mut Comparison) {
    let sets = block.is_set("sets_timer");
    let (waits, runs) = (block.is_set("waits"), block.is_set("runs"));
    let starts_wait = after.rewind.is_some_and(|r| r.not_before > NOW);
    c.same("waits", starts_wait, waits && sets);
    let hardware = match (sets, case.flight.context.timer) {
        (true, _) if runs && !waits => Some(NOW),
        (true, _) => None,
        (false, timer) => timer.map(|_| STARTED),
    };
    c.permitted(
        "ack timer",
        after.timer.map(|t| t.since) == hardware,
        || format!("{:?}", after.timer),
        || format!("{hardware:?}"),
    );
}

fn failure(status: Status) -> &'static str {
    match status {
        Status::BadRespErr => "BAD_RESP_ERR",
        Status::LocLenErr => "LOC_LEN_ERR",
        Status::LocProtErr => "LOC_PROT_ERR",
        Status::RemInvReqErr => "REM_INV_REQ_ERR",
        Status::RemAccessErr => "REM_ACCESS_ERR",
        Status::RemOpErr => "REM_OP_ERR",
        Status::RetryExcErr => "RETRY_EXC_ERR",
        Status::RnrRetryExcErr => "RNR_RETRY_EXC_ERR",
        _ => "another status",
    }
}

fn kinds(case: &Case, after: &Context, actions: &[Action], c: &mut Comparison) {
    let before = &case.flight.context;
    let mut due = 0;
    for action in actions {
        match action {
            Action::Place { .. } => c.outcome("data"),
            Action::PlaceOriginal { .. } => c.outcome("original"),
            Action::Complete { .. } => due += 1,
            Action::Fail => {}
        }
    }
    if due > 1 {
        c.outcome("several WQEs complete");
    }
    if actions.contains(&Action::Fail) {
        return;
    }
    if after.unacknowledged == after.next {
        c.outcome("all is acknowledged");
    }
    let acknowledges = case
        .response
        .as_ref()
        .is_some_and(|r| r.kind == Kind::Acknowledge);
    match after.rewind {
        Some(rewind) if before.rewind.map(|r| r.cause) != Some(rewind.cause) => {
            c.outcome(match rewind.cause {
                RewindCause::SequenceNak => "goes back for a sequence NAK",
                RewindCause::ImpliedNak => "goes back for an implied NAK",
                RewindCause::RnrWaitOver => "waits as an RNR NAK asks",
                RewindCause::AckTimeout => "goes back for a timeout",
            })
        }
        _ if after == before => c.outcome("has a retry under way"),
        _ if acknowledges && after.unacknowledged > before.unacknowledged => c.outcome("acknowledges"),
        _ => {}
    }
}
