//! RC responder (`responder.md`).
use super::{Ruling, Verdict};
use crate::event::DropReason;
use crate::psn;
use crate::verbs::Status;
use crate::wire::aeth::{ACK_WITHOUT_CREDITS, NAK_INVALID_REQUEST, NAK_SEQUENCE, RNR_NAK};
use crate::wire::length;
use crate::wire::opcode::{Header, Opcode, Operation};

/// What is known of the receiving side of a QP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Payload bytes of a full packet.
    pub pmtu: usize,
    /// Code that RNR NAKs carry, 5 bits.
    pub min_rnr_timer: u8,
    /// ePSN, 24 bits.
    pub expected_psn: u32,
    /// Messages completed, 24 bits.
    pub msn: u32,
    /// Bytes received of a Send that is not complete.
    pub open: Option<u64>,
    /// NAK that waits for the expected PSN (section 7).
    pub outstanding_nak: OutstandingNak,
}

/// Which NAK waits for the expected PSN to arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutstandingNak {
    #[default]
    None,
    Sequence,
    Rnr,
}

/// An admitted request.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// None of a reserved code.
    pub opcode: Option<&'static Opcode>,
    /// 24 bits.
    pub psn: u32,
    /// AckReq.
    pub ack_req: bool,
    /// Payload bytes.
    pub length: usize,
    /// Bytes of the receive WQE that a Send goes to; none if there is no WQE.
    pub receive_wqe: Option<u64>,
}

/// What a request brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The payload goes to the receive WQE, so many bytes in.
    Place { offset: u64 },
    /// A response becomes due, or only permitted if it is not `required`.
    Respond {
        psn: u32,
        syndrome: u8,
        msn: u32,
        required: bool,
    },
    /// The receive WQE completes with so many bytes.
    Complete { byte_count: u32 },
    /// The receive WQE, if one is open, completes in error. Another status that describes a second fault of the
    /// same packet may stand in its place.
    CompleteInError { status: Status, other: Option<Status> },
    /// The QP moves to Error.
    Fail,
}

/// Outcome of a check.
enum Outcome {
    Pass,
    /// Nothing further is looked at.
    End(Vec<Verdict>),
    /// A fault; later checks may find another, and either may be reported (section 1, note on steps 11 to 14).
    Fault(Verdict),
}

struct Check {
    citation: &'static str,
    judge: fn(&Context, &Request) -> Outcome,
}

/// Section 1, in its order.
const CHECKS: [Check; 6] = [
    Check {
        citation: "responder.md section 1 step 9 and section 2, CF059 to CF066",
        judge: psn_region,
    },
    Check {
        citation: "responder.md section 1 step 10 and section 3, CF068 to CF073",
        judge: opcode_sequence,
    },
    Check {
        citation: "responder.md section 1 step 11, CF073",
        judge: opcode_supported,
    },
    Check {
        citation: "responder.md section 1 step 12, CF106",
        judge: receive_wqe,
    },
    Check {
        citation: "responder.md section 1 step 13, CF078 to CF080",
        judge: payload_length,
    },
    Check {
        citation: "responder.md section 1 step 13, CF084",
        judge: message_fits,
    },
];

/// What may become of a request; what the model does first. Never empty.
pub fn judge(context: &Context, request: &Request) -> Vec<Ruling> {
    let mut faults = Vec::new();
    for check in &CHECKS {
        match (check.judge)(context, request) {
            Outcome::Pass => {}
            Outcome::Fault(verdict) => faults.push(verdict.by(check.citation)),
            Outcome::End(verdicts) => return verdicts.into_iter().map(|v| v.by(check.citation)).collect(),
        }
    }
    if faults.is_empty() {
        faults.push(Verdict::Execute.by("responder.md section 4"));
    }
    faults
}

/// What a verdict of [`judge`] brings about.
pub fn step(context: Context, request: &Request, verdict: Verdict) -> (Context, Vec<Action>) {
    match verdict {
        Verdict::Execute => execute(context, request),
        Verdict::Duplicate => (context, vec![acknowledge_again(&context, request)]),
        Verdict::Refuse { syndrome, psn } => refuse(context, request, syndrome, psn),
        Verdict::Accept | Verdict::Drop(_) => (context, Vec::new()),
    }
}

/// True of a Send that begins a message and gets as far as step 13, the check of its length: it has taken its
/// receive WQE.
pub fn takes_receive_wqe(context: &Context, request: &Request) -> bool {
    request.opcode.is_some_and(|o| o.begins())
        && CHECKS[..4]
            .iter()
            .all(|check| matches!((check.judge)(context, request), Outcome::Pass))
}

/// True of a new Send packet whose one fault is that its message is longer than the receive WQE.
pub fn is_only_too_long(context: &Context, request: &Request) -> bool {
    CHECKS[..5]
        .iter()
        .all(|check| matches!((check.judge)(context, request), Outcome::Pass))
        && !fits(context, request)
}

