//! Requests under way, both as the model's state and as a row of the hardware.
use super::limits;
use crate::wire::draw::Draw;
use hca_golden::decision::requester::{psn_of, Context, Limits, Message, WINDOW};
use hca_golden::verbs::{Pmtu, SendOperation, Service};
use hca_golden::wire::length::MAX_MESSAGE_BYTES;
use hca_host::wqe;
use hca_sim::decision::DecisionBlock;

/// Largest number of messages under way.
const MESSAGES: usize = 5;
/// Largest number of Reads and atomics, which is the number of slots of the hardware's ring.
const READS: u8 = 16;
/// Bytes of an atomic's SGE.
const ATOMIC_BYTES: u64 = 8;

/// Started messages, oldest first. The oldest one is not answered.
#[derive(Debug)]
pub struct Flight {
    pub pmtu: Pmtu,
    /// The model's state, which contains only packets that have departed.
    pub context: Context,
    /// All messages whose packets the hardware has passed to the transmit path, with their first positions.
    pub started: Vec<Message>,
    /// Index of the first WQE that has not started.
    pub fresh: u16,
    /// Position to which the requester last went back.
    pub resent: u64,
}

impl Flight {
    /// Draws some messages, of which some packets have departed.
    pub fn draw(draw: &mut Draw) -> Flight {
        let pmtu = limits::pmtu(draw);
        let limits = Limits {
            service: Service::Rc,
            pmtu: pmtu.bytes(),
            timeout: 14,
            retry_cnt: draw.bits(3) as u8,
            rnr_retry: draw.bits(3) as u8,
            max_rd_atomic: draw.below(usize::from(READS)) as u8 + 1,
            ack_interval: Some(64),
            reads: true,
            retransmits: true,
            credits: false,
        };
        let mut context = Context::new(limits, limits::psn(draw));
        context.unacknowledged = context.start
            + match draw.below(4) {
                0 => 0,
                1 => draw.below(8) as u64,
                2 => WINDOW - 2 + draw.below(4) as u64,
                _ => draw.bits(26).into(),
            };
        let una = context.unacknowledged;
        let mut flight = Flight {
            pmtu,
            context,
            started: Vec::new(),
            fresh: draw.bits(16) as u16,
            resent: una,
        };
        let behind = (una - flight.context.start).min(limits::HALF.into());
        flight.resent -= match draw.below(3) {
            0 => 0,
            1 => (draw.below(4) as u64).min(behind),
            _ => draw.below(behind as usize + 1) as u64,
        };
        for _ in 0..draw.below(MESSAGES + 1) {
            flight.start(draw);
        }
        flight.leave(draw);
        flight
    }

    /// Returns the position after the last message.
    pub fn end(&self) -> u64 {
        let last = self.started.last().and_then(|m| m.end(self.pmtu.bytes()));
        last.unwrap_or(self.context.unacknowledged)
    }

    /// Returns the message that contains this position.
    pub fn holding(&self, position: u64) -> Option<&Message> {
        self.started.iter().find(|m| m.holds(position, self.pmtu.bytes()))
    }

    /// Returns the Reads and atomics that are not answered.
    pub fn reads(&self) -> impl Iterator<Item = &Message> + Clone {
        self.started.iter().filter(|m| m.operation.is_read_or_atomic())
    }

    /// Adds a message behind the others, if the window has room for it.
    fn start(&mut self, draw: &mut Draw) {
        let full = self.pmtu.bytes();
        let mut message = message(draw, self.fresh, self.pmtu);
        let psns = message.psns(full);
        let una = self.context.unacknowledged;
        let mut first = self.end();
        // Part of the oldest message may be answered.
        if self.started.is_empty() && draw.flag() {
            let answered = draw.below(psns as usize) as u64;
            first -= answered.min(una - self.context.start);
        }
        if first + u64::from(psns) - una > WINDOW || self.reads().count() == usize::from(READS) {
            return;
        }
        message.first = Some(first);
        if matches!(message.operation, SendOperation::Read { .. }) {
            message.requests.push(first);
            let went_back_into = message.holds(self.resent, full) && self.resent != first;
            message.requests.extend(went_back_into.then_some(self.resent));
        }
        self.started.push(message);
        self.fresh = self.fresh.wrapping_add(1);
    }

