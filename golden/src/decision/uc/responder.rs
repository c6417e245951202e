//! UC responder (`uc.md` section 3): the ordered checks of a request, and what follows from them.
use crate::decision::responder::{Action, Completed, Context, Open, Request, UNANSWERED};
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::psn;
use crate::verbs::Status;
use crate::wire::length::{self, MAX_MESSAGE_BYTES};
use crate::wire::opcode::{Header, Operation};
use crate::wire::reth::Reth;

/// Outcome of a check.
enum Outcome {
    Pass,
    Fault(Verdict),
    /// A fault that the device may find or ignore.
    Possible(Verdict),
}

struct Check {
    citation: &'static str,
    judge: fn(&Context, &Request) -> Outcome,
}

/// The checks of section 3, in order; the first that fails decides.
const CHECKS: [Check; 9] = [
    Check {
        citation: "uc.md section 3 step 8",
        judge: |c, r| {
            drop_unless(
                begins(r) || r.psn == c.expected_psn,
                DropReason::UnreliableSequence,
            )
        },
    },
    Check {
        citation: "uc.md section 3 step 9",
        judge: |c, r| drop_unless(begins(r) || continues(c, r), DropReason::UnreliableSequence),
    },
    Check {
        citation: "uc.md section 3 step 10",
        judge: |c, r| drop_unless(!is_write(r) || c.enabled.write, DropReason::UnreliableAccess),
    },
    Check {
        citation: "uc.md section 3 step 11",
        judge: |_, r| {
            let ready = !is_send(r) || !begins(r) || r.receive_wqe.is_some();
            drop_unless(ready, DropReason::NoReceiveWqe)
        },
    },
    Check {
        citation: "uc.md section 3 step 12",
        judge: |c, r| drop_unless(lengths_are_legal(c, r), DropReason::UnreliableLength),
    },
    Check {
        citation: "uc.md section 3 step 13",
        judge: |_, r| drop_unless(r.permitted, DropReason::UnreliableAccess),
    },
    Check {
        citation: "uc.md section 3 step 14",
        judge: |_, r| {
            let ready = !has_immediate(r) || r.receive_wqe.is_some();
            drop_unless(ready, DropReason::NoReceiveWqe)
        },
    },
    Check {
        citation: "uc.md section 3 step 15",
        judge: |_, r| {
            let sound = !is_send(r) || r.receive_wqe.is_none_or(|w| w.payload_permitted);
            match sound {
                true => Outcome::Pass,
                false => Outcome::Fault(local_fault(r)),
            }
        },
    },
    Check {
        citation: "uc.md section 3 step 15",
        judge: |_, r| {
            let sound = !is_send(r) || r.receive_wqe.is_none_or(|w| w.permitted);
            match sound {
                true => Outcome::Pass,
                false => Outcome::Possible(local_fault(r)),
            }
        },
    },
];

/// Returns the context in which a packet is judged: a first or only packet abandons the open message (step 9).
pub fn met_by(context: &Context, opcode_begins: bool) -> Context {
    let open = context.open.filter(|_| !opcode_begins);
    Context {
        open,
        ..context.clone()
    }
}

/// Returns the permitted verdicts on a request in the context that [`met_by`] returns, the model's own choice first.
pub fn judge(context: &Context, request: &Request) -> Vec<Ruling> {
    let mut possible = Vec::new();
    for check in &CHECKS {
        match (check.judge)(context, request) {
            Outcome::Pass => {}
            Outcome::Fault(verdict) => return vec![verdict.by(check.citation)],
            Outcome::Possible(verdict) => possible.push(verdict.by(check.citation)),
        }
    }
    possible.insert(0, Verdict::Execute.by("uc.md section 3 steps 15 and 16"));
    possible
}

/// Returns true if section 3 lists a drop for this reason, so that the drop changes the context.
pub fn decides(reason: DropReason) -> bool {
    use DropReason::{NoReceiveWqe, UnreliableAccess, UnreliableLength, UnreliableSequence};
    matches!(
        reason,
        NoReceiveWqe | UnreliableAccess | UnreliableLength | UnreliableSequence
    )
}

