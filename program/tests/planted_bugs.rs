//! The comparison can fail: each bug planted in the exported Verilog is seen, and the report names the right field.
use assert_cmd::Command;
use hca_host::designs::TOP;
use hca_host::profile::SMALL;
use hca_testbench::planted::{plant, select_of, Bug, Change};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Name, module, and changes of the module: a text that it has exactly once, and its replacement; `@bug` is 1 where the
/// bug is to show.
type Row = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

#[rustfmt::skip]
const BUGS: &[Row] = &[
    ("PSN is not incremented", "turn_effect", &[("packet_last + 24'h1;", "packet_last + (@bug ? 24'h0 : 24'h1);")]),
    ("MSN is wrong", "departure", &[
        ("header[888:865] = ack[210:187];", "header[888:865] = ack[210:187] + {23'h0, @bug};"),
    ]),
    ("a payload byte is swapped on the wire", "packet_merge", &[
        ("masked = payload_data;", "masked = @bug ? {payload_data[55:48], payload_data[63:56], payload_data[47:0]} : payload_data;"),
    ]),
    ("a payload byte is swapped on the way to memory", "scatter", &[
        (".beat_data(payload_data)", ".beat_data(@bug ? {payload_data[55:48], payload_data[63:56], payload_data[47:0]} : payload_data)"),
    ]),
    ("an ack goes to the wrong QP", "departure", &[
        ("header[495:472] = ack[97:74];", "header[495:472] = ack[97:74] ^ {23'h0, @bug};"),
    ]),
    ("a CQE has the wrong length", "cqe_layout", &[("record[104:73]}", "record[104:73] + {31'd0, @bug && record[64]}}")]),
    ("a packet is sent twice", "departure", &[
        ("  assign ack_ready = go && takes_ack;\n",
         "  reg again = 1'b0;\n  always @(posedge clock) if (go && takes_ack) again <= !again;\n  \
          assign ack_ready = go && takes_ack && (again || !@bug);\n"),
        ("assign emitted_valid = go && (ack_valid || is_ready);",
         "assign emitted_valid = @bug ? retire_valid : (go && (ack_valid || is_ready));"),
        ("assign retire_valid = go && (ack_valid || is_ready);",
         "assign retire_valid = go && (@bug ? (takes_ack ? !again : is_ready) : (ack_valid || is_ready));"),
    ]),
    ("nothing is sent", "departure", &[
        ("(ack_valid || is_ready) && !discards;", "(ack_valid || is_ready) && !discards && !@bug;"),
    ]),
    ("a 64-bit counter counts a word too many", "wide_counters", &[
        ("came_0 = {4'd0, departures_words};", "came_0 = {4'd0, departures_words} + {14'd0, @bug};"),
    ]),
    ("a 64-bit counter of multicast packets counts all", "wide_counters", &[
        ("{4'd0, counts_received && counts_multicast}", "{4'd0, counts_received && (counts_multicast || @bug)}"),
    ]),
    (WITHOUT_RESET, "retire", &[
        ("order_q = 32'h0;", "order_q;"),
        ("if (reset) begin", "if (reset && !@bug) begin"),
    ]),
];

const WITHOUT_RESET: &str = "the count of retire records has no reset";

/// The hardware with all these bugs in it.
static PLANTED: LazyLock<TempDir> = LazyLock::new(|| {
    let change = |module: &str, (text, planted): &(&str, &str)| Change {
        module: module.into(),
        text: (*text).into(),
        planted: (*planted).into(),
    };
    let bugs: Vec<Bug> = BUGS
        .iter()
        .map(|(name, module, changes)| Bug {
            id: (*name).into(),
            what: String::new(),
            changes: changes.iter().map(|c| change(module, c)).collect(),
        })
        .collect();
    let design = hca_rtl::export::hca(&SMALL).unwrap();
    let design = plant(design, &bugs, TOP).unwrap_or_else(|e| panic!("{e}"));
    let folder = tempfile::tempdir().unwrap();
    design.write(folder.path()).unwrap();
    folder
});

/// Runs seed001 on that hardware.
fn seed001(select: u64, more: &[&str]) -> (Option<i32>, String) {
    let output = Command::cargo_bin("hca")
        .unwrap()
        .args(["cosim", "seed001", "--select", &select.to_string(), "--dut"])
        .arg(PLANTED.path())
        .args(more)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    // Columns are as wide as their content.
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (output.status.code(), format!("{text}\n{errors}"))
}

