//! The next request packet (`requester.md` section 2).
use super::context::{psn_of, Context, Late};
use super::Message;
use crate::decision::timer::AckTimer;
use crate::verbs::{SendOperation, Service};
use crate::wire::atomic_eth::AtomicEth;
use crate::wire::extension::Extension;
use crate::wire::ieth::Ieth;
use crate::wire::immdt::ImmDt;
use crate::wire::opcode::{Header, Opcode, Operation, Position, Transport};
use crate::wire::reth::Reth;

/// A request packet that may leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// WQE index modulo 2^16.
    pub index: u16,
    /// SSN of that WQE, 24 bits.
    pub ssn: u32,
    pub position: u64,
    pub opcode: u8,
    /// PSN of the packet, 24 bits.
    pub psn: u32,
    pub ack_req: bool,
    pub solicited: bool,
    pub extensions: Vec<Extension>,
    /// Offset of its payload in the message, in bytes.
    pub offset: u64,
    /// Length of the payload in bytes.
    pub length: usize,
    /// True for the first packet of a message when it is sent for the first time.
    pub starts: bool,
    /// Number of PSNs that the packet takes, including those of a Read's responses.
    pub psns: u32,
}

/// Returns the next packet of the WQEs taken so far, if there is one to send.
pub fn plan(context: &Context) -> Option<Plan> {
    own_plans(context).into_iter().next()
}

/// Returns the packets that may leave next; the first is the one that the model itself would send. Packets that were
/// acknowledged since the requester went back need not be sent again, but may be: a device may have decided to send
/// them before it took the answer.
pub fn plans(context: &Context) -> Vec<Plan> {
    let mut plans = own_plans(context);
    for (message, position) in context.late() {
        if plans.iter().all(|p| p.position != position) {
            plans.push(packet(context, message, position, false));
        }
    }
    plans
}

fn own_plans(context: &Context) -> Vec<Plan> {
    let mut plans = Vec::new();
    if context.cursor == context.next {
        plans.extend(fresh(context));
    } else {
        let skipped_to = context.cursor.max(context.unacknowledged);
        let mut positions = vec![skipped_to, context.cursor];
        positions.dedup();
        for position in positions {
            match context.holding(position) {
                Some(message) if position < context.next => {
                    plans.push(packet(context, message, position, false))
                }
                _ if position == context.next => plans.extend(fresh(context)),
                _ => {}
            }
        }
    }
    plans
}

/// Applies the departure of a packet of [`plans`]; `now` is in picoseconds.
pub fn send(mut context: Context, plan: &Plan, now: u64) -> Context {
    if send_late(&mut context, plan, now) {
        return context;
    }
    if let Some(message) = context.messages.iter_mut().find(|m| m.index == plan.index) {
        if plan.starts && context.limits.credits {
            context.credits.start(message);
        }
        message.first.get_or_insert(plan.position);
        if matches!(message.operation, SendOperation::Read { .. })
            && !message.requests.contains(&plan.position)
        {
            message.requests.push(plan.position);
        }
    }
    context.cursor = plan.position + u64::from(plan.psns);
    context.next = context.next.max(context.cursor);
    if let Some(rewind) = &mut context.rewind {
        rewind.late += 1;
    } else {
        let timer = context.timer.get_or_insert(AckTimer::start(now));
        timer.latest = now;
    }
    context
}

/// Applies the departure of a packet that is already answered and returns true; no answer is awaited for it. After any
/// other packet, no answered packet may leave any more.
fn send_late(context: &mut Context, plan: &Plan, now: u64) -> bool {
    let late = context.late.take();
    let is_next = |l: &Late| (l.position..context.unacknowledged).contains(&plan.position);
    let Some(mut late) = late.filter(is_next) else {
        context.answered.clear();
        return false;
    };
    late.position = plan.position + u64::from(plan.psns);
    late.left -= 1;
    context.cursor = context.cursor.max(late.position);
    context.late = Some(late).filter(|l| l.left > 0 && l.position < context.unacknowledged);
    if context.late.is_none() {
        context.answered.clear();
    }
    if let Some(timer) = &mut context.timer {
        timer.latest = now;
    }
    true
}

/// Returns the first packet that was never sent.
fn fresh(context: &Context) -> Option<Plan> {
    let pmtu = context.limits.pmtu;
    let unsent = |m: &&Message| m.end(pmtu).is_none_or(|end| end > context.next);
    let message = context.messages.iter().find(unsent)?;
    Some(packet(context, message, context.next, message.first.is_none()))
}

