//! The bugs, by row of `field-bugs.csv`, and of `conformance.csv` where nobody has met them.

use std::path::{Path, PathBuf};

/// A change of the model's text.
pub struct Bug {
    pub id: &'static str,
    /// Below `golden/src`.
    file: &'static str,
    /// What stands in the file exactly once, and what stands there instead.
    pub right: &'static str,
    pub wrong: &'static str,
    /// A case that fails: one for both devices, on the model, or one for the model alone.
    pub seen_by: &'static str,
}

/// What stands between the module and the name of a case for both devices.
const ON_THE_MODEL: &str = "::model::";

impl Bug {
    /// Within the workspace.
    pub fn path(&self) -> PathBuf {
        Path::new("golden/src").join(self.file)
    }

    pub fn is_seen_on_both_devices(&self) -> bool {
        self.seen_by.contains(ON_THE_MODEL)
    }

    /// File, within the workspace, and function.
    pub fn place_of_its_case(&self) -> (String, &str) {
        let (folder, found) = match self.seen_by.split_once(ON_THE_MODEL) {
            Some(found) => ("testbench/tests/conformance", found),
            None => ("golden/tests/rc", self.seen_by.split_once("::").unwrap()),
        };
        let (module, case) = found;
        // Some modules stand within a file.
        let files = std::iter::successors(Some(module), |module| Some(module.rsplit_once("::")?.0));
        let mut files = files.map(|module| format!("{folder}/{}.rs", module.replace("::", "/")));
        let is_there = |file: &String| super::workspace().join(file).exists();
        (files.find(is_there).unwrap_or_default(), case)
    }
}

