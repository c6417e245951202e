//! The ordered checks of a request (`responder.md` section 1, steps 9 to 15).
use super::{duplicate, Context, Open, OutstandingNak, Request, UNANSWERED};
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::psn;
use crate::wire::aeth::{
    NAK_INVALID_REQUEST, NAK_REMOTE_ACCESS, NAK_REMOTE_OPERATIONAL, NAK_SEQUENCE, RNR_NAK,
};
use crate::wire::length::{self, MAX_MESSAGE_BYTES};
use crate::wire::opcode::{Header, Operation};

/// The outcome of a check.
enum Outcome {
    Pass,
    /// The check ends with one of these verdicts; no further check applies.
    End(Vec<Verdict>),
    /// The check finds a fault. Later checks may find another, and the device may report any of them (section 1, note
    /// on steps 11 to 14).
    Fault(Verdict),
    /// A fault that the device may find or ignore.
    Possible(Verdict),
}

struct Check {
    name: &'static str,
    citation: &'static str,
    judge: fn(&Context, &Request) -> Outcome,
}

/// The checks of section 1, in order.
const CHECKS: [Check; 14] = [
    Check {
        name: "PSN region",
        citation: "responder.md section 1 step 9 and section 2, CF059 to CF066",
        judge: psn_region,
    },
    Check {
        name: "opcode sequence",
        citation: "responder.md section 1 step 10 and section 3, CF068 to CF073",
        judge: opcode_sequence,
    },
    Check {
        name: "opcode enabled",
        citation: "responder.md section 1 step 11, CF075 to CF077",
        judge: |c, r| refuse_unless(is_enabled(c, r), r, NAK_INVALID_REQUEST),
    },
    Check {
        name: "receive WQE",
        citation: "responder.md section 1 step 12, CF106, CF108",
        judge: |c, r| {
            let ready = !r.uses_receive_wqe() || r.receive_wqe.is_some();
            refuse_unless(ready, r, RNR_NAK | c.min_rnr_timer)
        },
    },
    Check {
        name: "read and atomic resources",
        citation: "responder.md section 1 step 12 and section 5, CF143",
        judge: |c, r| {
            let taken = r.is_read_or_atomic() && c.resources.are_exhausted();
            refuse_unless(!taken, r, NAK_INVALID_REQUEST)
        },
    },
    Check {
        name: "payload length",
        citation: "responder.md section 1 step 13, CF078 to CF080",
        judge: |c, r| refuse_unless(payload_is_legal(c, r), r, NAK_INVALID_REQUEST),
    },
    Check {
        name: "message fits the receive WQE",
        citation: "responder.md section 1 step 13, CF084",
        judge: |c, r| refuse_unless(fits(c, r), r, NAK_INVALID_REQUEST),
    },
    Check {
        name: "DMALen",
        citation: "responder.md section 1 step 13, CF083",
        judge: |_, r| {
            let legal = r.target.is_none_or(|t| u64::from(t.dma_len) <= MAX_MESSAGE_BYTES);
            refuse_unless(legal, r, NAK_INVALID_REQUEST)
        },
    },
    Check {
        name: "data of a Write",
        citation: "responder.md section 1 step 13, CF081, CF082",
        judge: |c, r| refuse_unless(write_adds_up(c, r), r, NAK_INVALID_REQUEST),
    },
    Check {
        name: "R_Key, right, bounds, PD",
        citation: "responder.md section 1 step 14, CF085 to CF089",
        judge: |_, r| refuse_unless(r.permitted, r, NAK_REMOTE_ACCESS),
    },
    Check {
        name: "alignment of an atomic",
        citation: "responder.md section 1 step 14, CF090",
        judge: |_, r| {
            let aligned = r.target.is_none_or(|t| t.va % 8 == 0);
            refuse_unless(!r.is_atomic() || aligned, r, NAK_INVALID_REQUEST)
        },
    },
    Check {
        name: "receive SGEs of the payload",
        citation: "responder.md section 1 step 15, CF091",
        judge: |_, r| {
            let sound = r.receive_wqe.is_none_or(|w| w.payload_permitted);
            refuse_unless(!is_send(r) || sound, r, NAK_REMOTE_OPERATIONAL)
        },
    },
    Check {
        name: "all receive SGEs",
        citation: "responder.md section 1 step 15, CF091",
        judge: |_, r| {
            let sound = r.receive_wqe.is_none_or(|w| w.permitted);
            if !is_send(r) || sound {
                Outcome::Pass
            } else {
                Outcome::Possible(refusal(r, NAK_REMOTE_OPERATIONAL))
            }
        },
    },
    Check {
        name: "R_Key to invalidate",
        citation: "responder.md section 5, last lines",
        judge: |_, r| {
            if r.invalidate.is_none() || r.may_invalidate {
                Outcome::Pass
            } else {
                Outcome::Possible(refusal(r, UNANSWERED))
            }
        },
    },
];