/// With this bug seed001 differs in this field, and the report holds these parts.
fn is_seen(bug: &str, field: &str, parts: &[&str]) {
    let select = select_of(BUGS.iter().position(|(name, ..)| *name == bug).unwrap());
    let (code, text) = seed001(select, &[]);
    assert_eq!(code, Some(1), "{text}");
    let folder = PLANTED.path().display();
    let replay =
        format!("replay: scripts/cosim seed001 --seed 1 --profile small --dut {folder} --select {select} --fst waves.fst");
    let headline = format!("MISMATCH in seed001, seed 1: {field} at device");
    for part in parts.iter().copied().chain([&*headline, &*replay]) {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn without_a_bug_nothing_differs() {
    let (code, text) = seed001(0, &[]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn psn_is_not_incremented() {
    is_seen(
        "PSN is not incremented",
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
    is_seen(
        "MSN is wrong",
        "AETH.MSN",
        &["device Y", "AckEmitted QP 000B23h, PSN 100"],
    );
}

#[test]
fn a_payload_byte_is_swapped_on_the_wire() {
    is_seen(
        "a payload byte is swapped on the wire",
        "payload",
        &["device X", "* payload", "2048 bytes, from 0: "],
    );
}

#[test]
fn a_payload_byte_is_swapped_on_the_way_to_memory() {
    is_seen(
        "a payload byte is swapped on the way to memory",
        "memory",
        &["device Y", "receive buffer of wr_id 20174", "0x20000000"],
    );
}

#[test]
fn an_ack_goes_to_the_wrong_qp() {
    is_seen(
        "an ack goes to the wrong QP",
        "BTH.DestQP",
        &["device Y", "* BTH.DestQP 000A12h 000A13h"],
    );
}

#[test]
fn a_cqe_has_the_wrong_length() {
    is_seen(
        "a CQE has the wrong length",
        "CQE.byte_count",
        &["device Y", "* byte_count", "5120", "5121"],
    );
}

#[test]
fn a_packet_is_sent_twice() {
    is_seen(
        "a packet is sent twice",
        "packet sent twice",
        &["device Y", "the same bytes were sent in cycle", "RC_ACKNOWLEDGE"],
    );
}

#[test]
fn nothing_is_sent() {
    is_seen(
        "nothing is sent",
        "liveness",
        &["device X", "still due:", "RC_SEND_FIRST, PSN 100, 2048 bytes"],
    );
}

#[test]
fn a_64_bit_counter_counts_a_word_too_many() {
    is_seen(
        "a 64-bit counter counts a word too many",
        "port rule",
        &["PORT_WIDE of port 1, words sent: expected"],
    );
}

#[test]
fn a_64_bit_counter_of_multicast_packets_counts_all() {
    is_seen(
        "a 64-bit counter of multicast packets counts all",
        "port rule",
        &["PORT_WIDE of port 1, multicast packets received: expected 0 to 0, found"],
    );
}

/// A register without reset starts with another value in each run, in gated evaluation and in whole evaluation.
#[test]
fn a_register_has_no_reset() {
    is_seen(WITHOUT_RESET, "port rule", &["order number"]);
    let select = select_of(BUGS.iter().position(|(name, ..)| *name == WITHOUT_RESET).unwrap());
    let gated = seed001(select, &[]);
    let waves = tempfile::tempdir().unwrap();
    let whole = seed001(
        select,
        &["--fst", waves.path().join("waves.fst").to_str().unwrap()],
    );
    assert_eq!(whole.0, Some(1), "{}", whole.1);
    assert!(whole.1.contains("order number"), "{}\n{}", gated.1, whole.1);
}

#[test]
fn each_seed_that_fails_has_a_line_that_runs_it_again() {
    let dut = PLANTED.path().display();
    let select = select_of(
        BUGS.iter()
            .position(|(name, ..)| *name == "MSN is wrong")
            .unwrap(),
    );
    let line = |seed: u64| {
        format!(
            "FAILED: seed001, seed {seed}, profile small, link ib: AETH.MSN at device Y; again: scripts/cosim seed001 \
             --seed {seed} --profile small --dut {dut} --select {select} --fst waves.fst\n"
        )
    };
    let seeds = |select: u64| {
        let mut command = Command::cargo_bin("hca").unwrap();
        command.args([
            "cosim",
            "seed001",
            "--seeds",
            "8..9",
            "--select",
            &select.to_string(),
            "--dut",
        ]);
        command.arg(PLANTED.path());
        command.assert()
    };
    seeds(select)
        .code(1)
        .stdout(line(8) + &line(9) + "seeds 8 to 9: 0 runs held, 2 failed\n")
        .stderr("");
    seeds(0).success().stdout("seeds 8 to 9: 2 runs held, 0 failed\n");
}
