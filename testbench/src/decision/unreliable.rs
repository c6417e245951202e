//! Compares the outcome of an admitted request of UC (`uc.md` section 3 steps 8 to 16).
use super::admission::state_code;
use super::request::drawn::{left, length, near, open};
use super::{limits, Comparison, Subject};
use crate::device::translation::{drop_reason, status};
use crate::trace::drop_reason::name;
use crate::wire::draw::Draw;
use hca_golden::decision::responder::{Action, Context, Open, ReceiveWqe, Request};
use hca_golden::decision::uc::responder::{decides, judge, met_by, needs_receive_wqe, step};
use hca_golden::decision::Verdict;
use hca_golden::event::DropReason;
use hca_golden::verbs::{Pmtu, QpState, RemoteAccess};
use hca_golden::wire::opcode::{Header, Opcode, Operation};
use hca_golden::wire::reth::Reth;
use hca_host::command::STATE_ERROR;
use hca_host::retire::drop;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

/// Opcodes of UC.
const OPCODES: std::ops::RangeInclusive<u8> = 0x20..=0x2B;
/// Codes of `walk_right`.
const RIGHT_LOCAL_WRITE: u64 = 1;
const RIGHT_REMOTE_WRITE: u64 = 2;

pub(super) struct Unreliable;

#[derive(Debug)]
pub(super) struct Case {
    pmtu: Pmtu,
    context: Context,
    request: Request,
    /// BTH.OpCode.
    opcode: u8,
    state: QpState,
    /// Admission has refused it (`host::retire::drop`).
    refused: Option<u8>,
    /// The next receive WQE.
    consumer: u16,
    /// An abandoned Send has given its receive WQE back (`uc.md` section 3.1).
    holds: bool,
    /// Fault of the data's memory, in bits as a walk reports it.
    data_fault: u8,
}

impl Case {
    /// A receive WQE of an earlier packet is at hand.
    fn is_at_hand(&self) -> bool {
        self.holds || matches!(self.context.open, Some(Open::Send { .. }))
    }

    fn is(&self, operation: Operation) -> bool {
        self.request.opcode.is_some_and(|o| o.operation == operation)
    }

    fn receives(&self) -> bool {
        use QpState::{Rtr, Rts, Sqd, Sqe};
        matches!(self.state, Rtr | Rts | Sqd | Sqe)
    }

    /// Steps 1 to 7 drop it for this reason; a QP that has failed since admission does so before steps 6 and 7.
    fn dropped_before(&self) -> Option<DropReason> {
        let refused = self.refused.filter(|reason| {
            let later = matches!(*reason, drop::SOURCE | drop::P_KEY);
            self.receives() || !later
        });
        match refused {
            Some(code) => drop_reason(code).ok(),
            None => (!self.receives()).then_some(DropReason::QpState),
        }
    }
}