/// Numbers of waiting answers from which on a device may discard a duplicate Read or atomic, and any request.
const DUPLICATES_DISCARDED: usize = 8;
const REQUESTS_DISCARDED: usize = 16;

/// Returns the permitted verdicts on a request, the model's own choice first; the list is never empty.
pub fn judge(context: &Context, request: &Request) -> Vec<Ruling> {
    let mut rulings = judge_with_room(context, request);
    if may_lack_room(context, request) {
        rulings.push(Verdict::Drop(DropReason::AnswersWait).by("responder.md section 6, CF549"));
    }
    rulings
}

/// Returns true if a device may have no room for the answer. The model itself always has.
fn may_lack_room(context: &Context, request: &Request) -> bool {
    let is_duplicate = psn::difference(request.psn, context.expected_psn) < 0;
    let limit = match is_duplicate && request.is_read_or_atomic() {
        true => DUPLICATES_DISCARDED,
        false => REQUESTS_DISCARDED,
    };
    request.answers_waiting >= limit
}

/// Returns the permitted verdicts if there is room for the answer.
fn judge_with_room(context: &Context, request: &Request) -> Vec<Ruling> {
    let (mut faults, mut possible) = (Vec::new(), Vec::new());
    for check in &CHECKS {
        match (check.judge)(context, request) {
            Outcome::Pass => {}
            Outcome::Fault(verdict) => faults.push(verdict.by(check.citation)),
            Outcome::Possible(verdict) => possible.push(verdict.by(check.citation)),
            Outcome::End(verdicts) => return verdicts.into_iter().map(|v| v.by(check.citation)).collect(),
        }
    }
    if faults.is_empty() {
        faults.push(Verdict::Execute.by("responder.md section 4"));
    }
    faults.append(&mut possible);
    faults
}

/// Returns true if the request passes every check before the one with this name.
fn passes_until(name: &str, context: &Context, request: &Request) -> bool {
    CHECKS
        .iter()
        .take_while(|check| check.name != name)
        .all(|check| matches!((check.judge)(context, request), Outcome::Pass))
}

/// Returns true if a device takes a receive WQE before it applies this verdict. It does so for a request that uses one
/// and reaches the check of its length; for a Write only if the request is executed (CF093).
pub fn takes_receive_wqe(context: &Context, request: &Request, verdict: Verdict) -> bool {
    let acts = match verdict {
        Verdict::Execute => true,
        Verdict::Refuse { .. } => is_send(request),
        _ => false,
    };
    let uses = request.uses_receive_wqe() && !matches!(context.open, Some(Open::Send { .. }));
    acts && uses && passes_until("payload length", context, request)
}

/// Returns true if this verdict requires that the receive WQE was taken.
pub fn needs_receive_wqe(context: &Context, request: &Request, verdict: Verdict) -> bool {
    match verdict {
        Verdict::Execute => request.uses_receive_wqe(),
        Verdict::Refuse { syndrome, .. } => {
            let too_long =
                passes_until("message fits the receive WQE", context, request) && !fits(context, request);
            [NAK_REMOTE_OPERATIONAL, UNANSWERED].contains(&syndrome)
                || syndrome == NAK_INVALID_REQUEST && too_long
        }
        _ => false,
    }
}

