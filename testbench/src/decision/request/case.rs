//! A context and a request.
use super::drawn::{left, length, near, open, refused};
use crate::decision::limits;
use crate::wire::draw::Draw;
use hca_golden::decision::responder::resource::{Kind, Resource, Resources};
use hca_golden::decision::responder::{self, Context, Open, OutstandingNak, ReceiveWqe, Request};
use hca_golden::psn;
use hca_golden::verbs::{Pmtu, QpState, RemoteAccess};
use hca_golden::wire::length::packets;
use hca_golden::wire::opcode::{Header, Opcode, Operation};
use hca_golden::wire::reth::Reth;

/// Number of slots of the hardware for Reads and atomics.
const SLOTS: usize = 16;

/// The model's context and event, and additional inputs of the hardware.
#[derive(Debug)]
pub struct Case {
    /// The QP is of UC, else of RC.
    pub unreliable: bool,
    pub pmtu: Pmtu,
    pub context: Context,
    pub request: Request,
    /// BTH.OpCode.
    pub opcode: u8,
    pub state: QpState,
    /// Reason for which admission has refused the request (`host::retire::drop`), if it has.
    pub refused: Option<u8>,
    /// Index of the next receive WQE.
    pub consumer: u16,
    /// An abandoned Send of UC has given its receive WQE back (`uc.md` section 3.1).
    pub holds: bool,
    /// max_dest_rd_atomic.
    pub depth: usize,
    /// Number of Reads and atomics accepted, modulo 32.
    pub taken: u8,
    /// Number of stored Reads and atomics, and number of those whose answer is owed.
    pub kept: usize,
    pub owed: usize,
    /// The request repeats a stored operation.
    pub matched: bool,
    /// Fault of the data's memory, in the bits in which a walk reports it.
    pub data_fault: u8,
}

impl Case {
    pub fn draw(draw: &mut Draw) -> Case {
        let pmtu = limits::pmtu(draw);
        let open = open(draw, pmtu);
        let opcode = opcode(draw, open);
        let mut context = context(draw, pmtu, open);
        let depth = draw.below(SLOTS + 1);
        let kept = draw.below(depth + 1);
        let owed = match draw.below(3) {
            0 => kept,
            1 => 0,
            _ => draw.below(kept + 1),
        };
        let request = request(draw, &context, opcode);
        let matched = kept > 0 && draw.flag();
        context.resources = resources(draw, &context, &request, depth, kept, owed, matched);
        Case {
            unreliable: false,
            pmtu,
            context,
            request,
            opcode,
            state: match draw.percent(94) {
                true => draw.one_of(&[QpState::Rtr, QpState::Rts, QpState::Sqd]),
                false => draw.one_of(&[QpState::Reset, QpState::Init, QpState::Error]),
            },
            refused: refused(draw),
            consumer: draw.bits(16) as u16,
            holds: false,
            depth,
            taken: draw.bits(5) as u8,
            kept,
            owed,
            matched: matched && repeats(&request),
            data_fault: 1 + draw.below(3) as u8,
        }
    }

    /// Returns true if a receive WQE that an earlier packet took is available.
    pub fn is_at_hand(&self) -> bool {
        self.holds || matches!(self.context.open, Some(Open::Send { .. }))
    }
}

/// Draws a request of RC, including reserved opcodes; mostly one that may follow.
fn opcode(draw: &mut Draw, open: Option<Open>) -> u8 {
    let follows = |opcode: u8| {
        let row = Opcode::of(opcode);
        row.is_some_and(|o| match open {
            Some(open) => o.operation == open.operation() && !o.begins(),
            None => o.begins(),
        })
    };
    let any = draw.percent(15);
    loop {
        let opcode = draw.bits(5) as u8;
        let response = Opcode::of(opcode).is_some_and(|o| o.is_response());
        if !response && (any || follows(opcode)) {
            return opcode;
        }
    }
}

fn context(draw: &mut Draw, pmtu: Pmtu, open: Option<Open>) -> Context {
    let expected_psn = limits::psn(draw);
    let mut right = || draw.percent(92);
    let enabled = RemoteAccess {
        write: right(),
        read: right(),
        atomic: right(),
    };
    Context {
        pmtu: pmtu.bytes(),
        min_rnr_timer: draw.bits(5) as u8,
        enabled,
        remote_access: true,
        invalidates: true,
        expected_psn,
        msn: limits::psn(draw),
        ackable_psn: psn::subtract(expected_psn, 1 + draw.bits(4)),
        open,
        outstanding_nak: draw.one_of(&[
            OutstandingNak::None,
            OutstandingNak::None,
            OutstandingNak::Sequence,
            OutstandingNak::Rnr,
        ]),
        resources: Resources::default(),
    }
}