    /// Lets some packets depart, and informs the model.
    fn leave(&mut self, draw: &mut Draw) {
        let full = self.pmtu.bytes();
        let una = self.context.unacknowledged;
        let mut next = una;
        if !self.started.is_empty() {
            let newest = &self.started[match draw.percent(75) {
                true => self.started.len() - 1,
                false => draw.below(self.started.len()),
            }];
            let (first, end) = (newest.first.unwrap_or(una), newest.end(full).unwrap_or(una));
            next = match newest.operation.carries_data() && draw.flag() {
                true => first + 1 + draw.below((end - first) as usize) as u64,
                false => end,
            };
            // Either no packet has departed, or as many as were answered.
            let oldest = &self.started[0];
            let untouched = oldest.first == Some(una);
            next = match untouched && draw.percent(10) {
                true => una,
                false => next.max(una),
            };
            if next == una && !untouched {
                next = oldest.end(full).unwrap_or(una);
            }
        }
        self.tell(next);
    }

    /// Gives the model the state after the packets before this position have departed.
    pub fn tell(&mut self, next: u64) {
        let sent = |message: &Message| match message.first {
            Some(first) if first < next => message.clone(),
            _ => Message {
                first: None,
                requests: Vec::new(),
                ..message.clone()
            },
        };
        self.context.messages = self.started.iter().map(sent).collect();
        self.context.next = next;
        self.context.cursor = next;
    }

    /// Sets the fields of the row that every decision reads.
    pub fn put(&self, block: &mut DecisionBlock) {
        let context = &self.context;
        block.set("row.una", psn_of(context.unacknowledged).into());
        block.set("row.start", psn_of(context.start).into());
        let wrapped = context.unacknowledged - context.start >= WINDOW;
        block.set("row.wrapped", wrapped.into());
        block.set("row.resent", psn_of(self.resent).into());
        block.set("row.started", self.fresh.into());
        block.set("row.reads", self.reads().count() as u64);
        if let Some(oldest) = self.reads().next() {
            let span = span(oldest, self.pmtu);
            block.set("row.read_first", span.0.into());
            block.set("row.read_last", span.1.into());
            block.set("row.read_wqe", oldest.index.into());
            block.set("row.read_length", wqe_length(oldest));
            block.set("row.read_atomic", oldest.operation.is_atomic().into());
        }
    }
}

/// Returns the first and last PSN of a message that has started.
pub fn span(message: &Message, pmtu: Pmtu) -> (u32, u32) {
    let first = message.first.unwrap_or_default();
    let last = first + u64::from(message.psns(pmtu.bytes())) - 1;
    (psn_of(first), psn_of(last))
}

/// Returns the number of bytes that the WQE moves.
pub fn wqe_length(message: &Message) -> u64 {
    match message.operation.is_atomic() {
        true => ATOMIC_BYTES,
        false => message.length,
    }
}

/// Returns the code `host::wqe::OP_*` of an operation.
pub fn operation_code(operation: &SendOperation) -> u8 {
    match operation {
        SendOperation::Send => wqe::OP_SEND,
        SendOperation::SendWithImmediate { .. } => wqe::OP_SEND_IMMEDIATE,
        SendOperation::SendWithInvalidate { .. } => wqe::OP_SEND_INVALIDATE,
        SendOperation::Write { .. } => wqe::OP_WRITE,
        SendOperation::WriteWithImmediate { .. } => wqe::OP_WRITE_IMMEDIATE,
        SendOperation::Read { .. } => wqe::OP_READ,
        SendOperation::CompareSwap { .. } => wqe::OP_COMPARE_SWAP,
        SendOperation::FetchAdd { .. } => wqe::OP_FETCH_ADD,
    }
}

/// Draws a message that has not started. It is solicited, so that SE appears wherever it may.
pub fn message(draw: &mut Draw, index: u16, pmtu: Pmtu) -> Message {
    let (va, r_key) = (limits::address(draw), draw.bits(32));
    let immediate = draw.array();
    let operation = match draw.below(12) {
        0..=1 => SendOperation::Send,
        2 => SendOperation::SendWithImmediate { immediate },
        3 => SendOperation::SendWithInvalidate { r_key },
        4..=5 => SendOperation::Write { va, r_key },
        6 => SendOperation::WriteWithImmediate { va, r_key, immediate },
        7..=9 => SendOperation::Read { va, r_key },
        10 => SendOperation::CompareSwap {
            va,
            r_key,
            compare: draw.word(),
            swap: draw.word(),
        },
        _ => SendOperation::FetchAdd {
            va,
            r_key,
            add: draw.word(),
        },
    };
    let length = u64::from(limits::message_length(draw, pmtu)).min(MAX_MESSAGE_BYTES);
    Message {
        solicited: true,
        fence: draw.percent(20),
        ..Message::new(index, operation, length)
    }
}
