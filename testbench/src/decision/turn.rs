//! The next request packet of a QP of RC (`requester.md` sections 1 to 3).
use super::comparison::Comparison;
use super::flight::{message, operation_code, span, wqe_length, Flight};
use super::subject::Subject;
use crate::wire::draw::Draw;
use hca_golden::decision::requester::{closed, plan, psn_of, send, Gate, Message, Plan};
use hca_golden::psn;
use hca_golden::verbs::{QpState, Service};
use hca_golden::wire::extension::Extension;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

/// Largest number of packets of a QP that the hardware allows on the transmit path.
const LEAVING: u64 = 32;

pub(super) struct Turn;

#[derive(Debug)]
pub(super) struct Case {
    flight: Flight,
    state: QpState,
    /// Position of the next packet.
    at: u64,
    /// The message to which it belongs, even one that starts with it; `None` if nothing is posted.
    current: Option<Message>,
    /// Number of packets on the transmit path.
    leaving: u64,
    /// An RNR delay runs.
    waiting: bool,
    /// The requester has to go back first.
    rewinding: bool,
    /// The QP is in Error, and that was reported.
    flushing: bool,
    /// Completions of the QP are waiting.
    owes: bool,
    /// A WQE cannot continue; the value says whether all WQEs before it are complete.
    refused: Option<bool>,
}

impl Subject for Turn {
    type Case = Case;
    const NAME: &'static str = "turn";
    const BLOCK: &'static str = "turn_outcome";
    const OUTCOMES: &'static [&'static str] = &[
        "completes",
        "completes once its packets have left",
        "flushed",
        "flushed once its packets have left",
        "no state to send",
        "waits as an RNR NAK asked",
        "goes back",
        "goes back once its packets have left",
        "goes on past what was refused once its packets have left",
        "refused",
        "refused once its packets have left",
        "refused once all before it is complete",
        "passes over what is acknowledged",
        "nothing posted",
        "State",
        "Window",
        "Fence",
        "ReadDepth",
        "as many packets leave as may",
        "first",
        "middle",
        "last",
        "only",
        "Read",
        "Read restarted",
        "atomic",
        "sent again",
        "PSN wraps",
        "ack asked for on the way",
    ];

    fn draw(draw: &mut Draw) -> Case {
        let mut flight = Flight::draw(draw);
        let full = flight.pmtu.bytes();
        let end = flight.end();
        let una = flight.context.unacknowledged;
        let (mut at, mut current) = (end, None);
        let again = draw.percent(40);
        match flight.started.last() {
            // A message that has begun continues.
            Some(m) if !again && m.operation.carries_data() && m.psns(full) > 1 && draw.flag() => {
                let first = m.first.unwrap_or_default();
                let packet = match draw.percent(20) {
                    // Every 64th packet requests an ack.
                    true => 63.min(u64::from(m.psns(full)) - 1),
                    false => 1 + draw.below(m.psns(full) as usize - 1) as u64,
                };
                at = first + packet;
                current = Some(m.clone());
                flight.tell(at.max(una));
            }
            Some(_) if again => {
                at = resent(draw, &flight).unwrap_or(end);
                current = flight.holding(at).cloned();
                flight.tell(end);
                flight.context.cursor = at;
            }
            _ => flight.tell(end),
        }
        if at == end && draw.percent(90) {
            let fresh = message(draw, flight.fresh, flight.pmtu);
            flight.context.messages.push_back(fresh.clone());
            current = Some(fresh);
        }
        let flushing = draw.percent(2);
        Case {
            flight,
            state: match draw.percent(90) {
                _ if flushing => QpState::Error,
                true => QpState::Rts,
                false => draw.one_of(&[
                    QpState::Reset,
                    QpState::Init,
                    QpState::Rtr,
                    QpState::Sqd,
                    QpState::Sqd,
                    QpState::Sqd,
                    QpState::Error,
                ]),
            },
            at,
            current,
            leaving: match draw.below(8) {
                0 => LEAVING - 1,
                1 => LEAVING,
                2..=4 => draw.below(LEAVING as usize) as u64,
                _ => 0,
            },
            waiting: draw.percent(3),
            rewinding: draw.percent(6),
            flushing,
            owes: draw.percent(3),
            refused: draw.percent(5).then(|| draw.flag()),
        }
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        let Flight { context, pmtu, .. } = &case.flight;
        case.flight.put(block);
        block.set("row.state", super::admission::state_code(case.state).into());
        block.set("row.psn", psn_of(case.at).into());
        let index = case.current.as_ref().map_or(case.flight.fresh, |m| m.index);
        block.set("row.current", index.into());
        block.set("row.offset", offset(case));
        block.set("row.waiting", case.waiting.into());
        block.set("row.rewinding", case.rewinding.into());
        block.set("row.flushing", case.flushing.into());
        block.set("row.unreported", 0);
        block.set("row.owes", case.owes.into());
        block.set("row.refused", case.refused.is_some().into());
        let before = u64::from(case.refused == Some(false));
        block.set(
            "row.refused_first",
            psn_of(context.unacknowledged + before).into(),
        );
        block.set("service", super::admission::service_code(Service::Rc).into());
        block.set("pmtu", pmtu.code().into());
        block.set("resources", context.limits.max_rd_atomic.into());
        block.set("leaving", case.leaving);
        block.set("posted", case.current.is_some().into());
        if let Some(message) = &case.current {
            block.set("operation", operation_code(&message.operation).into());
            block.set("fence", message.fence.into());
            block.set("length", wqe_length(message));
        }
        block.set("sges", 1);
        block.set("indirect", 0);
        block.set("sge_va", 0x1000);
        block.set("sge_length", 8);
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        let (way, outcome, plan) = expected(case);
        for name in [
            "complete", "flush", "stop", "closed", "crowded", "seek", "refuse", "blame", "emit",
        ] {
            c.same(name, name == way, block.get(name));
        }
        c.outcome(outcome);
        if let Some(plan) = plan.filter(|_| !c.differs()) {
            packet(case, &plan, block, c);
            row(case, &plan, block, c);
            kinds(case, &plan, c);
        }
        Ok(())
    }
}

