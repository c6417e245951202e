//! Gates that hold a request packet back (`requester.md` section 1, 3 and 4).
use super::context::{Context, WINDOW};
use super::{credit, Message, Plan};
use crate::event::LATE_REQUESTS;
use crate::verbs::QpState;

/// A reason why a request packet has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The QP's state lets no message start.
    State,
    /// 2^23 PSNs are outstanding.
    Window,
    /// Earlier reads and atomics are not complete.
    Fence,
    /// max_rd_atomic reads and atomics are under way.
    ReadDepth,
    /// The peer has announced no receive WQE for this message or for an earlier one.
    Credits,
    /// The requester has to go back before it sends anything else.
    Rewind,
}

struct Check {
    gate: Gate,
    closed: fn(&Context, QpState, &Plan) -> bool,
}

const CHECKS: [Check; 6] = [
    Check {
        // Section 3, CF239.
        gate: Gate::State,
        closed: |_, state, plan| plan.starts && state != QpState::Rts,
    },
    Check {
        // Section 1, CF286; positions, so that nothing wraps (FB01).
        gate: Gate::Window,
        closed: |context, _, plan| {
            let end = plan.position + u64::from(plan.psns);
            end > context.next && end - context.unacknowledged > WINDOW
        },
    },
    Check {
        // Section 3, CF162. The fence waits for nothing else (FB25, CF163).
        gate: Gate::Fence,
        closed: |context, _, plan| {
            let mut earlier = context.messages.iter().take_while(|m| m.index != plan.index);
            let fence = message(context, plan).is_some_and(|m| m.fence);
            plan.starts && fence && earlier.any(|m| m.operation.is_read_or_atomic())
        },
    },
    Check {
        // Section 3, CF164, CF165.
        gate: Gate::ReadDepth,
        closed: |context, _, plan| {
            let counts = message(context, plan).is_some_and(|m| m.operation.is_read_or_atomic());
            plan.starts && counts && reads_under_way(context) >= context.limits.max_rd_atomic.into()
        },
    },
    Check {
        // Section 4, CF197 to CF203; a packet that is sent again is never held back.
        gate: Gate::Credits,
        closed: |context, _, plan| credit::stops(context, plan),
    },
    Check {
        // Section 6 and 7.
        gate: Gate::Rewind,
        closed: |context, _, _| context.rewind.is_some_and(|r| r.late >= LATE_REQUESTS),
    },
];

/// Returns the gate that holds the packet back, if one does.
pub fn closed(context: &Context, state: QpState, plan: &Plan) -> Option<Gate> {
    let check = CHECKS.iter().find(|c| (c.closed)(context, state, plan))?;
    Some(check.gate)
}

/// Returns true if every started message is complete (section 9).
pub fn is_drained(context: &Context) -> bool {
    context.messages.iter().all(|m| m.first.is_none())
}

/// Returns the number of Reads and atomics that are started and not answered.
fn reads_under_way(context: &Context) -> usize {
    let under_way = |m: &&Message| m.operation.is_read_or_atomic() && m.first.is_some();
    context.messages.iter().filter(under_way).count()
}

fn message<'a>(context: &'a Context, plan: &Plan) -> Option<&'a Message> {
    context.messages.iter().find(|m| m.index == plan.index)
}
