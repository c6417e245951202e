//! Compares the outcome of an admitted request of UC (`uc.md` section 3 steps 8 to 16).
use super::comparison::Comparison;
use super::limits;
use super::request::compare::{completion, decided, dropped_before, open_message, written};
use super::request::drawn::{left, length, near, open, refused};
use super::request::put::put;
use super::request::Case;
use super::subject::Subject;
use crate::trace::drop_reason::name;
use crate::wire::draw::Draw;
use hca_golden::decision::responder::{Action, Context, Open, OutstandingNak, ReceiveWqe, Request};
use hca_golden::decision::uc::responder::{decides, judge, met_by, needs_receive_wqe, step};
use hca_golden::decision::Verdict;
use hca_golden::verbs::{Pmtu, QpState, RemoteAccess};
use hca_golden::wire::opcode::{Header, Opcode, Operation};
use hca_golden::wire::reth::Reth;
use hca_host::command::STATE_ERROR;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

/// Opcodes of UC.
const OPCODES: std::ops::RangeInclusive<u8> = 0x20..=0x2B;

pub(super) struct Unreliable;

impl Subject for Unreliable {
    type Case = Case;
    const NAME: &'static str = "unreliable";
    const BLOCK: &'static str = "request_outcome";
    const OUTCOMES: &'static [&'static str] = &[
        "OPCODE", "DEST_QP", "QP_STATE", "SOURCE", "P_KEY", "UNRELIABLE_SEQUENCE", "UNRELIABLE_ACCESS",
        "UNRELIABLE_LENGTH", "NO_RECEIVE_WQE", "receive WQE fails", "Send goes on", "Send ends",
        "Write goes on", "Write ends", "message abandoned", "receive WQE given back",
        "receive WQE used again", "ePSN wraps",
    ];

    /// Draws a case. Fields that UC ignores have any value.
    fn draw(draw: &mut Draw) -> Case {
        let pmtu = limits::pmtu(draw);
        let open = open(draw, pmtu);
        let context = Context {
            pmtu: pmtu.bytes(),
            min_rnr_timer: draw.bits(5) as u8,
            enabled: RemoteAccess {
                write: draw.percent(92),
                read: draw.flag(),
                atomic: draw.flag(),
            },
            remote_access: true,
            expected_psn: limits::psn(draw),
            msn: limits::psn(draw),
            ackable_psn: limits::psn(draw),
            open,
            outstanding_nak: draw.one_of(&[OutstandingNak::None, OutstandingNak::Rnr]),
            ..Context::default()
        };
        let opcode = opcode(draw, open);
        let open_send = matches!(open, Some(Open::Send { .. }));
        let holds = !open_send && draw.percent(25);
        let request = request(draw, &context, opcode, open_send || holds);
        Case {
            unreliable: true,
            pmtu,
            context,
            request,
            opcode,
            state: match draw.percent(94) {
                true => draw.one_of(&[QpState::Rtr, QpState::Rts, QpState::Sqd, QpState::Sqe]),
                false => draw.one_of(&[QpState::Reset, QpState::Init, QpState::Error]),
            },
            refused: refused(draw),
            consumer: draw.bits(16) as u16,
            holds,
            depth: draw.below(17),
            taken: draw.bits(5) as u8,
            kept: 0,
            owed: draw.below(17),
            matched: draw.flag(),
            data_fault: 1 + draw.below(3) as u8,
        }
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        put(case, block);
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let before = met_by(&case.context, begins(&case.request));
        let permitted: Vec<Verdict> = match dropped_before(case)[..] {
            [] => judge(&before, &case.request).iter().map(|r| r.verdict).collect(),
            ref reasons => reasons.iter().copied().map(Verdict::Drop).collect(),
        };
        let found = decided(block);
        c.permitted(
            "verdict",
            found.as_ref().is_ok_and(|verdict| permitted.contains(verdict)),
            || format!("{permitted:?}"),
            || format!("{found:?}"),
        );
        let verdict = match found {
            Ok(verdict) if !c.differs() => verdict,
            _ => return Ok(()),
        };
        let is_met = !matches!(verdict, Verdict::Drop(reason) if !decides(reason));
        let (after, actions) = match is_met {
            true => step(case.context.clone(), &case.request, verdict),
            false => (case.context.clone(), Vec::new()),
        };
        c.same("answers", false, block.is_set("answers"));
        changes(case, &after, &actions, verdict, block, c);
        if verdict == Verdict::Execute {
            memory(case, &actions, block, c);
        }
        outcomes(case, &after, verdict, is_met, block, c);
        Ok(())
    }
}

/// Draws an opcode, mostly one that may follow.
fn opcode(draw: &mut Draw, open: Option<Open>) -> u8 {
    let follows = |opcode: u8| {
        Opcode::of(opcode).is_some_and(|o| match open {
            Some(open) => o.operation == open.operation() && !o.begins(),
            None => o.begins(),
        })
    };
    let any = draw.percent(25);
    loop {
        let opcode = OPCODES.start() + draw.below(OPCODES.count()) as u8;
        if any || follows(opcode) {
            return opcode;
        }
    }
}

