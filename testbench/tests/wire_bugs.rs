//! The comparison of the wire blocks can fail: each bug planted in the exported Verilog is seen within 4000
//! cases, and the field that tells is named.
use hca_hdl::verilog::Design;
use hca_host::profile::Link;
use hca_rtl::export::{link_receive, packet_builder};
use hca_sim::wire::library;
use hca_testbench::wire::hardware::Blocks;
use hca_testbench::wire::mismatch::{Difference, Stop};
use hca_testbench::wire::run::run;

const WIDTH: usize = 64;

/// Changes what stands in a module exactly once.
fn plant(mut design: Design, module: &str, text: &str, planted: &str) -> Design {
    let found = design.modules.iter_mut().find(|m| m.name == module);
    let found = found.unwrap_or_else(|| panic!("no module {module}"));
    let places = found.text.matches(text).count();
    assert_eq!(places, 1, "`{text}` stands {places} times in {module}");
    found.text = found.text.replace(text, planted);
    design
}

fn is_seen(link: Link, receive: Design, build: Design, field: &str, block: &str) {
    let blocks = Blocks {
        width: WIDTH,
        link,
        receive: library(&receive).unwrap(),
        build: library(&build).unwrap(),
    };
    let stop = run(1, 8000, &[blocks], |_| ()).expect_err("the bug is seen");
    let Stop::Mismatch(mismatch) = stop else {
        panic!("{stop}");
    };
    let report = mismatch.render(1, "");
    assert!(report.contains(&format!(": {block} at 64 bits, ")), "{report}");
    match mismatch.difference {
        Difference::Rows(_) => assert!(report.contains(&format!("  * {field} ")), "{report}"),
        Difference::Rule(rule) => assert!(rule.contains(field), "{report}"),
    }
}

/// A bug of the parser.
fn parser_is_seen(link: Link, module: &str, text: &str, planted: &str, field: &str) {
    let receive = plant(link_receive(WIDTH, link).unwrap(), module, text, planted);
    is_seen(
        link,
        receive,
        packet_builder(WIDTH, link).unwrap(),
        field,
        "link receive",
    );
}

/// A bug of the builder.
fn builder_is_seen(link: Link, module: &str, text: &str, planted: &str, field: &str) {
    let build = plant(packet_builder(WIDTH, link).unwrap(), module, text, planted);
    is_seen(
        link,
        link_receive(WIDTH, link).unwrap(),
        build,
        field,
        "packet builder",
    );
}

#[test]
fn a_word_beyond_the_mtu_is_let_through() {
    parser_is_seen(
        Link::InfiniBand,
        "transport_check",
        "if (most_q < left_q)",
        "if (most_q + 12'h1 < left_q)",
        "verdict",
    );
}

/// Then the payload's length is below 0.
#[test]
fn pad_without_payload_is_let_through() {
    parser_is_seen(
        Link::InfiniBand,
        "transport_check",
        "(left_q != 12'h0) || ",
        "(left_q != 12'hfff) || ",
        "the last beat of payload is not marked so",
    );
}

#[test]
fn a_reason_is_named_wrong() {
    parser_is_seen(
        Link::InfiniBand,
        "infiniband_check",
        "why_dgid = 8'h14",
        "why_dgid = 8'h13",
        "verdict",
    );
}

#[test]
fn an_r_key_is_read_where_immediate_data_stands() {
    parser_is_seen(
        Link::Roce,
        "header_decode",
        "assign ieth = has[7];",
        "assign ieth = has[6];",
        "r_key",
    );
}

#[test]
fn a_payload_bit_is_lost_where_beats_are_joined() {
    parser_is_seen(
        Link::Roce,
        "payload_align",
        "ones = 64'hffffffffffffffff",
        "ones = 64'hfffffffffffffffe",
        "payload",
    );
}

#[test]
fn an_ip_checksum_misses_a_carry() {
    builder_is_seen(
        Link::Roce,
        "ethernet_header",
        "{14'd0, sum_q[18:16]}",
        "{16'd0, sum_q[16]}",
        "ip.checksum",
    );
}