impl Subject for Unreliable {
    type Case = Case;
    const NAME: &'static str = "unreliable";
    const BLOCK: &'static str = "unreliable_outcome";
    const OUTCOMES: &'static [&'static str] = &[
        "OPCODE", "DEST_QP", "QP_STATE", "SOURCE", "P_KEY", "UNRELIABLE_SEQUENCE", "UNRELIABLE_ACCESS",
        "UNRELIABLE_LENGTH", "NO_RECEIVE_WQE", "receive WQE fails", "Send goes on", "Send ends",
        "Write goes on", "Write ends", "message abandoned", "receive WQE given back",
        "receive WQE used again", "ePSN wraps",
    ];

    fn draw(draw: &mut Draw) -> Case {
        let pmtu = limits::pmtu(draw);
        let open = open(draw, pmtu);
        let context = Context {
            pmtu: pmtu.bytes(),
            enabled: RemoteAccess {
                write: draw.percent(92),
                ..RemoteAccess::default()
            },
            remote_access: true,
            expected_psn: limits::psn(draw),
            open,
            ..Context::default()
        };
        let opcode = opcode(draw, open);
        let open_send = matches!(open, Some(Open::Send { .. }));
        let holds = !open_send && draw.percent(25);
        let request = request(draw, &context, opcode, open_send || holds);
        Case {
            pmtu,
            request,
            opcode,
            state: match draw.percent(94) {
                true => draw.one_of(&[QpState::Rtr, QpState::Rts, QpState::Sqd, QpState::Sqe]),
                false => draw.one_of(&[QpState::Reset, QpState::Init, QpState::Error]),
            },
            refused: draw.percent(5).then(|| {
                draw.one_of(&[
                    drop::OPCODE,
                    drop::DEST_QP,
                    drop::QP_STATE,
                    drop::SOURCE,
                    drop::P_KEY,
                ])
            }),
            consumer: draw.bits(16) as u16,
            holds,
            data_fault: 1 + draw.below(3) as u8,
            context,
        }
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        let (context, request) = (&case.context, &case.request);
        let target = request.target;
        block.set("arrival.opcode", case.opcode.into());
        block.set("arrival.psn", request.psn.into());
        block.set("arrival.payload", request.length as u64);
        block.set("arrival.va", target.map_or(0, |t| t.va));
        block.set("arrival.r_key", target.map_or(0, |t| t.r_key.into()));
        block.set("arrival.dma_len", target.map_or(0, |t| t.dma_len.into()));
        block.set("arrival.grouped", 0);
        block.set("arrival.copy", 0);
        block.set("arrival.drop", case.refused.is_some().into());
        if let Some(reason) = case.refused {
            block.set("arrival.drop_reason", reason.into());
        }
        block.set("settings.pmtu", case.pmtu.code().into());
        block.set("settings.datagram", 0);
        block.set("settings.remote_write", context.enabled.write.into());
        block.set("qp.state", state_code(case.state).into());
        block.set("qp.holds", case.holds.into());
        block.set("qp.epsn", context.expected_psn.into());
        block.set("qp.consumer", case.consumer.into());
        block.set("qp.open_send", 0);
        block.set("qp.open_write", 0);
        match context.open {
            None => {}
            Some(Open::Send { received }) => {
                block.set("qp.open_send", 1);
                block.set("qp.received", received);
            }
            Some(Open::Write { target, received }) => {
                block.set("qp.open_write", 1);
                block.set("qp.received", received);
                block.set("qp.write_va", target.va.wrapping_add(received));
                block.set("qp.write_key", target.r_key.into());
                block.set("qp.write_left", u64::from(target.dma_len) - received);
            }
        }
        let wqe = request.receive_wqe;
        let posted = match case.is_at_hand() {
            // Whether another is posted must not matter.
            true => request.psn.is_multiple_of(2),
            false => wqe.is_some(),
        };
        block.set("arrived", case.consumer.wrapping_add(posted.into()).into());
        if let Some(wqe) = wqe {
            block.set("wqe_length", wqe.room);
        }
        let fault = match case.is(Operation::Send) {
            true => wqe.is_some_and(|w| !w.payload_permitted),
            false => !request.permitted,
        };
        block.set("data_fault", if fault { case.data_fault.into() } else { 0 });
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let before = met_by(&case.context, begins(&case.request));
        let permitted: Vec<Verdict> = match case.dropped_before() {
            Some(reason) => vec![Verdict::Drop(reason)],
            None => judge(&before, &case.request).iter().map(|r| r.verdict).collect(),
        };
        let told = decided(case, block);
        c.permitted(
            "verdict",
            told.as_ref().is_ok_and(|verdict| permitted.contains(verdict)),
            || {
                permitted
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", or ")
            },
            || told.as_ref().map_or_else(Clone::clone, ToString::to_string),
        );
        let verdict = match told {
            Ok(verdict) if !c.differs() => verdict,
            _ => return Ok(()),
        };
        let is_met = !matches!(verdict, Verdict::Drop(reason) if !decides(reason));
        let (after, actions) = match is_met {
            true => step(case.context.clone(), &case.request, verdict),
            false => (case.context.clone(), Vec::new()),
        };
        changes(case, &after, &actions, verdict, block, c);
        if verdict == Verdict::Execute {
            memory(case, &actions, block, c);
        }
        outcomes(case, &after, verdict, is_met, block, c);
        Ok(())
    }
}

/// Mostly one that may follow.
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

/// `at_hand`: an earlier packet took a receive WQE that is still there.
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

