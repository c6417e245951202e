//! The comparison of the decision blocks can fail: each bug planted in the exported Verilog is seen within 20,000
//! cases, and the field that tells is named.
use hca_hdl::verilog::Design;
use hca_testbench::decision::{by_name, Hardware, Stop};

const CASES: u64 = 20_000;

/// Changes what stands in a module exactly once.
fn plant(mut design: Design, module: &str, text: &str, planted: &str) -> Design {
    let found = design.modules.iter_mut().find(|m| m.name == module);
    let found = found.unwrap_or_else(|| panic!("no module {module}"));
    let places = found.text.matches(text).count();
    assert_eq!(places, 1, "`{text}` stands {places} times in {module}");
    found.text = found.text.replace(text, planted);
    design
}

fn is_seen(decision: &str, module: &str, text: &str, planted: &str, field: &str) {
    let kind = by_name(decision).unwrap();
    let design = plant(
        hca_rtl::decision::design(kind.block).unwrap(),
        module,
        text,
        planted,
    );
    let mut hardware = Hardware::of(kind, &design).unwrap();
    let Err(Stop::Mismatch(mismatch)) = hardware.run(1, 0..CASES) else {
        panic!("the bug is not seen");
    };
    let report = mismatch.render(1, "scripts/cosim decisions");
    assert!(report.contains(&format!("  * {field} ")), "{report}");
    assert!(report.contains("Again: scripts/cosim decisions\n"), "{report}");
}

#[test]
fn p_key_zero_is_let_through() {
    is_seen("admission", "p_key_match", "(|p_key[14:0])", "1'b1", "drop");
}

/// FB01.
#[test]
fn psns_are_compared_without_their_wrap() {
    is_seen(
        "request",
        "psn_region",
        "assign duplicate = distance[23];",
        "assign duplicate = psn < epsn;",
        "verdict",
    );
}

#[test]
fn a_full_packet_may_not_be_the_last() {
    is_seen(
        "request",
        "request_length_check",
        "!(pmtu_bytes < payload)",
        "(payload < pmtu_bytes)",
        "verdict",
    );
}

#[test]
fn one_read_more_than_there_are_slots_is_taken() {
    is_seen(
        "request", "resource_check", "!(owed < depth)", "(depth < owed)", "verdict",
    );
}

/// CF125.
#[test]
fn a_duplicate_is_acknowledged_with_the_psn_of_a_read() {
    is_seen(
        "request",
        "request_answer",
        "psn = context_[94:71];",
        "psn = context_[27:4] - 24'h1;",
        "job.psn",
    );
}

#[test]
fn a_replay_is_answered_under_any_key() {
    is_seen(
        "duplicate",
        "replay_match",
        "(stored[145:114] == r_key)",
        "1'b1",
        "found",
    );
}

/// FB04.
#[test]
fn an_ack_completes_a_read_without_its_data() {
    is_seen(
        "response", "response_region", "reaches && to_last[23]", "1'b0", "fails",
    );
}

/// CF190.
#[test]
fn progress_leaves_the_retries_as_they_are() {
    is_seen(
        "response",
        "response_effect",
        "retries = retry_count;",
        "retries = row[142:140];",
        "changed.retries",
    );
}

/// CF163.
#[test]
fn a_fence_waits_for_more_than_reads() {
    is_seen(
        "turn",
        "turn_gate",
        "fence && (|row[183:179])",
        "fence && (row[66:51] != 16'h0)",
        "closed",
    );
}

#[test]
fn the_63rd_packet_asks_for_an_ack() {
    is_seen(
        "turn",
        "request_plan",
        "plan_term[5:0] == 6'h3f",
        "plan_term[5:0] == 6'h3e",
        "plan.ack_req",
    );
}

/// FB43.
#[test]
fn a_lost_packet_of_uc_leaves_its_message_open() {
    is_seen(
        "unreliable",
        "uc_decision",
        "(!flags[1] || !continues)",
        "!continues",
        "verdict",
    );
}

