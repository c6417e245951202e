//! The next packet of a QP of UC or UD (`uc.md` section 2, `ud.md` section 2).
use super::admission::{service_code, state_code};
use super::comparison::Comparison;
use super::datagram::{put_work, Sending};
use super::flight::{message, operation_code, span};
use super::limits;
use super::subject::Subject;
use crate::device::translation::status;
use crate::wire::draw::Draw;
use hca_golden::decision::requester::{plan, psn_of, Action, Context, Limits, Message, Plan};
use hca_golden::decision::ud::requester::Work;
use hca_golden::decision::{uc, ud};
use hca_golden::verbs::{Pmtu, QpState, Service, Status};
use hca_golden::wire::extension::Extension;
use hca_golden::wire::length::MAX_MESSAGE_BYTES;
use hca_host::wqe;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

/// Largest number of packets of a QP that the hardware allows on the transmit path.
const LEAVING: u64 = 32;

pub(super) struct UnreliableTurn;

#[derive(Debug)]
pub(super) struct Case {
    /// The model's state: all before the next packet was handed to the link.
    context: Context,
    pmtu: Pmtu,
    state: QpState,
    /// The message that begins or goes on with the next packet; `None` if nothing is posted.
    current: Option<Message>,
    /// Index of the WQE of the next packet.
    index: u16,
    /// What the WQE of a datagram says beyond its message; `None` for UC.
    work: Option<Work>,
    /// Number of packets on the transmit path.
    leaving: u64,
    /// Number of them that the row does not count as handed to the link.
    unsettled: u64,
    /// The send queue has failed or the QP is in Error; the value says whether SQE is not reported yet.
    flushing: Option<bool>,
    /// A WQE with a fault ends once all before it is complete.
    refused: bool,
}