/// Returns true if this verdict on a request requires that its receive WQE was taken.
pub fn needs_receive_wqe(request: &Request, verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Execute | Verdict::Refuse { .. })
        && (is_send(request) || has_immediate(request))
}

/// Applies a verdict on a request.
pub fn step(context: Context, request: &Request, verdict: Verdict) -> (Context, Vec<Action>) {
    let in_turn = begins(request) || request.psn == context.expected_psn;
    let mut context = met_by(&context, begins(request));
    if in_turn {
        context.expected_psn = psn::add(request.psn, 1);
    }
    match verdict {
        Verdict::Execute if is_write(request) => write(context, request),
        Verdict::Execute => send(context, request),
        Verdict::Refuse { .. } => {
            let error = Action::CompleteInError {
                status: Status::LocProtErr,
                other: Some(Status::LocQpOpErr),
            };
            (context, vec![error, Action::Fail])
        }
        // The open message is abandoned: until the next first or only packet nothing continues it.
        _ => {
            context.open = None;
            (context, Vec::new())
        }
    }
}

fn send(mut context: Context, request: &Request) -> (Context, Vec<Action>) {
    let offset = received(&context);
    let bytes = offset + request.length as u64;
    let mut actions = vec![Action::Place { offset }];
    context.open = (!ends(request)).then_some(Open::Send { received: bytes });
    if ends(request) {
        actions.push(Action::Complete {
            byte_count: bytes as u32,
            of: Completed::Send,
        });
    }
    (context, actions)
}

fn write(mut context: Context, request: &Request) -> (Context, Vec<Action>) {
    let Some(target) = write_target(&context, request) else {
        return (context, Vec::new());
    };
    let offset = received(&context);
    let bytes = offset + request.length as u64;
    context.open = (!ends(request)).then_some(Open::Write {
        target,
        received: bytes,
    });
    let mut actions = vec![Action::Store {
        va: target.va.wrapping_add(offset),
        r_key: target.r_key,
    }];
    if has_immediate(request) {
        actions.push(Action::Complete {
            byte_count: target.dma_len,
            of: Completed::WriteWithImmediate,
        });
    }
    (context, actions)
}

fn drop_unless(sound: bool, reason: DropReason) -> Outcome {
    match sound {
        true => Outcome::Pass,
        false => Outcome::Fault(Verdict::Drop(reason)),
    }
}

fn local_fault(request: &Request) -> Verdict {
    Verdict::Refuse {
        syndrome: UNANSWERED,
        psn: request.psn,
    }
}

fn begins(request: &Request) -> bool {
    request.opcode.is_some_and(|o| o.begins())
}

fn ends(request: &Request) -> bool {
    request.opcode.is_some_and(|o| o.ends())
}

fn is_send(request: &Request) -> bool {
    request.opcode.is_some_and(|o| o.operation == Operation::Send)
}

fn is_write(request: &Request) -> bool {
    request.opcode.is_some_and(|o| o.operation == Operation::Write)
}

/// Returns true for a last or only packet of a Write with immediate, which takes a receive WQE. A Send has held its own
/// since its first packet.
fn has_immediate(request: &Request) -> bool {
    is_write(request) && request.opcode.is_some_and(|o| o.headers.contains(&Header::ImmDt))
}

fn continues(context: &Context, request: &Request) -> bool {
    let operation = request.opcode.map(|o| o.operation);
    context
        .open
        .is_some_and(|open| Some(open.operation()) == operation)
}

fn received(context: &Context) -> u64 {
    context.open.map_or(0, |open| open.received())
}

fn write_target(context: &Context, request: &Request) -> Option<Reth> {
    match context.open {
        Some(Open::Write { target, .. }) => Some(target),
        _ => request.target,
    }
}

