//! Classifies a response and decides whether the requester takes it (`requester.md` section 5).
use super::context::Context;
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::wire::aeth::{NakCode, Syndrome};
use crate::wire::opcode::Position;

/// The fields of a response that the requester uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// PSN, 24 bits.
    pub psn: u32,
    pub kind: Kind,
    /// AETH syndrome; `None` for a middle packet, which has no AETH.
    pub syndrome: Option<u8>,
    /// MSN, 24 bits; given with a syndrome.
    pub msn: u32,
    /// Length of the payload in bytes.
    pub length: usize,
    /// True if the payload may be written to the memory of its WQE.
    pub permitted: bool,
}

impl Response {
    /// Returns the meaning of the syndrome.
    pub(super) fn meaning(&self) -> Option<Syndrome> {
        self.syndrome.map(Syndrome::of)
    }
}

/// The kind of a response, which its opcode gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Acknowledge,
    Read(Position),
    Atomic { original: u64 },
}

struct Check {
    reason: DropReason,
    citation: &'static str,
    fails: fn(&Context, &Response) -> bool,
}

/// A response with several faults may be counted under any of them.
const CHECKS: [Check; 4] = [
    Check {
        reason: DropReason::UnexpectedResponse,
        citation: "requester.md section 6: a device that asks for no data takes none",
        fails: |context, response| !context.limits.reads && response.kind != Kind::Acknowledge,
    },
    Check {
        reason: DropReason::ReservedSyndrome,
        citation: "aeth.md section 2, CF183",
        fails: |_, response| response.syndrome.is_some_and(|s| is_reserved(Syndrome::of(s))),
    },
    Check {
        reason: DropReason::DuplicateResponse,
        citation: "requester.md section 5, CF171",
        fails: |context, response| context.position(response.psn) < context.unacknowledged,
    },
    Check {
        reason: DropReason::GhostResponse,
        citation: "requester.md section 5, CF172",
        fails: |context, response| {
            let position = context.position(response.psn);
            position >= context.next || position < context.start
        },
    },
];

/// Returns the permitted verdicts on a response, the model's own choice first; the list is never empty. The requester
/// must take a ghost ack that changes the limit, and may take any other.
pub fn judge(context: &Context, response: &Response) -> Vec<Ruling> {
    let mut rulings: Vec<Ruling> = CHECKS
        .iter()
        .filter(|c| (c.fails)(context, response))
        .map(|c| Verdict::Drop(c.reason).by(c.citation))
        .collect();
    if rulings.is_empty() {
        rulings.push(Verdict::Accept.by("requester.md section 5"));
    } else if is_ghost(context, response) {
        if ghost_tells(context, response) {
            rulings.clear();
        }
        rulings.push(Verdict::Accept.by("requester.md section 4, CF204, CF205"));
    }
    rulings
}

/// Returns true if a requester discards the syndrome. Code 64h is for RD only.
fn is_reserved(syndrome: Syndrome) -> bool {
    matches!(
        syndrome,
        Syndrome::Reserved(_) | Syndrome::Nak(NakCode::InvalidRdRequest)
    )
}

/// Returns true for an ack of PSNs that are already acknowledged: the initial one or an unsolicited one (`requester.md`
/// section 5).
pub(super) fn is_ghost(context: &Context, response: &Response) -> bool {
    context.limits.credits
        && response.kind == Kind::Acknowledge
        && matches!(response.meaning(), Some(Syndrome::Ack { .. }))
        && context.position(response.psn) + 1 == context.unacknowledged
}

/// Returns true for a ghost ack that changes the limit (CF204, CF205).
pub(super) fn ghost_tells(context: &Context, response: &Response) -> bool {
    match response.meaning() {
        Some(Syndrome::Ack { credit }) => context.credits.tells(credit, response.msn),
        _ => false,
    }
}