impl Subject for UnreliableTurn {
    type Case = Case;
    const NAME: &'static str = "unreliable-turn";
    const BLOCK: &'static str = "turn_outcome";
    const OUTCOMES: &'static [&'static str] = &[
        "flushed",
        "SQE reported",
        "flushed once its packets have left",
        "no state to send",
        "refused",
        "refused once its packets have left",
        "refused once all before it is complete",
        "nothing posted",
        "State",
        "LOC_QP_OP_ERR",
        "LOC_LEN_ERR",
        "as many packets leave as may",
        "first",
        "middle",
        "last",
        "only",
        "datagram",
        "discarded",
        "PSN wraps",
    ];

    fn draw(draw: &mut Draw) -> Case {
        let work = draw.flag().then(|| Sending::draw(draw));
        let (service, pmtu) = match work {
            // Its PMTU is the largest: a message that the port sends is one packet.
            Some(_) => (Service::Ud, Pmtu::B4096),
            None => (Service::Uc, limits::pmtu(draw)),
        };
        let limits = Limits {
            service,
            pmtu: pmtu.bytes(),
            ..Limits::default()
        };
        let mut context = Context::new(limits, limits::psn(draw));
        // The first PSN again: there is room for the longest message before it.
        let at = context.start + (1 << 24);
        (context.next, context.cursor, context.unacknowledged) = (at, at, at);
        let index = draw.bits(16) as u16;
        let mut current = draw.percent(95).then(|| match &work {
            Some(work) => Message {
                solicited: true,
                fence: draw.flag(),
                ..Message::new(index, work.operation, work.length)
            },
            None => connected(draw, index, pmtu),
        });
        if let Some(message) = current.as_mut().filter(|m| goes_on(m, service, pmtu, draw)) {
            message.first = Some(at - 1 - draw.below(message.psns(pmtu.bytes()) as usize - 1) as u64);
        }
        context.messages.extend(current.clone());
        let leaving = match draw.below(8) {
            0 => LEAVING - 1,
            1 => LEAVING,
            2..=4 => draw.below(LEAVING as usize) as u64,
            _ => 0,
        };
        let flushing = draw.percent(6).then(|| draw.flag());
        Case {
            context,
            pmtu,
            state: match draw.percent(85) {
                _ if flushing.is_some() => draw.one_of(&[QpState::Sqe, QpState::Error]),
                true => QpState::Rts,
                false => draw.one_of(&[
                    QpState::Reset,
                    QpState::Init,
                    QpState::Rtr,
                    QpState::Sqd,
                    QpState::Sqd,
                    QpState::Sqe,
                    QpState::Error,
                ]),
            },
            current,
            index,
            work,
            leaving,
            unsettled: draw.below(leaving as usize + 1) as u64,
            flushing,
            refused: draw.percent(8),
        }
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        let next = case.context.next;
        let begins = case.current.as_ref().is_none_or(|m| m.first.is_none());
        block.set("service", service_code(case.context.limits.service).into());
        block.set("pmtu", case.pmtu.code().into());
        // Neither service has Reads: `max_rd_atomic` is 0.
        block.set("resources", 0);
        block.set("row.reads", 0);
        block.set("row.state", state_code(case.state).into());
        block.set("row.una", psn_of(next - case.unsettled).into());
        block.set("row.psn", psn_of(next).into());
        block.set("row.current", case.index.into());
        block.set("row.started", case.index.wrapping_add((!begins).into()).into());
        let offset = case.current.as_ref().filter(|_| !begins);
        block.set(
            "row.offset",
            offset.map_or(0, |m| m.offset(next, case.pmtu.bytes())),
        );
        for flag in ["waiting", "rewinding", "owes"] {
            block.set(&format!("row.{flag}"), 0);
        }
        block.set("row.flushing", case.flushing.is_some().into());
        block.set("row.unreported", (case.flushing == Some(true)).into());
        block.set("row.refused", case.refused.into());
        block.set("row.refused_first", psn_of(next).into());
        block.set("leaving", case.leaving);
        block.set("posted", case.current.is_some().into());
        if let Some(message) = &case.current {
            block.set("operation", operation_code(&message.operation).into());
            block.set("fence", message.fence.into());
            block.set("length", message.length);
        }
        let well_formed = case.work.is_none_or(|work| work.well_formed);
        block.set("sges", if well_formed { 1 } else { wqe::MAX_SGES as u64 + 1 });
        block.set("indirect", 0);
        block.set("sge_va", 0x1000);
        block.set("sge_length", 8);
        if let Some(work) = &case.work {
            put_work(work, block);
        }
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let plan = plan(&case.context);
        let (way, outcome) = match (waits(case, plan.as_ref()), fault(case)) {
            (Some(waits), _) => waits,
            (None, Some(Status::LocLenErr)) => ("blame", "LOC_LEN_ERR"),
            (None, Some(_)) => ("blame", "LOC_QP_OP_ERR"),
            (None, None) if case.leaving >= LEAVING => ("crowded", "as many packets leave as may"),
            (None, None) => ("emit", place(case, plan.as_ref())),
        };
        for name in [
            "complete", "flush", "stop", "closed", "crowded", "seek", "refuse", "blame", "emit",
        ] {
            c.same(name, name == way, block.get(name));
        }
        c.outcome(outcome);
        match (way, fault(case), plan) {
            ("blame", Some(expected), _) => {
                let found = block.get("status") as u8;
                c.permitted(
                    "status",
                    status(found) == Ok(expected),
                    || format!("{expected:?}"),
                    || found.to_string(),
                );
            }
            ("emit", _, Some(plan)) if !c.differs() => emitted(case, &plan, block, c),
            _ => {}
        }
        Ok(())
    }
}

/// Draws a message of UC, sometimes one that it cannot carry out.
fn connected(draw: &mut Draw, index: u16, pmtu: Pmtu) -> Message {
    let mut drawn = message(draw, index, pmtu);
    if draw.percent(3) {
        drawn.length = MAX_MESSAGE_BYTES + 1 + u64::from(draw.bits(20));
    }
    drawn
}

/// Returns true if the message has begun. Only one that UC carries out goes on.
fn goes_on(message: &Message, service: Service, pmtu: Pmtu, draw: &mut Draw) -> bool {
    let is_legal = service == Service::Uc
        && service.offers(&message.operation)
        && message.length <= MAX_MESSAGE_BYTES
        && message.psns(pmtu.bytes()) > 1;
    is_legal && draw.flag()
}