/// Returns true if the lengths are legal (step 12): the payload fits its place, a Send its receive WQE, and a Write its
/// DMALen.
fn lengths_are_legal(context: &Context, request: &Request) -> bool {
    let by_place = request
        .opcode
        .is_some_and(|o| length::payload_is_legal(o.position, request.length, context.pmtu));
    let bytes = received(context) + request.length as u64;
    let whole = match write_target(context, request).filter(|_| is_write(request)) {
        Some(target) => {
            let announced = u64::from(target.dma_len);
            announced <= MAX_MESSAGE_BYTES && (bytes == announced || !ends(request) && bytes < announced)
        }
        None => request.receive_wqe.is_none_or(|wqe| bytes <= wqe.room),
    };
    by_place && whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::responder::ReceiveWqe;
    use crate::verbs::RemoteAccess;
    use crate::wire::opcode::Opcode;

    fn request(opcode: u8, psn: u32, length: usize) -> Request {
        Request {
            opcode: Opcode::of(opcode),
            psn,
            ack_req: false,
            length,
            target: None,
            operands: None,
            invalidate: None,
            receive_wqe: Some(ReceiveWqe {
                room: 1000,
                payload_permitted: true,
                permitted: true,
            }),
            permitted: true,
            may_invalidate: true,
            original: 0,
            answers_waiting: 0,
        }
    }

    fn context() -> Context {
        Context {
            pmtu: 256,
            expected_psn: 0xFF_FFFF,
            enabled: RemoteAccess {
                write: true,
                ..RemoteAccess::default()
            },
            ..Context::default()
        }
    }

    /// Returns the verdict, and the context after it.
    fn meets(context: Context, request: &Request) -> (Verdict, Context) {
        let met = met_by(&context, begins(request));
        let verdict = judge(&met, request)[0].verdict;
        (verdict, step(context, request, verdict).0)
    }

    #[test]
    fn a_loss_drops_the_rest_of_its_message_and_no_more() {
        let lost = Verdict::Drop(DropReason::UnreliableSequence);
        let mut context = context();
        for (opcode, psn, length, expected) in [
            (0x20, 0xFF_FFFF, 256, Verdict::Execute),
            (0x21, 1, 256, lost),
            (0x21, 2, 256, lost),
            (0x22, 3, 100, lost),
            (0x20, 9, 256, Verdict::Execute),
            (0x22, 10, 1, Verdict::Execute),
            // A repeated PSN is a mismatch like any other.
            (0x22, 10, 1, lost),
            (0x24, 10, 0, Verdict::Execute),
        ] {
            let (verdict, after) = meets(context, &request(opcode, psn, length));
            assert_eq!(verdict, expected, "{opcode:02X}h at PSN {psn}");
            context = after;
        }
        assert_eq!((context.expected_psn, context.open), (11, None));
    }

    #[test]
    fn the_first_rule_that_is_broken_gives_the_reason() {
        let without = |mut request: Request| {
            request.receive_wqe = None;
            request
        };
        let target = |dma_len, mut request: Request| {
            request.target = Some(Reth {
                dma_len,
                ..Reth::default()
            });
            request
        };
        for (request, reason) in [
            (without(request(0x24, 5, 0)), DropReason::NoReceiveWqe),
            (request(0x20, 5, 255), DropReason::UnreliableLength),
            (request(0x24, 5, 257), DropReason::UnreliableLength),
            (target(9, request(0x2A, 5, 10)), DropReason::UnreliableLength),
            (without(target(9, request(0x2B, 5, 9))), DropReason::NoReceiveWqe),
            (
                without(target(8, request(0x2B, 5, 9))),
                DropReason::UnreliableLength,
            ),
            (target(256, request(0x28, 5, 256)), DropReason::UnreliableSequence),
        ] {
            assert_eq!(meets(context(), &request).0, Verdict::Drop(reason), "{request:?}");
        }
        let mut forbidden = context();
        forbidden.enabled.write = false;
        let denied = target(9, request(0x2A, 5, 10));
        assert_eq!(
            meets(forbidden, &denied).0,
            Verdict::Drop(DropReason::UnreliableAccess)
        );
    }
}
