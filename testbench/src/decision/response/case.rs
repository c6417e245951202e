//! Requests under way, and a response to them.
use crate::decision::admission::state_code;
use crate::decision::flight::{span, wqe_length, Flight};
use crate::decision::limits;
use crate::wire::draw::Draw;
use hca_golden::decision::requester::{placement, psn_of, Kind, Message, Response, Rewind};
use hca_golden::decision::timer::AckTimer;
use hca_golden::event::RewindCause;
use hca_golden::psn;
use hca_golden::verbs::{QpState, SendOperation};
use hca_golden::wire::opcode::{
    Position, RC_ACKNOWLEDGE, RC_ATOMIC_ACKNOWLEDGE, RC_READ_RESPONSE_FIRST, RC_READ_RESPONSE_LAST,
    RC_READ_RESPONSE_MIDDLE, RC_READ_RESPONSE_ONLY,
};
use hca_host::retire::{drop, rewind};
use hca_sim::decision::DecisionBlock;

/// Time at which the model's timer was started, and time of the event.
pub const STARTED: u64 = 1000;
pub const NOW: u64 = 5000;

/// A response and the requests under way. The model's context is in the flight.
#[derive(Debug)]
pub struct Case {
    pub flight: Flight,
    pub state: QpState,
    /// The response; `None` if the ack timer expires.
    pub response: Option<Response>,
    /// An RNR delay runs.
    pub waiting: bool,
    /// Reason for which admission has refused the response (`host::retire::drop`), if it has.
    pub refused: Option<u8>,
}

impl Case {
    pub fn draw(draw: &mut Draw) -> Case {
        let mut flight = Flight::draw(draw);
        let context = &mut flight.context;
        let outstanding = context.next != context.unacknowledged;
        let limits = context.limits;
        context.retries = draw.below(usize::from(limits.retry_cnt) + 1) as u8;
        context.rnr_retries = match limits.rnr_retry {
            7 => 7,
            most => draw.below(usize::from(most) + 1) as u8,
        };
        context.retrying = (outstanding && draw.percent(30)).then_some(context.unacknowledged);
        context.rewind = (outstanding && draw.percent(25)).then(|| Rewind {
            position: context.unacknowledged,
            cause: draw.one_of(&[
                RewindCause::SequenceNak,
                RewindCause::ImpliedNak,
                RewindCause::RnrWaitOver,
                RewindCause::RnrWaitOver,
                RewindCause::AckTimeout,
            ]),
            not_before: 0,
            late: 0,
        });
        let runs = outstanding && context.rewind.is_none();
        context.timer = runs.then(|| AckTimer::start(STARTED));
        let rnr = context
            .rewind
            .is_some_and(|r| r.cause == RewindCause::RnrWaitOver);
        let response = (!runs || !draw.percent(8)).then(|| response(draw, &flight));
        Case {
            state: match draw.percent(95) {
                true => draw.one_of(&[QpState::Rts, QpState::Rts, QpState::Sqd]),
                false => draw.one_of(&[QpState::Reset, QpState::Init, QpState::Rtr, QpState::Error]),
            },
            waiting: rnr && draw.flag(),
            refused: (response.is_some() && draw.percent(3)).then(|| {
                draw.one_of(&[
                    drop::OPCODE,
                    drop::DEST_QP,
                    drop::QP_STATE,
                    drop::SOURCE,
                    drop::P_KEY,
                ])
            }),
            flight,
            response,
        }
    }

    /// Sets the inputs that the decision may depend on.
    pub fn put(&self, block: &mut DecisionBlock) {
        let Flight { context, pmtu, .. } = &self.flight;
        self.flight.put(block);
        block.set("row.state", state_code(self.state).into());
        block.set("row.retries", context.retries.into());
        block.set("row.rnr_retries", context.rnr_retries.into());
        block.set("row.retrying", context.retrying.is_some().into());
        block.set("row.rewinding", context.rewind.is_some().into());
        block.set("row.waiting", self.waiting.into());
        if let Some(rewind) = context.rewind {
            block.set("row.cause", cause_code(rewind.cause).into());
        }
        block.set("horizon", psn_of(context.next).into());
        block.set("pmtu", pmtu.code().into());
        block.set("retry_count", context.limits.retry_cnt.into());
        block.set("rnr_retry_count", context.limits.rnr_retry.into());
        block.set("timeout", self.response.is_none().into());
        block.set("response.drop", self.refused.is_some().into());
        if let Some(reason) = self.refused {
            block.set("response.drop_reason", reason.into());
        }
        if let Some(response) = &self.response {
            block.set("response.opcode", opcode(response.kind).into());
            block.set("response.psn", response.psn.into());
            block.set("response.payload", response.length as u64);
            if let Some(syndrome) = response.syndrome {
                block.set("response.syndrome", syndrome.into());
            }
            block.set("faulty", (!response.permitted).into());
        }
        if let Some(following) = self.flight.reads().nth(1) {
            let (first, last) = span(following, *pmtu);
            block.set("following_first", first.into());
            block.set("following_last", last.into());
            block.set("following_wqe", following.index.into());
            block.set("following_length", wqe_length(following));
            block.set("following_atomic", following.operation.is_atomic().into());
        }
    }
}