/// Draws a request. `at_hand` says that an earlier packet took a receive WQE that is still available.
fn request(draw: &mut Draw, context: &Context, code: u8, at_hand: bool) -> Request {
    let opcode = Opcode::of(code);
    let has = |header| opcode.is_some_and(|o| o.headers.contains(&header));
    let pmtu = Pmtu::from_bytes(context.pmtu).unwrap_or(Pmtu::B256);
    let dma_len = limits::message_length(draw, pmtu);
    let begins = opcode.is_some_and(|o| o.begins());
    let (received, rest) = match context.open {
        Some(Open::Write { target, received }) if !begins => (received, u64::from(target.dma_len) - received),
        Some(Open::Send { received }) if !begins => (received, left(draw, context.pmtu as u64)),
        _ => (0, dma_len.into()),
    };
    let length = length(draw, opcode, context.pmtu, rest);
    let is_write = opcode.is_some_and(|o| o.operation == Operation::Write);
    let wqe = at_hand || draw.percent(90);
    Request {
        opcode,
        psn: near(draw, context.expected_psn),
        ack_req: false,
        length,
        target: has(Header::Reth).then(|| Reth {
            va: limits::address(draw),
            r_key: draw.bits(32),
            dma_len,
        }),
        operands: None,
        invalidate: None,
        receive_wqe: wqe.then(|| receive_wqe(draw, received, length)),
        // Without bytes, no key counts.
        permitted: !is_write || length == 0 || draw.percent(90),
        may_invalidate: true,
        original: 0,
        answers_waiting: 0,
    }
}

fn receive_wqe(draw: &mut Draw, received: u64, length: usize) -> ReceiveWqe {
    let whole = received + length as u64;
    let room = match draw.below(8) {
        0 => whole.saturating_sub(1),
        1 => 0,
        2..=4 => whole,
        5 => u32::MAX.into(),
        _ => whole + u64::from(draw.bits(16)),
    };
    let payload_permitted = length == 0 || draw.percent(90);
    ReceiveWqe {
        room: room.min(u32::MAX.into()),
        payload_permitted,
        permitted: payload_permitted && draw.percent(90),
    }
}

fn begins(request: &Request) -> bool {
    request.opcode.is_some_and(|o| o.begins())
}

fn is_send(case: &Case) -> bool {
    let opcode = case.request.opcode;
    opcode.is_some_and(|o| o.operation == Operation::Send)
}

fn changes(
    case: &Case,
    after: &Context,
    actions: &[Action],
    verdict: Verdict,
    block: &DecisionBlock,
    c: &mut Comparison,
) {
    let fails = actions.contains(&Action::Fail);
    let state = block.get("changed.state");
    let failed = state == u64::from(STATE_ERROR) && case.state != QpState::Error;
    c.same("fails", fails, failed);
    let takes = needs_receive_wqe(&case.request, verdict) && !case.is_at_hand();
    c.same("takes", takes, block.get("takes"));
    let consumer = case.consumer.wrapping_add(takes.into());
    c.same("changed.consumer", consumer, block.get("changed.consumer"));
    completion(actions, true, block, c);
    if fails {
        return;
    }
    c.same("changed.epsn", after.expected_psn, block.get("changed.epsn"));
    open_message(after, block, c);
    // A WQE that is available and neither completes nor is used waits for the next message (`uc.md` section 3.1).
    let used = block.is_set("completes") || matches!(after.open, Some(Open::Send { .. }));
    let holds = (case.is_at_hand() || takes) && !used;
    c.same("changed.holds", holds, block.get("changed.holds"));
}

/// Compares the bytes that are written, and those whose keys are walked before.
fn memory(case: &Case, actions: &[Action], block: &DecisionBlock, c: &mut Comparison) {
    let length = case.request.length;
    c.same("walks", length != 0, block.get("walks"));
    written(length, actions, block, c);
    if length == 0 || is_send(case) {
        return;
    }
    // The whole rest of the Write is walked (step 13).
    let left = match (case.context.open, case.request.target) {
        (Some(Open::Write { target, received }), None) => u64::from(target.dma_len) - received,
        (_, target) => target.map_or(0, |target| target.dma_len.into()),
    };
    c.same("walk_span", left, block.get("walk_span"));
}

fn outcomes(
    case: &Case,
    after: &Context,
    verdict: Verdict,
    is_met: bool,
    block: &DecisionBlock,
    c: &mut Comparison,
) {
    c.outcome(match (verdict, after.open) {
        (Verdict::Drop(reason), _) => name(reason),
        (Verdict::Execute, None) if is_send(case) => "Send ends",
        (Verdict::Execute, Some(_)) if is_send(case) => "Send goes on",
        (Verdict::Execute, None) => "Write ends",
        (Verdict::Execute, Some(_)) => "Write goes on",
        _ => "receive WQE fails",
    });
    let had = case.context.open;
    if is_met && had.is_some() && (begins(&case.request) || verdict != Verdict::Execute) {
        c.outcome("message abandoned");
    }
    if matches!(had, Some(Open::Send { .. })) && block.is_set("changed.holds") {
        c.outcome("receive WQE given back");
    }
    if case.holds && !block.is_set("changed.holds") {
        c.outcome("receive WQE used again");
    }
    if after.expected_psn < case.context.expected_psn {
        c.outcome("ePSN wraps");
    }
}