/// CF302.
#[test]
fn the_key_of_a_uc_write_counts_behind_its_receive_wqe() {
    is_seen(
        "unreliable",
        "uc_decision",
        "end else if (lacks_wqe) begin\n      passes = 1'b1;",
        "end else if (lacks_wqe) begin",
        "verdict",
    );
}

/// `uc.md` section 3.1.
#[test]
fn an_abandoned_send_keeps_its_receive_wqe() {
    is_seen(
        "unreliable",
        "uc_effect",
        "(flags[9] || verdict[0])",
        "verdict[0]",
        "changed.holds",
    );
}

/// `uc.md` section 3: the PSN advances before the buffer is looked at.
#[test]
fn a_drop_for_want_of_a_wqe_leaves_the_psn() {
    is_seen(
        "unreliable",
        "uc_effect",
        "if (flags[9] || flags[1]) begin",
        "if ((flags[9] || flags[1]) && !verdict[0]) begin",
        "changed.epsn",
    );
}

/// CF223.
#[test]
fn a_datagram_needs_no_room_for_its_network_header() {
    is_seen(
        "datagram-in",
        "ud_decision",
        "({1'd0, wqe_length} < flags[123:91])",
        "({1'd0, wqe_length} + 33'd40 < flags[123:91])",
        "execute",
    );
}

/// CF225.
#[test]
fn a_datagram_of_the_mtu_is_discarded() {
    is_seen(
        "datagram", "ud_judge", "(port_mtu < length)", "!(length < port_mtu)", "discards",
    );
}

/// CF042.
#[test]
fn a_qp_of_uc_takes_the_opcodes_of_rc() {
    is_seen(
        "admission", "admission", "own_class = service;", "own_class = 3'd0;", "drop_reason",
    );
}

/// CF338.
#[test]
fn a_datagram_comes_from_a_peer() {
    is_seen(
        "admission",
        "admission",
        "!datagram && !from_peer",
        "!from_peer",
        "drop_reason",
    );
}

/// CF218.
#[test]
fn a_connection_has_a_q_key() {
    is_seen(
        "admission",
        "admission",
        "datagram && !subnet && !holds_q_key",
        "!subnet && !holds_q_key",
        "drop",
    );
}

/// `ud.md` section 4: no QP is looked up for it, and none has failed.
#[test]
fn what_is_dropped_for_its_group_has_a_qp_that_failed() {
    is_seen(
        "datagram-in",
        "ud_decision",
        "(!arrival[414] || arrival[415])",
        "1'b1",
        "drop_reason",
    );
}

/// `ud.md` section 4.2: steps 6 to 15 for each member.
#[test]
fn the_copy_for_a_member_that_failed_is_dropped_for_its_slid() {
    is_seen(
        "datagram-in",
        "ud_decision",
        "(!arrival[414] || arrival[415])",
        "!arrival[414]",
        "drop_reason",
    );
}

/// CF290.
#[test]
fn uc_sends_with_invalidate() {
    is_seen(
        "unreliable-turn",
        "uc_request",
        "(service == services_uc) && (operation == send_invalidate)",
        "(service == services_ud) && (operation == send_invalidate)",
        "blame",
    );
}

/// CF287.
#[test]
fn a_packet_of_uc_asks_for_an_ack() {
    is_seen(
        "unreliable-turn",
        "uc_request",
        "own_opcode = opcode | 8'h20;\n      own_ack_req = 1'b0;",
        "own_opcode = opcode | 8'h20;",
        "plan.ack_req",
    );
}

#[test]
fn a_datagram_has_an_opcode_of_uc() {
    is_seen(
        "unreliable-turn", "uc_request", "opcode | 8'h60", "opcode | 8'h20", "plan.opcode",
    );
}

/// CF319.
#[test]
fn a_datagram_that_is_not_sent_does_not_end() {
    is_seen(
        "unreliable-turn", "ud_judge", "own_plan[54] = 1'b1;", "own_plan[54] = 1'b0;", "sent.current",
    );
}
