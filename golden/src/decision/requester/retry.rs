//! How the requester goes back: causes, counters and timers (`requester.md` section 7).
use super::context::{Action, Context, Late, FOREVER};
use super::rewind::Rewind;
use crate::decision::timer::{rnr_delay, AckTimer};
use crate::event::{RewindCause, LATE_REQUESTS};
use crate::verbs::Status;

/// Goes back to `position`, or ends the oldest WQE if no retry is left (CF189). A NAK that repeats the cause of a retry
/// under way changes nothing.
pub(super) fn retry(context: &mut Context, position: u64, cause: RewindCause) -> Vec<Action> {
    let under_way = context.retrying == Some(position) && cause != RewindCause::AckTimeout;
    let scheduled = context.rewind.is_some_and(|r| r.position == position);
    if under_way || scheduled {
        return Vec::new();
    }
    if !context.limits.retransmits || context.retries == 0 {
        return give_up(context, Status::RetryExcErr);
    }
    context.retries -= 1;
    context.retrying = Some(position);
    go_back(context, position, cause, 0);
    Vec::new()
}

/// Waits for the delay of an RNR NAK, then sends again from `position` (CF112 to CF115). The ack timer does not run
/// meanwhile (FB07).
pub(super) fn wait(context: &mut Context, position: u64, timer: u8, now: u64) -> Vec<Action> {
    let waiting = |r: Rewind| r.position == position && r.cause == RewindCause::RnrWaitOver;
    if context.rewind.is_some_and(waiting) {
        return Vec::new();
    }
    if !context.limits.retransmits || context.rnr_retries == 0 {
        return give_up(context, Status::RnrRetryExcErr);
    }
    if context.limits.rnr_retry != FOREVER {
        context.rnr_retries -= 1;
    }
    go_back(
        context,
        position,
        RewindCause::RnrWaitOver,
        now + rnr_delay(timer),
    );
    Vec::new()
}

/// Notes that positions up to `acknowledged` are answered: the retry counters start anew, and fewer packets have to be
/// sent again (CF190).
pub(super) fn progress(context: &mut Context, acknowledged: u64, now: u64) {
    if acknowledged == context.unacknowledged {
        return;
    }
    if context.cursor < acknowledged {
        context.late.get_or_insert(Late {
            position: context.cursor,
            left: LATE_REQUESTS,
        });
    }
    context.unacknowledged = acknowledged;
    context.retries = context.limits.retry_cnt;
    context.retrying = None;
    let all = acknowledged == context.next;
    if all {
        context.cursor = context.next;
    }
    match &mut context.rewind {
        Some(rewind) if all => {
            debug_assert!(rewind.position <= acknowledged);
            context.rewind = None;
        }
        Some(rewind) => rewind.position = rewind.position.max(acknowledged),
        None => {}
    }
    context.timer = (!all && context.rewind.is_none()).then(|| AckTimer::start(now));
}

/// Returns the earliest and latest time at which the ack timer may expire, in picoseconds; `None` if it does not run.
pub fn timer_window(context: &Context) -> Option<(u64, u64)> {
    if !context.limits.retransmits {
        return None;
    }
    context
        .timer
        .and_then(|timer| timer.window(context.limits.timeout))
}

/// Applies the expiry of the ack timer (CF186).
pub fn expire(mut context: Context) -> (Context, Vec<Action>) {
    let oldest = context.unacknowledged;
    let actions = retry(&mut context, oldest, RewindCause::AckTimeout);
    (context, actions)
}

/// Goes back: the next packet is the one at the position of the rewind, and no earlier one leaves any more.
pub fn rewind(mut context: Context, now: u64) -> Context {
    if let Some(rewind) = context.rewind.take() {
        context.cursor = rewind.position;
        context.late = None;
        context.answered.clear();
        context.timer = (context.outstanding() != 0).then(|| AckTimer::start(now));
    }
    context
}

fn go_back(context: &mut Context, position: u64, cause: RewindCause, not_before: u64) {
    context.timer = None;
    context.rewind = Some(Rewind {
        position,
        cause,
        not_before,
        late: 0,
    });
}

/// Ends the oldest WQE with this status because no retry is left.
pub(super) fn give_up(context: &Context, status: Status) -> Vec<Action> {
    end(context, status, None)
}

/// Ends the oldest WQE in error and moves the QP to Error (CF181). `other` is a status that may replace `status`.
pub(super) fn end(context: &Context, status: Status, other: Option<Status>) -> Vec<Action> {
    let Some(message) = context.messages.front() else {
        return Vec::new();
    };
    let index = message.index;
    vec![Action::Complete { index, status, other }, Action::Fail]
}