/// Returns the packet at this position of a message.
fn packet(context: &Context, message: &Message, position: u64, starts: bool) -> Plan {
    let pmtu = context.limits.pmtu;
    let carries_data = message.operation.carries_data();
    let offset = message.offset(position, pmtu);
    let left = message.length - offset;
    let (begins, ends) = (offset == 0, left <= pmtu as u64);
    let place = match (begins || !carries_data, ends || !carries_data) {
        (true, true) => Position::Only,
        (true, false) => Position::First,
        (false, false) => Position::Middle,
        (false, true) => Position::Last,
    };
    let opcode = opcode(context.limits.service, message.operation, place);
    // Section 2: an ack is requested at least every `interval` packets.
    let due = |interval: u32| (offset / pmtu as u64 + 1).is_multiple_of(u64::from(interval));
    let last = matches!(place, Position::Last | Position::Only);
    Plan {
        index: message.index,
        ssn: message.ssn,
        position,
        opcode: opcode.map_or(0, |o| o.value),
        psn: psn_of(position),
        ack_req: context.limits.service.is_reliable()
            && (begins || last || context.limits.ack_interval.is_some_and(due)),
        solicited: last && message.solicited && message.operation.may_be_solicited(),
        extensions: opcode
            .map_or(&[][..], |o| o.headers)
            .iter()
            .filter_map(|&header| extension(header, message, offset))
            .collect(),
        offset,
        length: if carries_data {
            left.min(pmtu as u64) as usize
        } else {
            0
        },
        starts,
        psns: if carries_data {
            1
        } else {
            crate::wire::length::packets(left, pmtu)
        },
    }
}

/// Returns the row of the opcode table for an operation and a place in its message (CF002).
fn opcode(service: Service, operation: SendOperation, place: Position) -> Option<&'static Opcode> {
    use SendOperation::*;
    let of = match operation {
        Send | SendWithImmediate { .. } | SendWithInvalidate { .. } => Operation::Send,
        Write { .. } | WriteWithImmediate { .. } => Operation::Write,
        Read { .. } => Operation::Read,
        CompareSwap { .. } => Operation::CompareSwap,
        FetchAdd { .. } => Operation::FetchAdd,
    };
    let ends = matches!(place, Position::Last | Position::Only);
    let immediate = ends && matches!(operation, SendWithImmediate { .. } | WriteWithImmediate { .. });
    let invalidates = ends && matches!(operation, SendWithInvalidate { .. });
    let transport = match service {
        Service::Uc => Transport::Uc,
        Service::Ud => Transport::Ud,
        _ => Transport::Rc,
    };
    Opcode::all().iter().find(|o| {
        Transport::of(o.value) == transport
            && (o.operation, o.position) == (of, place)
            && o.headers.contains(&Header::ImmDt) == immediate
            && o.headers.contains(&Header::Ieth) == invalidates
    })
}

/// Returns a header of the request packet that begins at this offset of its message. For a Read that is restarted, the
/// header covers the rest (CF018, CF019, CF175).
fn extension(header: Header, message: &Message, offset: u64) -> Option<Extension> {
    use SendOperation::*;
    let dma_len = (message.length - offset) as u32;
    match (header, message.operation) {
        (Header::Reth, Write { va, r_key } | WriteWithImmediate { va, r_key, .. } | Read { va, r_key }) => {
            let va = va.wrapping_add(offset);
            Some(Extension::Reth(Reth { va, r_key, dma_len }))
        }
        (
            Header::AtomicEth,
            CompareSwap {
                va,
                r_key,
                compare,
                swap,
            },
        ) => Some(Extension::AtomicEth(AtomicEth {
            va,
            r_key,
            swap_dt_add_dt: swap,
            cmp_dt: compare,
        })),
        (Header::AtomicEth, FetchAdd { va, r_key, add }) => Some(Extension::AtomicEth(AtomicEth {
            va,
            r_key,
            swap_dt_add_dt: add,
            cmp_dt: 0,
        })),
        (Header::ImmDt, SendWithImmediate { immediate } | WriteWithImmediate { immediate, .. }) => {
            Some(Extension::ImmDt(ImmDt { imm_data: immediate }))
        }
        (Header::Ieth, SendWithInvalidate { r_key }) => Some(Extension::Ieth(Ieth { r_key })),
        _ => None,
    }
}
