//! The comparison can fail: each bug planted in the exported Verilog is seen, and the report names the right field.
use assert_cmd::Command;
use hca_rtl::profile::SMALL;
use std::path::Path;

/// Changes of the exported text.
struct Bug {
    module: &'static str,
    /// What stands in the module exactly once, and what stands there instead.
    changes: &'static [(&'static str, &'static str)],
}

/// Exports the hardware with the bug in it; fails if its place is not there.
fn plant(bug: &Bug, folder: &Path) {
    let mut design = hca_rtl::export::hca(&SMALL).unwrap();
    let module = design.modules.iter_mut().find(|m| m.name == bug.module);
    let module = module.unwrap_or_else(|| panic!("no module {}", bug.module));
    for (text, planted) in bug.changes {
        let places = module.text.matches(text).count();
        assert_eq!(places, 1, "`{text}` stands {places} times in {}", bug.module);
        module.text = module.text.replace(text, planted);
    }
    design.write(folder).unwrap();
}

/// Runs seed001 on the hardware with the bug: it differs in this field, and the report holds these parts.
fn is_seen(bug: &Bug, field: &str, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    plant(bug, folder.path());
    let output = Command::cargo_bin("hca")
        .unwrap()
        .args(["cosim", "seed001", "--dut"])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}\n{errors}");
    let replay = format!(
        "replay: scripts/cosim seed001 --seed 1 --profile small --dut {} --fst waves.fst",
        folder.path().display()
    );
    let headline = format!("MISMATCH in seed001, seed 1: {field} at device");
    // Columns are as wide as their content.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts.iter().copied().chain([&*headline, &*replay]) {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn psn_is_not_incremented() {
    let bug = Bug {
        module: "turn_effect",
        changes: &[("packet_last + 24'h1;", "packet_last + 24'h0;")],
    };
    is_seen(
        &bug,
        "PSN",
        &[
            "RequestEmitted QP 000A12h, PSN 100",
            "* BTH.PSN 101 100",
            "device X",
        ],
    );
}

#[test]
fn msn_is_wrong() {
    let bug = Bug {
        module: "departure",
        changes: &[(
            "header[888:865] = ack[424:401];",
            "header[888:865] = ack[424:401] + 24'h1;",
        )],
    };
    is_seen(&bug, "AETH.MSN", &["device Y", "AckEmitted QP 000B23h, PSN 100"]);
}

#[test]
fn a_payload_byte_is_swapped_on_the_wire() {
    let bug = Bug {
        module: "packet_merge",
        changes: &[(
            "masked = payload_data;",
            "masked = {payload_data[55:48], payload_data[63:56], payload_data[47:0]};",
        )],
    };
    is_seen(
        &bug,
        "payload",
        &["device X", "* payload", "2048 bytes, from 0: "],
    );
}

#[test]
fn a_payload_byte_is_swapped_on_the_way_to_memory() {
    let bug = Bug {
        module: "scatter",
        changes: &[(
            ".beat(payload_data)",
            ".beat({payload_data[55:48], payload_data[63:56], payload_data[47:0]})",
        )],
    };
    is_seen(
        &bug,
        "memory",
        &["device Y", "receive buffer of wr_id 20174", "0x20000000"],
    );
}

#[test]
fn an_ack_goes_to_the_wrong_qp() {
    let bug = Bug {
        module: "departure",
        changes: &[(
            "header[495:472] = ack[111:88];",
            "header[495:472] = ack[111:88] ^ 24'h1;",
        )],
    };
    is_seen(&bug, "BTH.DestQP", &["device Y", "* BTH.DestQP 000A12h 000A13h"]);
}

#[test]
fn a_cqe_has_the_wrong_length() {
    let bug = Bug {
        module: "cqe_layout",
        changes: &[("record[104:73]}", "record[104:73] + {31'd0, record[64]}}")],
    };
    is_seen(
        &bug,
        "CQE.byte_count",
        &["device Y", "* byte_count", "5120", "5121"],
    );
}

#[test]
fn a_packet_is_sent_twice() {
    let bug = Bug {
        module: "departure",
        changes: &[
            (
                "  assign ack_ready = go && takes_ack;\n",
                "  reg again = 1'b0;\n  always @(posedge clock) if (go && takes_ack) again <= !again;\n  \
                 assign ack_ready = go && takes_ack && again;\n",
            ),
            (
                "assign emitted_valid = go && (ack_valid || is_ready);",
                "assign emitted_valid = retire_valid;",
            ),
            (
                "assign retire_valid = go && (ack_valid || is_ready);",
                "assign retire_valid = go && (takes_ack ? !again : is_ready);",
            ),
        ],
    };
    is_seen(
        &bug,
        "packet sent twice",
        &["device Y", "the same bytes were sent in cycle", "RC_ACKNOWLEDGE"],
    );
}

#[test]
fn nothing_is_sent() {
    let bug = Bug {
        module: "departure",
        changes: &[(
            "assign header_valid = ack_valid || is_ready;",
            "assign header_valid = 1'b0;",
        )],
    };
    is_seen(
        &bug,
        "liveness",
        &["device X", "still due:", "RC_SEND_FIRST, PSN 100, 2048 bytes"],
    );
}
