//! Sets a case at the block's ports.
use super::Case;
use crate::decision::admission::state_code;
use hca_golden::decision::responder::{Open, OutstandingNak};
use hca_golden::wire::opcode::{Header, Operation};
use hca_host::command;
use hca_sim::decision::DecisionBlock;

/// Numbers of waiting answers from which on the queue of the response engine says that there are many, and that they
/// fill it.
const MANY_ANSWERS: usize = 16;
const ANSWERS_FILL: usize = 28;

/// Sets the inputs that the decision may depend on.
pub fn put(case: &Case, block: &mut DecisionBlock) {
    arrival(case, block);
    settings(case, block);
    context(case, block);
    let wqe = case.request.receive_wqe;
    let posted = match case.is_at_hand() {
        // Whether another WQE is posted must not matter.
        true => case.request.psn.is_multiple_of(2),
        false => wqe.is_some(),
    };
    debug_assert!(!case.is_at_hand() || wqe.is_some());
    block.set("arrived", case.consumer.wrapping_add(posted.into()).into());
    block.set(
        "answered",
        u64::from(case.taken.wrapping_sub(case.owed as u8)) % 32,
    );
    if let Some(wqe) = wqe {
        block.set("wqe_length", wqe.room);
    }
    let is_send = case
        .request
        .opcode
        .is_some_and(|o| o.operation == Operation::Send);
    let fault = match is_send {
        true => wqe.is_some_and(|w| !w.payload_permitted),
        false => !case.request.permitted,
    };
    block.set("data_fault", if fault { case.data_fault.into() } else { 0 });
    block.set("key_fault", (!case.request.may_invalidate).into());
    block.set("matched", case.matched.into());
    block.set("place", place(case));
    let waiting = case.request.answers_waiting;
    block.set("many_answers", (waiting >= MANY_ANSWERS).into());
    block.set("answers_fill", (waiting >= ANSWERS_FILL).into());
}

/// Returns the slot of the operation that a duplicate repeats, which is the oldest that is kept.
pub fn place(case: &Case) -> u64 {
    u64::from(case.taken.wrapping_sub(case.kept as u8)) % 16
}

/// Sets the fields of the headers. Those of headers that the packet does not have are 0.
fn arrival(case: &Case, block: &mut DecisionBlock) {
    let request = &case.request;
    let has = |header| request.opcode.is_some_and(|o| o.headers.contains(&header));
    block.set("arrival.opcode", case.opcode.into());
    block.set("arrival.psn", request.psn.into());
    block.set("arrival.ack_req", request.ack_req.into());
    block.set("arrival.payload", request.length as u64);
    let target = request.target;
    block.set("arrival.va", target.map_or(0, |t| t.va));
    let r_key = target.map(|t| t.r_key).or(request.invalidate);
    block.set("arrival.r_key", r_key.unwrap_or(0).into());
    let dma_len = target.filter(|_| has(Header::Reth)).map_or(0, |t| t.dma_len);
    block.set("arrival.dma_len", dma_len.into());
    block.set("arrival.grouped", 0);
    block.set("arrival.copy", 0);
    block.set("arrival.drop", case.refused.is_some().into());
    if let Some(reason) = case.refused {
        block.set("arrival.drop_reason", reason.into());
    }
}

fn settings(case: &Case, block: &mut DecisionBlock) {
    let enabled = case.context.enabled;
    block.set("settings.pmtu", case.pmtu.code().into());
    block.set("settings.datagram", 0);
    block.set("settings.unreliable", case.unreliable.into());
    block.set("settings.min_rnr_timer", case.context.min_rnr_timer.into());
    block.set("settings.depth", case.depth as u64);
    block.set("settings.remote_write", enabled.write.into());
    block.set("settings.remote_read", enabled.read.into());
    block.set("settings.remote_atomic", enabled.atomic.into());
}

fn context(case: &Case, block: &mut DecisionBlock) {
    let context = &case.context;
    block.set("qp.state", state_code(case.state).into());
    block.set("qp.holds", case.holds.into());
    block.set(
        "qp.reported",
        (state_code(case.state) == command::STATE_ERROR).into(),
    );
    block.set("qp.epsn", context.expected_psn.into());
    block.set("qp.msn", context.msn.into());
    block.set("qp.consumer", case.consumer.into());
    let nak = context.outstanding_nak != OutstandingNak::None;
    block.set("qp.nak_outstanding", nak.into());
    let rnr = context.outstanding_nak == OutstandingNak::Rnr;
    block.set("qp.rnr_outstanding", rnr.into());
    block.set("qp.acked_psn", context.ackable_psn.into());
    block.set("qp.taken", case.taken.into());
    block.set("qp.stored", case.kept as u64);
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
}
