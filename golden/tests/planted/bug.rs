//! The bugs, by row of `field-bugs.csv`.

/// A change of the model's text.
pub struct Bug {
    pub id: &'static str,
    /// Below `src`.
    pub file: &'static str,
    /// What stands in the file exactly once, and what stands there instead.
    pub right: &'static str,
    pub wrong: &'static str,
    /// A case that fails.
    pub seen_by: &'static str,
}

const fn bug(
    id: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
    seen_by: &'static str,
) -> Bug {
    Bug {
        id,
        file,
        right,
        wrong,
        seen_by,
    }
}

#[rustfmt::skip]
pub const BUGS: [Bug; 27] = [
    // The limit of unacknowledged PSNs is compared in 24 bits.
    bug("FB01", "decision/requester/gate.rs", "end > context.next && end - context.unacknowledged > WINDOW",
        "end > context.next && super::psn_of(end) > super::psn_of(context.unacknowledged) + WINDOW as u32",
        "psn::cf286_no_more_than_2_to_23_psns_are_outstanding"),
    // A duplicate Read ends the open Write.
    bug("FB02", "decision/responder/execute.rs",
        "            (context, answers)", "            (Context { open: None, ..context }, answers)",
        "opseq::cf074_a_duplicate_read_does_not_disturb_an_open_write"),
    // A duplicate Write is acknowledged with the PSN of a later Read.
    bug("FB03", "decision/responder/duplicate.rs",
        "psn: owed.map_or(context.ackable_psn, |r| r.ackable_psn)",
        "psn: crate::psn::subtract(context.expected_psn, owed.map_or(1, |_| 1))",
        "dup::cf125_the_ack_for_a_duplicate_never_carries_the_psn_of_a_read"),
    // An ack completes WQEs past an unanswered Read.
    bug("FB04", "decision/requester/effect.rs",
        "        if beyond || skips {", "        if !matches!(response.kind, Kind::Acknowledge) && (beyond || skips) {",
        "resp::cf173_an_ack_beyond_an_unanswered_read_has_it_retried"),
    // The remainder of a Read is asked for at the address of the whole.
    bug("FB05", "decision/requester/plan.rs",
        "let va = va.wrapping_add(offset);", "let _ = offset;",
        "resp::cf175_a_missing_read_response_has_the_remainder_read"),
    // MSN counts the first packet of a message.
    bug("FB06", "decision/responder/execute.rs",
        "context.msn = psn::add(context.msn, ends.into());",
        "context.msn = psn::add(context.msn, request.opcode.is_some_and(|o| o.begins()).into());",
        "ack::cf135_msn_counts_each_new_message_once"),
    // The ack timer goes on during an RNR wait.
    bug("FB07", "decision/requester/retry.rs",
        "    context.timer = None;\n    context.rewind = Some(Rewind {", "    context.rewind = Some(Rewind {",
        "rnr::cf112_the_requester_waits_for_the_coded_delay"),
    // "For ever" is read from the other counter.
    bug("FB08", "decision/requester/retry.rs",
        "if context.limits.rnr_retry != FOREVER {", "if context.limits.retry_cnt != FOREVER {",
        "rnr::cf115_rnr_retry_7_never_gives_up"),
    // An RNR NAK during a retry is lost.
    bug("FB09", "decision/requester/retry.rs",
        "    if context.rewind.is_some_and(waiting) {", "    if context.rewind.is_some_and(waiting) || context.retrying == Some(position) {",
        "rnr::cf115_rnr_retry_7_never_gives_up"),
    // A replay stops one packet before where it began.
    bug("FB10", "decision/requester/plan.rs",
        "if context.cursor == context.next {", "if context.cursor + 1 >= context.next {",
        "timeout::cf191_retransmitted_packets_are_identical"),
    // An atomic is answered again with what memory holds now.
    bug("FB11", "decision/responder/duplicate.rs",
        "original: original(context, request).unwrap_or_default(),", "original: request.original,",
        "dup::cf122_a_duplicate_atomic_returns_the_saved_value"),
    // An operation that uses no receive WQE is not refused.
    bug("FB12", "decision/responder/check.rs",
        "judge: |_, r| refuse_unless(r.permitted, r, NAK_REMOTE_ACCESS),",
        "judge: |_, r| refuse_unless(r.permitted || !r.uses_receive_wqe(), r, NAK_REMOTE_ACCESS),",
        "check::cf085_an_unknown_r_key"),
    // The length check looks at the wrong field.
    bug("FB13", "decision/responder/check.rs",
        "received == announced || !ends && received < announced", "received <= context.pmtu as u64 || ends || announced > 0",
        "check::cf081_a_write_with_more_data_than_dmalen"),
    // VA + length wraps.
    bug("FB20", "decision/protection.rs",
        "let end = |at: u64, length: u64| u128::from(at) + u128::from(length);",
        "let end = |at: u64, length: u64| at.wrapping_add(length);",
        "check::cf087_access_outside_the_region"),
    // No bytes need a key.
    bug("FB21", "decision/responder/execute.rs",
        "    access.filter(|a| a.length != 0)", "    access",
        "check::cf089_no_bytes_need_no_key"),
    // A NAK inside the responses of a Read is taken for lost responses.
    bug("FB22", "decision/requester/effect.rs",
        "matches!(response.kind, Kind::Read(_)) && is_read && position > waits_for", "is_read && position > waits_for || is_read && matches!(response.kind, Kind::Acknowledge) && position >= waits_for",
        "resp::a_nak_in_the_middle_of_read_responses_ends_the_read"),
    // Nothing is flushed when a device reports the error.
    bug("FB23", "hca/queue_pair.rs",
        "        self.draining = false;\n        self.responses.release();\n        self.flush();", "        self.draining = false;\n        self.responses.release();",
        "resp::cf180_nak_63h_ends_the_wqe"),
    // After an error packets are still executed.
    bug("FB24", "decision/responder/execute.rs",
        "NAK_REMOTE_ACCESS => vec![nak, Action::TellAccessError, Action::Fail],",
        "NAK_REMOTE_ACCESS => vec![nak, Action::TellAccessError],",
        "check::cf092_after_a_nak_that_ends_it_the_qp_is_silent"),
    // A fence waits for every earlier WQE.
    bug("FB25", "decision/requester/gate.rs",
        "plan.starts && fence && earlier.any(|m| m.operation.is_read_or_atomic())", "plan.starts && fence && earlier.next().is_some()",
        "req::cf162_a_fence_waits_for_earlier_reads_and_atomics"),
    // Byte count 0 of a Write with immediate.
    bug("FB27", "decision/responder/execute.rs",
        "            byte_count: target.dma_len,", "            byte_count: 0,",
        "exec::cf100_write_with_immediate_takes_a_wqe_with_its_immediate_packet"),
    // What is sent again is gathered from the start of the message.
    bug("FB28", "hca/outbound.rs",
        "                window.gather(&self.memory, sges, plan.offset, plan.length)?",
        "                let again = plan.position + 1 < qp.requester.next;\n                let offset = if again { 0 } else { plan.offset };\n                window.gather(&self.memory, sges, offset, plan.length)?",
        "timeout::cf191_retransmitted_packets_are_identical"),
    // The timer is never cancelled.
    bug("FB29", "decision/requester/retry.rs",
        "context.timer = (!all && context.rewind.is_none()).then(|| AckTimer::start(now));",
        "context.timer = context.rewind.is_none().then(|| AckTimer::start(now));",
        "timeout::the_timer_stops_when_all_is_answered"),
    // A WQE that no doorbell has announced is taken.
    bug("FB30", "work_queue.rs",
        "(self.taken < self.announced).then(|| self.first.wrapping_add(self.taken as u16))",
        "(self.taken < self.entries.len()).then(|| self.first.wrapping_add(self.taken as u16))",
        "permitted::wqes_count_from_their_doorbell_on"),
    // The queues of a QP survive its Reset.
    bug("FB31", "hca/queue_pair.rs",
        "*self = QueuePair::new(attributes.clone(), self.capabilities).with_queues(send, receive);",
        "*self = QueuePair { send: self.send.clone(), ..QueuePair::new(attributes.clone(), self.capabilities) };",
        "queue_pair::reset_starts_over"),
    // The RNR timer code counts on another scale.
    bug("FB32", "decision/timer.rs",
        "RNR_DELAY_US[usize::from(code & 0x1F)] * 1_000_000", "RNR_DELAY_US[usize::from(code & 0x1F)] * 1_000",
        "rnr::cf112_the_requester_waits_for_the_coded_delay"),
    // A Read of no bytes is answered with first and no end.
    bug("FB35", "hca/response.rs",
        "(self.sent == 0, self.sent + 1 == self.packets())", "(self.sent == 0, u64::from(self.sent) + 1 == u64::from(self.target.dma_len).div_ceil(self.pmtu as u64))",
        "ack::cf141_a_read_of_no_bytes_has_one_empty_response"),
    // A message that is sent again from its middle begins with a first opcode.
    bug("FB36", "decision/requester/plan.rs",
        "let (begins, ends) = (offset == 0, left <= pmtu as u64);",
        "let (begins, ends) = (offset == 0 || position == context.cursor && position < context.next && context.retrying == Some(position), left <= pmtu as u64);",
        "resp::cf177_nak_60h_resends_from_its_psn"),
];