/// Returns what the QP does instead of looking at the WQE of its next packet, and why.
fn waits(case: &Case, plan: Option<&Plan>) -> Option<(&'static str, &'static str)> {
    // `uc.md` section 2: the flush waits for what leaves.
    if let Some(unreported) = case.flushing {
        return Some(match (case.leaving, unreported) {
            (0, true) => ("stop", "SQE reported"),
            (0, false) => ("flush", "flushed"),
            _ => ("crowded", "flushed once its packets have left"),
        });
    }
    if !matches!(case.state, QpState::Rts | QpState::Sqd) {
        return Some(("closed", "no state to send"));
    }
    if case.refused {
        return Some(match (case.unsettled, case.leaving) {
            (0, 0) => ("refuse", "refused"),
            (0, _) => ("crowded", "refused once its packets have left"),
            _ => ("closed", "refused once all before it is complete"),
        });
    }
    let Some(plan) = plan else {
        return Some(("closed", "nothing posted"));
    };
    uc::requester::closed(case.state, plan).map(|_| ("closed", "State"))
}

/// Returns the status of a WQE that cannot be carried out.
fn fault(case: &Case) -> Option<Status> {
    match (&case.work, &case.current) {
        (Some(work), _) => match ud::requester::judge(work) {
            ud::requester::Outcome::Failed(status, _) => Some(status),
            _ => None,
        },
        (None, Some(message)) if !Service::Uc.offers(&message.operation) => Some(Status::LocQpOpErr),
        (None, Some(message)) if message.length > MAX_MESSAGE_BYTES => Some(Status::LocLenErr),
        _ => None,
    }
}

fn is_discarded(case: &Case) -> bool {
    let outcome = case.work.as_ref().map(ud::requester::judge);
    outcome == Some(ud::requester::Outcome::Discarded)
}

/// Returns the place of a packet in its message.
fn place(case: &Case, plan: Option<&Plan>) -> &'static str {
    match plan.map(|plan| plan.opcode) {
        _ if is_discarded(case) => "discarded",
        Some(0x20 | 0x26) => "first",
        Some(0x21 | 0x27) => "middle",
        Some(0x22 | 0x23 | 0x28 | 0x29) => "last",
        Some(0x64 | 0x65) => "datagram",
        _ => "only",
    }
}

/// Compares packet and row.
fn emitted(case: &Case, plan: &Plan, block: &DecisionBlock, c: &mut Comparison) {
    let discards = is_discarded(case);
    c.same("discards", discards, block.get("discards"));
    c.same("begins", plan.starts, block.get("begins"));
    c.same("packet_last", plan.psn, block.get("packet_last"));
    if !discards {
        c.same("plan.opcode", plan.opcode, block.get("plan.opcode"));
        c.same("plan.payload", plan.length as u64, block.get("plan.payload"));
        c.same("plan.ack_req", false, block.get("plan.ack_req"));
        c.same("plan.may_solicit", plan.solicited, block.get("plan.may_solicit"));
        for extension in &plan.extensions {
            if let Extension::Reth(reth) = extension {
                c.same("plan.dma_len", reth.dma_len, block.get("plan.dma_len"));
            }
        }
        if let Some(message) = &case.current {
            let begun = Message {
                first: message.first.or(Some(plan.position)),
                ..message.clone()
            };
            c.same(
                "message_last",
                span(&begun, case.pmtu).1,
                block.get("message_last"),
            );
        }
    }
    let (after, actions) = match case.work {
        Some(_) => ud::requester::send(case.context.clone(), plan, true),
        None => uc::requester::send(case.context.clone(), plan, true),
    };
    let ends = actions
        .iter()
        .any(|action| matches!(action, Action::Complete { .. }));
    let sent = |field: &str| block.get(&format!("sent.{field}"));
    c.same("sent.psn", psn_of(after.cursor), sent("psn"));
    c.same("sent.started", plan.index.wrapping_add(1), sent("started"));
    c.same(
        "sent.current",
        plan.index.wrapping_add(ends.into()),
        sent("current"),
    );
    let offset = match ends {
        true => 0,
        false => plan.offset + plan.length as u64,
    };
    c.same("sent.offset", offset, sent("offset"));
    c.same("sent.reads", 0_u64, sent("reads"));
    // Only what is handed to the link changes it.
    let before = case.context.next - case.unsettled;
    c.same("sent.una", psn_of(before), sent("una"));
    if psn_of(after.cursor) < plan.psn {
        c.outcome("PSN wraps");
    }
}