/// Returns the code `host::retire::rewind` of a cause.
fn cause_code(cause: RewindCause) -> u8 {
    match cause {
        RewindCause::SequenceNak => rewind::SEQUENCE_NAK,
        RewindCause::ImpliedNak => rewind::IMPLIED_NAK,
        RewindCause::RnrWaitOver => rewind::RNR_WAIT_OVER,
        RewindCause::AckTimeout => rewind::ACK_TIMEOUT,
    }
}

fn opcode(kind: Kind) -> u8 {
    match kind {
        Kind::Acknowledge => RC_ACKNOWLEDGE,
        Kind::Read(Position::First) => RC_READ_RESPONSE_FIRST,
        Kind::Read(Position::Middle) => RC_READ_RESPONSE_MIDDLE,
        Kind::Read(Position::Last) => RC_READ_RESPONSE_LAST,
        Kind::Read(Position::Only) => RC_READ_RESPONSE_ONLY,
        Kind::Atomic { .. } => RC_ATOMIC_ACKNOWLEDGE,
    }
}

/// Draws a response, mostly one that answers an outstanding request.
fn response(draw: &mut Draw, flight: &Flight) -> Response {
    let position = position(draw, flight);
    let message = flight.holding(position);
    let kind = kind(draw, flight, message, position);
    let length = match (kind, message) {
        (Kind::Read(_), Some(message)) => length(draw, flight, message, position),
        (Kind::Read(_), None) => draw.below(4097),
        _ => 0,
    };
    let mut response = Response {
        psn: psn_of(position),
        kind,
        syndrome: syndrome(draw, kind),
        msn: 0,
        length,
        permitted: true,
    };
    let writes = placement(&flight.context, &response).is_some_and(|(_, _, length)| length != 0);
    response.permitted = !writes || draw.percent(92);
    response
}

/// Draws a position: the oldest outstanding one, or one near the ends of the outstanding ones; sometimes a distant one.
fn position(draw: &mut Draw, flight: &Flight) -> u64 {
    let (una, next) = (flight.context.unacknowledged, flight.context.next);
    let waits_for = flight
        .reads()
        .find_map(|m| m.first)
        .map_or(una, |first| first.max(una));
    let near = draw.below(3) as u64;
    match draw.below(16) {
        0..=3 => una,
        4..=7 => waits_for + near.saturating_sub(1),
        8..=10 => una + draw.below((next - una) as usize + 1) as u64,
        11 => next - 1 + near,
        12 => una - 1 - near,
        13 => flight.context.start - 1 + near,
        14 => una + u64::from(limits::HALF) - 1 + near,
        _ => una + u64::from(draw.bits(24)),
    }
}

fn kind(draw: &mut Draw, flight: &Flight, message: Option<&Message>, position: u64) -> Kind {
    let original = draw.word();
    let any = draw.one_of(&[
        Kind::Acknowledge,
        Kind::Read(Position::First),
        Kind::Read(Position::Middle),
        Kind::Read(Position::Last),
        Kind::Read(Position::Only),
        Kind::Atomic { original },
    ]);
    let Some(message) = message.filter(|_| !draw.percent(15)) else {
        return any;
    };
    if message.operation.is_atomic() {
        return Kind::Atomic { original };
    }
    if !matches!(message.operation, SendOperation::Read { .. }) {
        return Kind::Acknowledge;
    }
    let begins = message.first == Some(position) || position == flight.resent && draw.flag();
    let ends = message.end(flight.pmtu.bytes()) == Some(position + 1);
    Kind::Read(match (begins, ends) {
        (true, true) => Position::Only,
        (true, false) => Position::First,
        (false, false) => Position::Middle,
        (false, true) => Position::Last,
    })
}

fn length(draw: &mut Draw, flight: &Flight, message: &Message, position: u64) -> usize {
    let full = flight.pmtu.bytes();
    let left = message.length.saturating_sub(message.offset(position, full));
    let due = left.min(full as u64) as usize;
    match draw.below(16) {
        0 => due.saturating_sub(1),
        1 => (due + 1).min(4096),
        2 => full,
        _ => due,
    }
}

fn syndrome(draw: &mut Draw, kind: Kind) -> Option<u8> {
    if kind == Kind::Read(Position::Middle) {
        return None;
    }
    let acknowledges = match kind {
        Kind::Acknowledge => 50,
        _ => 95,
    };
    Some(match draw.below(100) {
        c if c < acknowledges => draw.bits(5) as u8,
        _ => match draw.below(8) {
            0..=2 => 0x60 + draw.bits(2) as u8,
            3 => 0x60,
            4..=5 => 0x20 | draw.bits(5) as u8,
            _ => draw.bits(8) as u8,
        },
    })
}

/// Returns the 24-bit distance from one position's PSN to another position's PSN.
pub fn ahead(from: u64, to: u64) -> u64 {
    psn::subtract(to as u32, psn_of(from)).into()
}