pub const fn bug(
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
pub const BUGS: [Bug; 73] = [
    // The limit of unacknowledged PSNs is compared in 24 bits.
    bug("FB01", "decision/requester/gate.rs", "end > context.next && end - context.unacknowledged > WINDOW",
        "end > context.next && super::psn_of(end) > super::psn_of(context.unacknowledged) + WINDOW as u32",
        "rc::psn::model::cf286_the_window_across_the_wrap"),
    // A duplicate Read ends the open Write.
    bug("FB02", "decision/responder/execute.rs",
        "            (context, answers)", "            (Context { open: None, ..context }, answers)",
        "rc::opseq::model::cf074_duplicates_do_not_disturb_an_open_write"),
    // A duplicate Write is acknowledged with the PSN of a later Read.
    bug("FB03", "decision/responder/duplicate.rs",
        "psn: owed.map_or(context.ackable_psn, |r| r.ackable_psn)",
        "psn: crate::psn::subtract(context.expected_psn, owed.map_or(1, |_| 1))",
        "rc::dup::model::cf125_the_ack_for_a_duplicate_never_carries_the_psn_of_a_read"),
    // An ack completes WQEs past an unanswered Read.
    bug("FB04", "decision/requester/effect.rs",
        "        if beyond || skips || repeats {", "        if !matches!(response.kind, Kind::Acknowledge) && (beyond || skips) {",
        "rc::resp::model::cf173_an_ack_beyond_an_unanswered_read_has_it_retried"),
    // The remainder of a Read is asked for at the address of the whole.
    bug("FB05", "decision/requester/plan.rs",
        "let va = va.wrapping_add(offset);", "let _ = offset;",
        "rc::resp::model::cf175_a_missing_read_response_has_the_remainder_read"),
    // MSN counts the first packet of a message.
    bug("FB06", "decision/responder/execute.rs",
        "context.msn = psn::add(context.msn, ends.into());",
        "context.msn = psn::add(context.msn, request.opcode.is_some_and(|o| o.begins()).into());",
        "rc::ack::model::cf135_msn_counts_each_new_message_once"),
    // The ack timer goes on during an RNR wait.
    bug("FB07", "decision/requester/retry.rs",
        "    context.timer = None;\n    context.rewind = Some(Rewind {", "    context.rewind = Some(Rewind {",
        "timer::the_wait_of_each_scale"),
    // "For ever" is read from the other counter.
    bug("FB08", "decision/requester/retry.rs",
        "if context.limits.rnr_retry != FOREVER {", "if context.limits.retry_cnt != FOREVER {",
        "rc::rnr::model::cf115_rnr_retry_7_never_gives_up"),
    // An RNR NAK during a retry is lost.
    bug("FB09", "decision/requester/retry.rs",
        "    if context.rewind.is_some_and(waiting) {", "    if context.rewind.is_some_and(waiting) || context.retrying == Some(position) {",
        "rc::rnr::model::an_rnr_nak_during_a_retry_is_waited_for"),
    // A replay stops one packet before where it began.
    bug("FB10", "decision/requester/plan.rs",
        "if context.cursor == context.next {", "if context.cursor + 1 >= context.next {",
        "rc::resp::model::cf191_retransmitted_packets_are_identical"),
    // An atomic is answered again with what memory holds now.
    bug("FB11", "decision/responder/duplicate.rs",
        "original: original(context, request).unwrap_or_default(),", "original: request.original,",
        "rc::dup::model::cf122_a_duplicate_atomic_returns_the_saved_value"),
    // An operation that uses no receive WQE is not refused.
    bug("FB12", "decision/responder/check.rs",
        "judge: |_, r| refuse_unless(r.permitted, r, NAK_REMOTE_ACCESS),",
        "judge: |_, r| refuse_unless(r.permitted || !r.uses_receive_wqe(), r, NAK_REMOTE_ACCESS),",
        "rc::key::model::cf085_cf093_an_unknown_r_key"),
    // The length check looks at the wrong field.
    bug("FB13", "decision/responder/check.rs",
        "received == announced || !ends && received < announced", "received <= context.pmtu as u64 || ends || announced > 0",
        "rc::check::model::cf081_a_write_with_more_data_than_dmalen"),
    // VA + length wraps.
    bug("FB20", "decision/protection.rs",
        "let end = |at: u64, length: u64| u128::from(at) + u128::from(length);",
        "let end = |at: u64, length: u64| at.wrapping_add(length);",
        "rc::key::model::cf087_access_outside_the_region"),
    // No bytes need a key.
    bug("FB21", "decision/responder/execute.rs",
        "    access.filter(|a| a.length != 0)", "    access",
        "rc::key::model::cf089_no_bytes_need_no_key"),
    // A NAK inside the responses of a Read is taken for lost responses.
    bug("FB22", "decision/requester/effect.rs",
        "matches!(response.kind, Kind::Read(_)) && is_read && position > waits_for", "is_read && position > waits_for || is_read && matches!(response.kind, Kind::Acknowledge) && position >= waits_for",
        "rc::fault::model::a_nak_in_the_middle_of_read_responses_ends_the_read"),
    // Nothing is flushed when a device reports the error.
    bug("FB23", "hca/queue_pair.rs",
        "            self.responses.release();\n        }\n        self.flush();", "            self.responses.release();\n        }",
        "rc::fault::model::cf178_cf179_cf180_cf182_fatal_naks"),
    // After an error packets are still executed.
    bug("FB24", "decision/responder/execute.rs",
        "NAK_REMOTE_ACCESS => vec![nak, Action::ReportAccessError, Action::Fail],",
        "NAK_REMOTE_ACCESS => vec![nak, Action::ReportAccessError],",
        "rc::check::model::cf092_after_a_nak_that_ends_it_the_qp_is_silent"),
    // A fence waits for every earlier WQE.
    bug("FB25", "decision/requester/gate.rs",
        "plan.starts && fence && earlier.any(|m| m.operation.is_read_or_atomic())", "plan.starts && fence && earlier.next().is_some()",
        "rc::req::model::cf162_a_fence_waits_for_earlier_reads_and_atomics"),
    // A completion between the last poll and the arming is forgotten with the arming before it.
    bug("FB26", "hca/completion_queue.rs",
        "due: before.is_some_and(|a| a.due),", "due: false,",
        "cq::fb26_an_arming_forgets_no_completion"),
    // Byte count 0 of a Write with immediate.
    bug("FB27", "decision/responder/execute.rs",
        "            byte_count: target.dma_len,", "            byte_count: 0,",
        "rc::exec::model::cf100_write_with_immediate_takes_a_wqe_with_its_immediate_packet"),
    // What is sent again is gathered from the start of the message.
    bug("FB28", "hca/outbound.rs",
        "                window.gather(&self.memory, sges, plan.offset, plan.length)?",
        "                let again = plan.position + 1 < qp.requester.next;\n                let offset = if again { 0 } else { plan.offset };\n                window.gather(&self.memory, sges, offset, plan.length)?",
        "rc::resp::model::cf191_retransmitted_packets_are_identical"),
    // The timer is never cancelled.
    bug("FB29", "decision/requester/retry.rs",
        "context.timer = (!all && context.rewind.is_none()).then(|| AckTimer::start(now));",
        "context.timer = context.rewind.is_none().then(|| AckTimer::start(now));",
        "timer::the_timer_stops_when_all_is_answered"),
    // A WQE that no doorbell has announced is taken.
    bug("FB30", "work_queue.rs",
        "(self.taken < self.announced).then(|| self.first.wrapping_add(self.taken as u16))",
        "(self.taken < self.entries.len()).then(|| self.first.wrapping_add(self.taken as u16))",
        "permitted::wqes_count_from_their_doorbell_on"),
    // The queues of a QP survive its Reset.
    bug("FB31", "hca/queue_pair.rs",
        "*self = QueuePair::new(self.made.clone(), self.capabilities).with_queues(send, receive);",
        "*self = QueuePair { send: self.send.clone(), ..QueuePair::new(self.made.clone(), self.capabilities).with_queues(send, receive) };",
        "qp::transitions::model::cf238_reset_restarts_everything"),
    // The RNR timer code counts on another scale.
    bug("FB32", "decision/timer.rs",
        "RNR_DELAY_US[usize::from(code & 0x1F)] * 1_000_000", "RNR_DELAY_US[usize::from(code & 0x1F)] * 1_000",
        "rc::rnr::model::cf112_the_requester_waits_for_the_coded_delay"),
    // A Read of no bytes is answered with first and no end.
    bug("FB35", "hca/response.rs",
        "(self.sent == 0, self.sent + 1 == self.packets())", "(self.sent == 0, u64::from(self.sent) + 1 == u64::from(self.target.dma_len).div_ceil(self.pmtu as u64))",
        "rc::ack::model::cf141_a_read_of_no_bytes_has_one_empty_response"),
    // A message that is sent again from its middle begins with a first opcode.
    bug("FB36", "decision/requester/plan.rs",
        "let (begins, ends) = (offset == 0, left <= pmtu as u64);",
        "let (begins, ends) = (offset == 0 || position == context.cursor && position < context.next && context.retrying == Some(position), left <= pmtu as u64);",
        "rc::resp::model::cf177_nak_60h_resends_from_its_psn"),
    // End-to-end credits, by row of `conformance.csv`.
    // Counts are rounded up to the table.
    bug("CF144, CF145", "wire/credit.rs",
        "partition_point(|credits| *credits <= count) as u8 - 1",
        "partition_point(|credits| *credits < count) as u8",
        "rc::credit_resp::model::cf144_cf145_cf148_the_initial_ack_tells_of_the_receive_wqes"),
    // Credits are given where they are switched off.
    bug("CF146", "hca/credit.rs",
        "            false => NO_CREDITS,",
        "            false => encode(count),",
        "rc::credit_resp::model::cf146_code_31_where_credits_are_not_supplied"),
    // Receive WQEs survive Reset.
    bug("CF147", "hca/queue_pair.rs",
        "*self = QueuePair::new(self.made.clone(), self.capabilities).with_queues(send, receive);",
        "*self = QueuePair { receive: self.receive.clone(), ..QueuePair::new(self.made.clone(), self.capabilities).with_queues(send, receive) };",
        "rc::credit_resp::model::cf147_cf238_the_count_is_zero_after_create_and_reset"),
    // A WQE counts until its message is complete.
    bug("CF149", "work_queue.rs",
        "        self.announced - self.taken\n",
        "        self.announced\n",
        "rc::credit_resp::model::cf149_a_send_takes_its_wqe_with_the_first_packet"),
    // The initial ack has the first PSN.
    bug("CF150", "hca/advertised.rs",
        "psn: psn::subtract(rq_psn, 1),",
        "psn: rq_psn,",
        "rc::credit_resp::model::cf150_cf273_the_initial_ack_has_the_psn_before_the_first"),
    // A peer that may starve gets no ack.
    bug("CF151", "hca/credit.rs",
        "let starving = fresh > advertised && 2 * u32::from(advertised) <= fresh.into();",
        "let starving = fresh > advertised && 4 * u32::from(advertised) <= fresh.into();",
        "rc::credit_resp::model::cf151_an_unsolicited_ack_when_the_peer_may_starve"),
    // An unsolicited ack comes behind a NAK.
    bug("CF153", "hca/credit.rs",
        "starving && !self.advertised.nak && !waiting_for_psn && !self.failing()",
        "starving && (self.advertised.nak || !waiting_for_psn) && !self.failing()",
        "rc::credit_resp::model::cf153_no_unsolicited_ack_while_a_nak_is_the_latest_answer"),
    // LSN is one less than MSN + credits.
    bug("CF194", "decision/requester/credits.rs",
        "psn::add(psn::add(msn, credits.into()), uncounted as u32)",
        "psn::add(psn::add(msn, u32::from(credits).saturating_sub(1)), uncounted as u32)",
        "rc::credit_req::model::cf194_cf274_lsn_is_msn_plus_credits"),
    // The first WQE has SSN 0.
    bug("CF195", "decision/requester/credits.rs",
        "        self.ssn = psn::add(self.ssn, 1);\n        self.ssn\n",
        "        self.ssn = psn::add(self.ssn, 1);\n        psn::subtract(self.ssn, 1)\n",
        "rc::credit_req::model::cf195_cf198_the_first_wqe_has_ssn_1"),
    // A Write leaves its credit to nobody.
    bug("CF196", "decision/requester/credits.rs",
        "            self.lsn = psn::add(self.lsn, 1);\n",
        "",
        "rc::credit_req::model::cf196_cf274_what_takes_no_wqe_adds_one"),
    // What MSN has counted adds one again.
    bug("CF196, uncounted", "decision/requester/credits.rs",
        "self.uncounted.iter().filter(beyond).count()",
        "self.uncounted.iter().filter(|ssn| beyond(ssn) || true).count()",
        "rc::credit_req::model::cf196_an_ack_that_counts_none_or_all_of_them"),
    // A limited Send goes on.
    bug("CF197", "decision/requester/credit.rs",
        "!is_write && !plan.starts && holds_back(&m)",
        "is_write && !plan.starts && holds_back(&m)",
        "rc::credit_req::model::cf197_cf199_a_limited_send_stops_after_its_first_packet"),
    // The first packet of a message asks for no ack.
    bug("CF198", "decision/requester/plan.rs",
        "&& (begins || last ||",
        "&& (last ||",
        "rc::credit_req::model::cf195_cf198_the_first_wqe_has_ssn_1"),
    // A limited Send waits for credits although its first packet is acknowledged.
    bug("CF199", "decision/requester/credit.rs",
        "first.is_some_and(|first| first < context.unacknowledged)",
        "first.is_some_and(|first| first + (1 << 20) < context.unacknowledged)",
        "rc::credit_req::model::cf199_the_ack_of_the_first_packet_is_enough"),
    // A limited Write with immediate stops after its first packet.
    bug("CF200", "decision/requester/credit.rs",
        "!is_write && !plan.starts && holds_back(&m)",
        "!plan.starts && holds_back(&m)",
        "rc::credit_req::model::cf200_a_limited_write_with_immediate_sends_all_and_stops"),
    // A Write needs a credit.
    bug("CF201", "verbs.rs",
        "    pub fn takes_receive_wqe(&self) -> bool {\n        self.may_be_solicited()",
        "    pub fn takes_receive_wqe(&self) -> bool {\n        self.carries_data()",
        "rc::credit_req::model::cf201_reads_writes_and_atomics_need_no_credit"),
    // What follows a limited WQE goes on.
    bug("CF202", "decision/requester/credit.rs",
        "earlier.any(|m| holds_back(&m)) ||",
        "earlier.all(|m| holds_back(&m)) && false ||",
        "rc::credit_req::model::cf202_a_limited_wqe_blocks_all_behind_it"),
    // What is sent again is limited.
    bug("CF203", "decision/requester/credit.rs",
        "    if plan.position < context.next {\n        return false;\n    }\n",
        "    if plan.position < context.next && context.unacknowledged > plan.position {\n        return false;\n    }\n",
        "rc::credit_req::model::cf203_a_retransmission_ignores_credits"),
    // The initial ack is dropped.
    bug("CF204", "decision/requester/response.rs",
        "context.position(response.psn) + 1 == context.unacknowledged",
        "context.position(response.psn) + 1 == context.unacknowledged && context.unacknowledged > context.start",
        "rc::credit_req::model::cf204_the_initial_ack_gives_credits_and_completes_nothing"),
    // An unsolicited ack is dropped.
    bug("CF205", "decision/requester/response.rs",
        "context.position(response.psn) + 1 == context.unacknowledged",
        "context.unacknowledged == context.start",
        "rc::credit_req::model::cf205_an_unsolicited_ack_gives_credits_and_completes_nothing"),
    // Code 31 is no credit.
    bug("CF206", "decision/requester/credits.rs",
        "            self.switched_off = true;\n",
        "",
        "rc::credit_req::model::cf206_code_31_removes_limits_until_reset"),
    // An older limit replaces a newer one.
    bug("CF207", "decision/requester/credits.rs",
        "        if psn::difference(limit, self.lsn) > 0 {\n            self.lsn",
        "        if limit != self.lsn {\n            self.lsn",
        "rc::credit_req::model::cf207_a_lower_limit_in_sequence_changes_nothing"),
    // LSN does not wrap.
    bug("CF285", "decision/requester/credits.rs",
        "psn::add(psn::add(msn, credits.into()), uncounted as u32)",
        "msn + u32::from(credits) + uncounted as u32",
        "request::the_limit_wraps"),
    // A duplicate that waits may be dropped though its value is kept.
    bug("CF122", "decision/responder/duplicate.rs",
        "    !context.resources.keeps_atomic(psn)\n", "    context.expected_psn != psn\n",
        "replay::a_replay_that_waits_is_dropped_once_a_newer_atomic_has_its_resource"),
    // Reads lose the value, too.
    bug("CF123", "hca/effect.rs",
        "if verdict == Verdict::Execute && packet.atomic_eth().is_some() {", "if verdict == Verdict::Execute {",
        "replay::a_replay_that_waits_behind_reads_is_not_dropped"),
    // UC packets ask for acks.
    bug("FB15", "decision/requester/plan.rs",
        "ack_req: context.limits.service.is_reliable()",
        "ack_req: true",
        "uc::requester::model::cf287_cf288_cf289_packets_and_their_psns"),
    // UC sends with the opcodes of RC.
    bug("CF287", "decision/requester/plan.rs",
        "Service::Uc => Transport::Uc,",
        "Service::Uc => Transport::Rc,",
        "uc::requester::model::cf287_cf288_cf289_packets_and_their_psns"),
    // A message of UC is complete with its first packet.
    bug("CF210", "decision/uc/requester.rs",
        "if message.end(pmtu) != Some(next) || context.broken.is_some() {",
        "if context.broken.is_some() {",
        "uc::requester::model::cf210_work_completes_once_its_last_packet_has_left"),
    // UC carries out Reads and atomics.
    bug("CF290", "verbs.rs",
        "Service::Uc => matches!(",
        "Service::Uc => true || matches!(",
        "uc::requester::model::cf290_operations_that_uc_has_not_end_in_sqe"),
    // A local error of a UC send queue moves the whole QP to Error.
    bug("CF217", "hca/queue_pair.rs",
        "(QueueSide::Send, false) => self.send_fails = true,",
        "(QueueSide::Send, false) if false => {}",
        "uc::requester::model::cf217_cf292_cf293_a_key_that_fails_in_the_middle"),
    // The PSNs start over when a QP leaves SQE.
    bug("CF295", "decision/uc/requester.rs",
        "    context.messages.clear();\n",
        "    context.messages.clear();\n    (context.next, context.cursor, context.unacknowledged) = (0, 0, 0);\n",
        "uc::requester::model::cf295_sqe_to_rts_sends_again"),
    // SQE cannot be left for RTS.
    bug("CF308", "decision/transition.rs",
        "transition(Sqe, Rts, NONE, enum_set!(Access)),",
        "transition(Sqe, Sqd, NONE, enum_set!(Access)),",
        "uc::states::model::cf308_what_leads_to_sqe_and_out_of_it"),
    // A middle or last packet of UC is taken whatever its PSN.
    bug("CF211", "decision/uc/responder.rs",
        "begins(r) || r.psn == c.expected_psn,",
        "begins(r) || r.psn != c.expected_psn || c.pmtu > 0,",
        "uc::responder::model::cf211_a_lost_middle_drops_its_message_and_its_wqe_is_used_again"),
    // A first packet of UC does not resynchronise.
    bug("CF212", "decision/uc/responder.rs",
        "begins(r) || r.psn == c.expected_psn,",
        "r.psn == c.expected_psn,",
        "uc::responder::model::cf212_a_first_packet_resynchronises"),
    // What is left of a UC message that was dropped continues it.
    bug("CF213", "decision/uc/responder.rs",
        "            context.open = None;\n            (context, Vec::new())",
        "            (context, Vec::new())",
        "uc::responder::model::cf213_what_continues_nothing_is_dropped_until_the_next_first"),
    // A first packet inside a UC message continues it.
    bug("CF214", "decision/uc/responder.rs",
        "context.open.filter(|_| !opcode_begins)",
        "context.open.filter(|_| opcode_begins || context.pmtu > 0)",
        "uc::responder::model::cf214_cf297_a_first_inside_a_message_starts_anew"),
    // A Send of UC needs no receive WQE.
    bug("CF215", "decision/uc/responder.rs",
        "let ready = !is_send(r) || !begins(r) || r.receive_wqe.is_some();",
        "let ready = !is_send(r) || r.length < usize::MAX;",
        "uc::responder::model::cf215_a_message_without_a_receive_wqe_is_dropped"),
    // A Write of UC may leave its region.
    bug("CF216", "decision/uc/responder.rs",
        "drop_unless(r.permitted, DropReason::UnreliableAccess)",
        "drop_unless(r.permitted || is_write(r), DropReason::UnreliableAccess)",
        "uc::responder::model::cf216_cf300_a_write_outside_its_region_is_dropped"),
    // A UC packet that continues nothing is taken.
    bug("CF298", "decision/uc/responder.rs",
        "begins(r) || continues(c, r)",
        "begins(r) || continues(c, r) || ends(r)",
        "uc::responder::model::cf298_a_last_at_the_right_psn_needs_an_open_message"),
    // A UC QP takes Writes without the remote-write flag.
    bug("CF299", "decision/uc/responder.rs",
        "!is_write(r) || c.enabled.write",
        "!is_write(r) || c.pmtu > 0",
        "uc::responder::model::cf299_a_write_that_the_flags_forbid_is_dropped"),
    // A UC Write with immediate is placed without a receive WQE.
    bug("CF302", "decision/uc/responder.rs",
        "let ready = !has_immediate(r) || r.receive_wqe.is_some();",
        "let ready = !has_immediate(r) || r.length < usize::MAX;",
        "uc::responder::model::cf302_immediate_data_without_a_receive_wqe_writes_nothing"),
    // A UC Send may be longer than its receive WQE.
    bug("CF303", "decision/uc/responder.rs",
        "bytes <= wqe.room)",
        "bytes <= wqe.room + 4096)",
        "uc::responder::model::cf303_a_send_that_its_wqe_cannot_hold_is_dropped"),
    // A UC Write may end before its DMALen.
    bug("CF304", "decision/uc/responder.rs",
        "bytes == announced || !ends(request) && bytes < announced",
        "bytes <= announced",
        "uc::responder::model::cf304_lengths_that_do_not_fit_are_dropped"),
    // A local fault of a UC receive WQE leaves the QP as it is.
    bug("CF305", "decision/uc/responder.rs",
        "vec![error, Action::Fail]",
        "vec![error]",
        "uc::responder::model::cf305_a_receive_wqe_with_a_bad_key_ends_the_queue_pair"),
    // Each RNR NAK of a dry receive queue raises an event.
    bug("CF539", "hca/effect.rs",
        "syndrome >> 5 == RNR_NAK >> 5 && !again",
        "syndrome >> 5 == RNR_NAK >> 5",
        "rc::rnr::model::cf539_a_receive_queue_that_ran_dry_raises_one_event"),
];