/// Returns the number of bytes of the message before the next packet.
fn offset(case: &Case) -> u64 {
    let message = case.current.as_ref().filter(|m| m.first.is_some());
    message.map_or(0, |m| m.offset(case.at, case.flight.pmtu.bytes()))
}

/// Draws a position that was sent already, or one a little before the oldest unacknowledged position.
fn resent(draw: &mut Draw, flight: &Flight) -> Option<u64> {
    let una = flight.context.unacknowledged;
    let message = &flight.started[draw.below(flight.started.len())];
    let (first, psns) = (message.first?, message.psns(flight.pmtu.bytes()));
    if message.operation.carries_data() {
        return Some(first + draw.below(psns as usize) as u64);
    }
    // A Read is requested again from its start, or from where its answers ended.
    Some(if draw.flag() { first } else { first.max(una) })
}

/// Returns the block's expected choice, its reason, and the packet if one leaves.
fn expected(case: &Case) -> (&'static str, &'static str, Option<Plan>) {
    let context = &case.flight.context;
    // Section 7: the data of a packet that is sent again is read before its WQE completes.
    if case.owes {
        return match case.leaving {
            0 => ("complete", "completes", None),
            _ => ("crowded", "completes once its packets have left", None),
        };
    }
    if case.flushing {
        return match case.leaving {
            0 => ("flush", "flushed", None),
            _ => ("crowded", "flushed once its packets have left", None),
        };
    }
    // qp_cq.md section 1.
    if !matches!(case.state, QpState::Rts | QpState::Sqd) {
        return ("closed", "no state to send", None);
    }
    // Section 6, CF112.
    if case.waiting {
        return ("closed", "waits as an RNR NAK asked", None);
    }
    // Section 7: no packet of the old order leaves after one of the new order.
    if case.rewinding {
        return match case.leaving {
            0 => ("seek", "goes back", None),
            _ => ("crowded", "goes back once its packets have left", None),
        };
    }
    // Section 8: nothing is read for a WQE that ends.
    if let Some(due) = case.refused {
        return match (case.at < context.unacknowledged, due, case.leaving) {
            (true, _, 0) => ("seek", "passes over what is acknowledged", None),
            (true, ..) => (
                "crowded",
                "goes on past what was refused once its packets have left",
                None,
            ),
            (_, true, 0) => ("refuse", "refused", None),
            (_, true, _) => ("crowded", "refused once its packets have left", None),
            (_, false, _) => ("closed", "refused once all before it is complete", None),
        };
    }
    let Some(plan) = plan(context) else {
        return ("closed", "nothing posted", None);
    };
    // Section 6: the packet need not be sent again.
    if plan.position != case.at {
        return ("seek", "passes over what is acknowledged", None);
    }
    match closed(context, case.state, &plan) {
        Some(Gate::State) => ("closed", "State", None),
        Some(Gate::Window) => ("closed", "Window", None),
        Some(Gate::Fence) => ("closed", "Fence", None),
        Some(Gate::ReadDepth) => ("closed", "ReadDepth", None),
        Some(Gate::Credits) => ("closed", "Credits", None),
        Some(Gate::Rewind) => ("seek", "goes back", None),
        None if case.leaving >= LEAVING => ("crowded", "as many packets leave as may", None),
        None => ("emit", place(plan.opcode), Some(plan)),
    }
}