/// Step 9.
fn psn_region(context: &Context, request: &Request) -> Outcome {
    let distance = psn::difference(request.psn, context.expected_psn);
    if distance == 0 {
        return Outcome::Pass;
    }
    if distance < 0 {
        return Outcome::End(duplicate(request));
    }
    let nak = Verdict::Refuse {
        syndrome: NAK_SEQUENCE,
        psn: context.expected_psn,
    };
    let ignore = Verdict::Drop(DropReason::NakOutstanding);
    Outcome::End(match context.outstanding_nak {
        OutstandingNak::None => vec![nak],
        OutstandingNak::Sequence => vec![ignore],
        // Section 7: after an RNR NAK implementations send none or one.
        OutstandingNak::Rnr => vec![ignore, nak],
    })
}

/// Section 6. Nothing is stored of a Read or an atomic, so a duplicate of one is discarded.
fn duplicate(request: &Request) -> Vec<Verdict> {
    let discard = Verdict::Drop(DropReason::Opcode);
    match request.opcode.map(|o| o.operation) {
        Some(Operation::Send | Operation::Write) => vec![Verdict::Duplicate],
        Some(_) => vec![discard],
        None => vec![discard, Verdict::Duplicate],
    }
}

fn invalid_request(request: &Request) -> Verdict {
    Verdict::Refuse {
        syndrome: NAK_INVALID_REQUEST,
        psn: request.psn,
    }
}

/// Step 10.
fn opcode_sequence(context: &Context, request: &Request) -> Outcome {
    let legal = request.opcode.is_some_and(|o| match context.open {
        Some(_) => o.operation == Operation::Send && !o.begins(),
        None => o.begins(),
    });
    if legal {
        Outcome::Pass
    } else {
        Outcome::End(vec![invalid_request(request)])
    }
}

/// Step 11: Send, with or without immediate data.
fn opcode_supported(_: &Context, request: &Request) -> Outcome {
    let supported = request
        .opcode
        .is_some_and(|o| o.operation == Operation::Send && !o.headers.contains(&Header::Ieth));
    if supported {
        Outcome::Pass
    } else {
        Outcome::End(vec![invalid_request(request)])
    }
}

/// Step 12.
fn receive_wqe(context: &Context, request: &Request) -> Outcome {
    if request.receive_wqe.is_some() {
        Outcome::Pass
    } else {
        Outcome::Fault(Verdict::Refuse {
            syndrome: RNR_NAK | context.min_rnr_timer,
            psn: request.psn,
        })
    }
}

/// Step 13, the payload.
fn payload_length(context: &Context, request: &Request) -> Outcome {
    if payload_is_legal(context, request) {
        Outcome::Pass
    } else {
        Outcome::Fault(invalid_request(request))
    }
}

/// Step 13, the message.
fn message_fits(context: &Context, request: &Request) -> Outcome {
    if fits(context, request) {
        Outcome::Pass
    } else {
        Outcome::Fault(invalid_request(request))
    }
}

fn payload_is_legal(context: &Context, request: &Request) -> bool {
    request
        .opcode
        .is_some_and(|o| length::payload_is_legal(o.position, request.length, context.pmtu))
}

fn fits(context: &Context, request: &Request) -> bool {
    let received = context.open.unwrap_or(0) + request.length as u64;
    request.receive_wqe.is_none_or(|room| received <= room)
}

/// Section 4.
fn execute(context: Context, request: &Request) -> (Context, Vec<Action>) {
    let offset = context.open.unwrap_or(0);
    let received = offset + request.length as u64;
    let ends = request.opcode.is_some_and(|o| o.ends());
    let next = Context {
        expected_psn: psn::add(context.expected_psn, 1),
        msn: psn::add(context.msn, ends.into()),
        open: (!ends).then_some(received),
        outstanding_nak: OutstandingNak::None,
        ..context
    };
    let mut actions = vec![Action::Place { offset }];
    if ends {
        actions.push(Action::Complete {
            byte_count: received as u32,
        });
    }
    actions.push(Action::Respond {
        psn: request.psn,
        syndrome: ACK_WITHOUT_CREDITS,
        msn: next.msn,
        required: request.ack_req,
    });
    (next, actions)
}

/// Section 6: the latest executed request is acknowledged again, with the current MSN.
fn acknowledge_again(context: &Context, request: &Request) -> Action {
    Action::Respond {
        psn: psn::subtract(context.expected_psn, 1),
        syndrome: ACK_WITHOUT_CREDITS,
        msn: context.msn,
        required: request.ack_req,
    }
}

/// Section 5.
fn refuse(context: Context, request: &Request, syndrome: u8, psn: u32) -> (Context, Vec<Action>) {
    let nak = Action::Respond {
        psn,
        syndrome,
        msn: context.msn,
        required: true,
    };
    let waiting = |outstanding_nak| Context {
        outstanding_nak,
        ..context
    };
    match syndrome {
        NAK_SEQUENCE => (waiting(OutstandingNak::Sequence), vec![nak]),
        NAK_INVALID_REQUEST => {
            let opcode_is_sound = CHECKS[1..3]
                .iter()
                .all(|check| matches!((check.judge)(&context, request), Outcome::Pass));
            let too_long = opcode_is_sound && !fits(&context, request);
            let status = if too_long {
                Status::LocLenErr
            } else {
                Status::RemInvReqErr
            };
            let other = (too_long && !payload_is_legal(&context, request)).then_some(Status::RemInvReqErr);
            (
                context,
                vec![nak, Action::CompleteInError { status, other }, Action::Fail],
            )
        }
        _ => (waiting(OutstandingNak::Rnr), vec![nak]),
    }
}