fn request(draw: &mut Draw, context: &Context, code: u8) -> Request {
    let opcode = Opcode::of(code);
    let has = |header| opcode.is_some_and(|o| o.headers.contains(&header));
    let pmtu = Pmtu::from_bytes(context.pmtu).unwrap_or(Pmtu::B256);
    let dma_len = limits::message_length(draw, pmtu);
    let left = match context.open {
        Some(Open::Write { target, received }) => u64::from(target.dma_len) - received,
        Some(Open::Send { .. }) => left(draw, context.pmtu as u64),
        None => dma_len.into(),
    };
    let length = length(draw, opcode, context.pmtu, left);
    let va = match draw.percent(90) {
        true => limits::address(draw) & !7,
        false => limits::address(draw),
    };
    let r_key = draw.bits(32);
    let target = match (has(Header::Reth), has(Header::AtomicEth)) {
        (true, _) => Some(Reth { va, r_key, dma_len }),
        (_, true) => Some(Reth {
            va,
            r_key,
            dma_len: 8,
        }),
        _ => None,
    };
    let mut request = Request {
        opcode,
        psn: near(draw, context.expected_psn),
        ack_req: draw.flag(),
        length,
        target,
        operands: None,
        invalidate: has(Header::Ieth).then(|| draw.bits(32)),
        receive_wqe: receive_wqe(draw, context, length),
        permitted: true,
        may_invalidate: !has(Header::Ieth) || draw.percent(85),
        original: 0,
        answers_waiting: match draw.percent(80) {
            true => 0,
            false => draw.below(32),
        },
    };
    let asks = responder::access(context, &request).is_some();
    request.permitted = !asks || draw.percent(90);
    request
}

/// Draws the receive WQE. An open Send has its WQE; other requests may find one or not.
fn receive_wqe(draw: &mut Draw, context: &Context, length: usize) -> Option<ReceiveWqe> {
    let open_send = match context.open {
        Some(Open::Send { received }) => Some(received),
        _ => None,
    };
    if open_send.is_none() && draw.percent(8) {
        return None;
    }
    let whole = open_send.unwrap_or(0) + length as u64;
    let room = match draw.below(9) {
        0 => whole.saturating_sub(1),
        1 => 0,
        2..=4 => whole,
        5 => u32::MAX.into(),
        // Each bit of a length by itself may be what makes it enough.
        6 => 1 << draw.below(32),
        _ => whole + u64::from(draw.bits(16)),
    };
    // Nothing is written beyond the end of the WQE.
    let written = room.saturating_sub(open_send.unwrap_or(0)).min(length as u64);
    let payload_permitted = written == 0 || draw.percent(90);
    Some(ReceiveWqe {
        room: room.min(u32::MAX.into()),
        payload_permitted,
        permitted: payload_permitted && draw.percent(90),
    })
}

fn repeats(request: &Request) -> bool {
    let operation = request.opcode.map(|o| o.operation);
    matches!(
        operation,
        Some(Operation::Read | Operation::CompareSwap | Operation::FetchAdd)
    )
}

/// Makes this many stored operations, the newest `owed` of which have an answer owed. The oldest is the one that the
/// request repeats, if it repeats any.
fn resources(
    draw: &mut Draw,
    context: &Context,
    request: &Request,
    depth: usize,
    kept: usize,
    owed: usize,
    matched: bool,
) -> Resources {
    let mut resources = Resources::new(depth as u8);
    let elsewhere = psn::add(request.psn, limits::HALF);
    for at in 0..kept {
        let (first_psn, kind) = match (request.target, request.opcode) {
            (Some(target), Some(o)) if matched && at == 0 && o.operation == Operation::Read => {
                (request.psn, Kind::Read { target })
            }
            (Some(_), Some(o)) if matched && at == 0 => (
                request.psn,
                Kind::Atomic {
                    opcode: o.value,
                    original: 0,
                },
            ),
            _ => (
                elsewhere,
                Kind::Atomic {
                    opcode: 0x13,
                    original: 0,
                },
            ),
        };
        let spans = match kind {
            Kind::Read { target } => packets(target.dma_len.into(), context.pmtu),
            Kind::Atomic { .. } => 1,
        };
        resources.keep(Resource {
            first_psn,
            last_psn: psn::add(first_psn, spans - 1),
            kind,
            owed: at >= kept - owed,
            ackable_psn: psn::subtract(context.ackable_psn, draw.bits(3)),
        });
    }
    resources
}