/// Returns the place of a packet in its message.
fn place(opcode: u8) -> &'static str {
    match opcode {
        0x00 | 0x06 => "first",
        0x01 | 0x07 => "middle",
        0x02 | 0x03 | 0x08 | 0x09 | 0x16 => "last",
        0x0C => "Read",
        0x13 | 0x14 => "atomic",
        _ => "only",
    }
}

fn packet(case: &Case, plan: &Plan, block: &DecisionBlock, c: &mut Comparison) {
    c.same("plan.opcode", plan.opcode, block.get("plan.opcode"));
    c.same("plan.payload", plan.length as u64, block.get("plan.payload"));
    c.same("plan.ack_req", plan.ack_req, block.get("plan.ack_req"));
    c.same("plan.may_solicit", plan.solicited, block.get("plan.may_solicit"));
    for extension in &plan.extensions {
        if let Extension::Reth(reth) = extension {
            c.same("plan.dma_len", reth.dma_len, block.get("plan.dma_len"));
        }
    }
    c.same("begins", plan.starts, block.get("begins"));
    let last = psn::add(plan.psn, plan.psns - 1);
    c.same("packet_last", last, block.get("packet_last"));
    let message = case.current.as_ref().map(|m| Message {
        first: m.first.or(Some(plan.position)),
        ..m.clone()
    });
    if let Some(message) = message {
        c.same(
            "message_last",
            span(&message, case.flight.pmtu).1,
            block.get("message_last"),
        );
    }
}

fn row(case: &Case, plan: &Plan, block: &DecisionBlock, c: &mut Comparison) {
    let full = case.flight.pmtu.bytes();
    let sent = |field: &str| block.get(&format!("sent.{field}"));
    let after = send(case.flight.context.clone(), plan, 0);
    c.same("sent.psn", psn_of(after.cursor), sent("psn"));
    let started = case.flight.fresh.wrapping_add(plan.starts.into());
    c.same("sent.started", started, sent("started"));
    let ends = after.messages.iter().any(|m| m.end(full) == Some(after.cursor));
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
    let mut reads = after
        .messages
        .iter()
        .filter(|m| m.operation.is_read_or_atomic() && m.first.is_some());
    c.same("sent.reads", reads.clone().count() as u64, sent("reads"));
    if let Some(oldest) = reads.next() {
        let (first, last) = span(oldest, case.flight.pmtu);
        c.same("sent.read_first", first, sent("read_first"));
        c.same("sent.read_last", last, sent("read_last"));
        c.same("sent.read_wqe", oldest.index, sent("read_wqe"));
        c.same(
            "sent.read_atomic",
            oldest.operation.is_atomic(),
            sent("read_atomic"),
        );
    }
    c.same("sent.una", psn_of(after.unacknowledged), sent("una"));
}

fn kinds(case: &Case, plan: &Plan, c: &mut Comparison) {
    if !plan.starts && plan.position < case.flight.end() && plan.position != case.flight.context.next {
        c.outcome("sent again");
    }
    if plan.opcode == 0x0C && plan.offset != 0 {
        c.outcome("Read restarted");
    }
    if psn::add(plan.psn, plan.psns) < plan.psn {
        c.outcome("PSN wraps");
    }
    if matches!(plan.opcode, 0x01 | 0x07) && plan.ack_req {
        c.outcome("ack asked for on the way");
    }
}