/// The block's verdict; an error if it has none, or several.
fn decided(case: &Case, block: &DecisionBlock) -> Result<Verdict, String> {
    let ways = ["drop", "refuse", "execute", "acknowledge", "replay"];
    let told: Vec<&str> = ways
        .into_iter()
        .filter(|way| block.is_set(&format!("verdict.{way}")))
        .collect();
    match told[..] {
        ["drop"] => drop_reason(block.get("verdict.drop_reason") as u8).map(Verdict::Drop),
        ["refuse"] => Ok(Verdict::Refuse {
            syndrome: block.get("verdict.syndrome") as u8,
            psn: case.request.psn,
        }),
        ["execute"] => Ok(Verdict::Execute),
        _ => Err(format!("{told:?}")),
    }
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
    c.same(
        "fails",
        fails,
        state == u64::from(STATE_ERROR) && case.state != QpState::Error,
    );
    let takes = needs_receive_wqe(&case.request, verdict) && !case.is_at_hand();
    c.same("takes", takes, block.get("takes"));
    c.same(
        "changed.consumer",
        case.consumer.wrapping_add(takes.into()),
        block.get("changed.consumer"),
    );
    let mut completes = false;
    for action in actions {
        match *action {
            Action::Complete { byte_count, .. } => {
                completes = true;
                c.same("byte_count", byte_count, block.get("byte_count"));
            }
            Action::CompleteInError { status: due, other } => {
                completes = true;
                let told = status(block.get("verdict.status") as u8);
                c.permitted(
                    "verdict.status",
                    told.as_ref().is_ok_and(|s| *s == due || Some(*s) == other),
                    || format!("{due:?} or {other:?}"),
                    || format!("{told:?}"),
                );
            }
            _ => {}
        }
    }
    c.same("completes", completes, block.get("completes"));
    if fails {
        return;
    }
    c.same("changed.epsn", after.expected_psn, block.get("changed.epsn"));
    let (send, write) = (
        matches!(after.open, Some(Open::Send { .. })),
        matches!(after.open, Some(Open::Write { .. })),
    );
    c.same("changed.open_send", send, block.get("changed.open_send"));
    c.same("changed.open_write", write, block.get("changed.open_write"));
    // What is at hand and neither completes nor is used waits for the next message (`uc.md` section 3.1).
    let holds = (case.is_at_hand() || takes) && !completes && !send;
    c.same("changed.holds", holds, block.get("changed.holds"));
    match after.open {
        None => {}
        Some(Open::Send { received }) => c.same("changed.received", received, block.get("changed.received")),
        Some(Open::Write { target, received }) => {
            let va = target.va.wrapping_add(received);
            let left = u64::from(target.dma_len) - received;
            c.same("changed.received", received, block.get("changed.received"));
            c.same("changed.write_va", va, block.get("changed.write_va"));
            c.same("changed.write_key", target.r_key, block.get("changed.write_key"));
            c.same("changed.write_left", left, block.get("changed.write_left"));
        }
    }
}

/// The bytes that are written, and whose keys are walked before.
fn memory(case: &Case, actions: &[Action], block: &DecisionBlock, c: &mut Comparison) {
    let length = case.request.length as u64;
    c.same("walks", length != 0, block.get("walks"));
    if length == 0 {
        return;
    }
    for action in actions {
        match *action {
            Action::Place { offset } => {
                c.same("walk_right", RIGHT_LOCAL_WRITE, block.get("walk_right"));
                c.same("walk_offset", offset, block.get("walk_offset"));
                c.same("walk_length", length, block.get("walk_length"));
            }
            Action::Store { va, r_key } => {
                c.same("walk_right", RIGHT_REMOTE_WRITE, block.get("walk_right"));
                c.same("walk_va", va, block.get("walk_va"));
                c.same("walk_key", r_key, block.get("walk_key"));
                c.same("walk_offset", 0_u64, block.get("walk_offset"));
                c.same("walk_length", length, block.get("walk_length"));
                // All that is left of the Write counts (step 13).
                let left = match (case.context.open, case.request.target) {
                    (_, Some(target)) => target.dma_len.into(),
                    (Some(Open::Write { target, received }), _) => u64::from(target.dma_len) - received,
                    _ => length,
                };
                c.same("walk_span", left, block.get("walk_span"));
            }
            _ => {}
        }
    }
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
        (Verdict::Execute, None) if case.is(Operation::Send) => "Send ends",
        (Verdict::Execute, Some(_)) if case.is(Operation::Send) => "Send goes on",
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