/// Returns whether the payload is legal, for a refused request whose only other fault is the length of its message;
/// `None` for any other request.
pub(super) fn too_long(context: &Context, request: &Request) -> Option<bool> {
    let opcode_is_sound = passes_until("receive WQE", &expecting(context, request), request);
    (opcode_is_sound && !fits(context, request)).then(|| payload_is_legal(context, request))
}

/// Returns the context with the request's PSN as the expected one.
fn expecting(context: &Context, request: &Request) -> Context {
    Context {
        expected_psn: request.psn,
        ..context.clone()
    }
}

fn refusal(request: &Request, syndrome: u8) -> Verdict {
    let psn = request.psn;
    Verdict::Refuse { syndrome, psn }
}

fn refuse_unless(sound: bool, request: &Request, syndrome: u8) -> Outcome {
    if sound {
        Outcome::Pass
    } else {
        Outcome::Fault(refusal(request, syndrome))
    }
}

fn is_send(request: &Request) -> bool {
    request.operation() == Some(Operation::Send)
}

/// Step 9.
fn psn_region(context: &Context, request: &Request) -> Outcome {
    let distance = psn::difference(request.psn, context.expected_psn);
    if distance == 0 {
        return Outcome::Pass;
    }
    if distance < 0 {
        return Outcome::End(duplicate::verdicts(context, request));
    }
    let nak = Verdict::Refuse {
        syndrome: NAK_SEQUENCE,
        psn: context.expected_psn,
    };
    let ignore = Verdict::Drop(DropReason::NakOutstanding);
    Outcome::End(match context.outstanding_nak {
        OutstandingNak::None => vec![nak],
        OutstandingNak::Sequence => vec![ignore],
        // Section 7: after an RNR NAK, implementations send none or one.
        OutstandingNak::Rnr => vec![ignore, nak],
    })
}

/// Step 10.
fn opcode_sequence(context: &Context, request: &Request) -> Outcome {
    let legal = request.opcode.is_some_and(|o| match context.open {
        Some(open) => o.operation == open.operation() && !o.begins(),
        None => o.begins(),
    });
    if legal {
        Outcome::Pass
    } else {
        Outcome::End(vec![refusal(request, NAK_INVALID_REQUEST)])
    }
}

/// Step 11.
fn is_enabled(context: &Context, request: &Request) -> bool {
    let enabled = context.enabled;
    match request.operation() {
        Some(Operation::Send) => context.invalidates || !request.has(Header::Ieth),
        Some(Operation::Write) => enabled.write,
        Some(Operation::Read) => enabled.read,
        Some(Operation::CompareSwap | Operation::FetchAdd) => enabled.atomic,
        _ => false,
    }
}

/// Step 13, the payload; a Read or an atomic has none.
fn payload_is_legal(context: &Context, request: &Request) -> bool {
    request.opcode.is_some_and(|o| {
        if o.has_payload() {
            length::payload_is_legal(o.position, request.length, context.pmtu)
        } else {
            request.length == 0
        }
    })
}

/// Step 13, a Send and its receive WQE.
fn fits(context: &Context, request: &Request) -> bool {
    let received = context.received() + request.length as u64;
    !is_send(request) || request.receive_wqe.is_none_or(|wqe| received <= wqe.room)
}

/// Step 13, the packets of a Write and its DMALen.
fn write_adds_up(context: &Context, request: &Request) -> bool {
    if request.operation() != Some(Operation::Write) {
        return true;
    }
    let received = context.received() + request.length as u64;
    let announced = context.write_target(request).map_or(0, |t| u64::from(t.dma_len));
    let ends = request.opcode.is_some_and(|o| o.ends());
    received == announced || !ends && received < announced
}
