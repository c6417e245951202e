//! Situations that traffic of others is in (`testbench/captures/field/`), each beside sound traffic of the same shape.
use super::*;

fn field(name: &str) -> PathBuf {
    capture("field").join(name)
}

/// Nothing is found, and so many packets were judged.
fn holds(name: &str, packets: usize) {
    let many = if packets == 1 { "packet" } else { "packets" };
    let verdict = format!("{packets} {many} of RC, requests of 1 direction: no rule is broken");
    let all_judged = contains("answers").not();
    check(&field(name))
        .code(0)
        .stdout(contains(verdict).and(all_judged));
}

/// One finding, of this packet and row.
fn breaks(name: &str, packet: usize, row: &str) {
    check(&field(name))
        .code(1)
        .stdout(starts_with(format!("{packet:>7}  {row}  ")).and(contains(": 1 finding")));
}

#[test]
fn a_requester_that_leaves_out_what_it_has_to_send_again() {
    breaks("replay_hole_mid.pcap", 8, "CF177");
    breaks("replay_hole_tail.pcap", 10, "CF177");
    breaks("seq_tail_skipped.pcap", 9, "CF177");
    breaks("rnr_tail_lost_goes_on.pcap", 9, "CF177");
    breaks("timeout_replay_hole.pcap", 8, "CF177");
    breaks("write_replay_middle_lost.pcap", 7, "CF177");
    holds("seq_good.pcap", 12);
}

#[test]
fn a_packet_that_the_capture_alone_lacks() {
    for name in [
        "sniffdrop_01.pcap", "sniffdrop_02.pcap", "sniffdrop_03.pcap", "sniffdrop_07.pcap",
        "sniffdrop_10.pcap", "sniffdrop_11.pcap",
    ] {
        holds(name, 15);
    }
}

/// Whichever packet the capture lost, if answers to later ones prove it.
#[test]
fn any_packet_that_the_capture_alone_lacks() {
    for name in ["rc_send.pcap", "rc_write.pcap", "rc_read.pcap", "rc_cas.pcap"] {
        let whole = packets(name);
        // What a response that is missing shows depends on what is asked behind it.
        let provable = |packet: &Packet| operation(packet) != Operation::ReadResponse;
        let lost = (0..whole.len()).take(20).filter(|at| provable(&whole[*at]));
        for lost in lost {
            let mut packets = whole.clone();
            packets.remove(lost);
            judged(&packets).code(0);
        }
    }
}

#[test]
fn a_capture_before_a_queue() {
    check(&field("check_false_cf061_packet631.pcap")).code(0);
    holds("check_false_cf140_one_response_cut.pcap", 9);
}

#[test]
fn bytes_behind_the_icrc() {
    holds("fcs_undeclared.pcap", 14);
    holds("fcslen32.pcapng", 14);
    holds("zero_send_padded_fcs.pcap", 2);
}

#[test]
fn interfaces_of_other_link_types_are_passed_over() {
    holds("mixed_if.pcapng", 14);
}

#[test]
fn tunnels_mirrors_labels_and_tags_are_looked_into() {
    for name in [
        "erspan1.pcap", "erspan2.pcap", "vxlan.pcap", "gre_ip.pcap", "mpls.pcap", "erf_eth.pcap",
    ] {
        holds(name, 2);
    }
    holds("q9100.pcap", 6);
}

#[test]
fn a_mirror_of_both_directions() {
    for (name, packets) in [
        ("span_twice", 14),
        ("span_twice_rnr", 6),
        ("span_twice_seqnak", 7),
    ] {
        let name = format!("{name}.pcap");
        holds(&name, packets);
        let twice = format!("{packets} packets that came twice, byte for byte");
        check(&field(&name)).stdout(contains(twice));
    }
}

#[test]
fn packets_in_another_order() {
    holds("ar_swap.pcap", 7);
    holds("ar_swap_only.pcap", 7);
    holds("ack_before_request_once.pcap", 8);
}

#[test]
fn a_queue_pair_that_is_made_anew_a_little_ahead() {
    holds("reconnect_near_ahead.pcap", 12);
}

#[test]
fn tenants_with_the_same_addresses() {
    check(&field("two_vlans_same_addr.pcap"))
        .code(0)
        .stdout(contains("requests of 2 directions: no rule is broken"));
}

#[test]
fn an_ack_that_passes_over_a_read() {
    breaks("implied_nak.pcap", 3, "CF133");
    breaks("implied_nak2.pcap", 5, "CF133");
    holds("base.pcap", 15);
}

#[test]
fn an_icrc_that_was_not_made_yet() {
    check(&field("icrc_zero.pcap"))
        .code(1)
        .stdout(contains("`--zero-icrc`"));
    let mut command = Command::cargo_bin("hca").unwrap();
    let judged = command
        .args(["check", "--zero-icrc"])
        .arg(field("icrc_zero.pcap"));
    judged
        .assert()
        .code(0)
        .stdout(contains("2 packets of RC").and(contains("2 packets whose ICRC is 0")));
}

#[test]
fn other_links() {
    holds("ib247.pcap", 2);
    holds("rocev1.pcap", 1);
}

#[test]
fn nothing_is_green_when_nothing_was_judged() {
    check(&field("xrc.pcap")).code(3).stdout(contains(
        "nothing was judged: no packet of RC, UC or UD; 1 packet of another service",
    ));
    holds("cnp_in_rc.pcap", 6);
}

/// A frame in a VXLAN of this number.
fn tunnelled(number: u8, frame: &[u8]) -> (Vec<u8>, usize) {
    let length = (frame.len() + 36) as u16;
    let mut outer = vec![2; 12];
    outer.extend([0x08, 0x00, 0x45, 0x00]);
    outer.extend(length.to_be_bytes());
    outer.extend([0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
    outer.extend([0xC0, 0x00, 0x12, 0xB5]);
    outer.extend((length - 20).to_be_bytes());
    outer.extend([0, 0, 8, 0, 0, 0, 0, 0, number, 0]);
    outer.extend(frame);
    let length = outer.len();
    (outer, length)
}

/// Each direction has a network of its own: no answer is known to be to any request.
#[test]
fn answers_in_another_network_than_the_requests() {
    let packets = packets("rc_send.pcap");
    let acks = packets
        .iter()
        .filter(|p| operation(p) == Operation::Acknowledge)
        .count();
    for (networks, code, told) in [
        ([7, 7], 0, "no rule is broken".to_owned()),
        (
            [7, 8],
            3,
            format!("{acks} answers in another VLAN or network than the requests"),
        ),
    ] {
        let in_network = |packet: &Packet| {
            let answers = packet.opcode().unwrap().is_response();
            tunnelled(networks[usize::from(answers)], &packet.encode().unwrap())
        };
        recorded(packets.iter().map(in_network))
            .code(code)
            .stdout(contains(told));
    }
}

/// The capture holds a FLUSH and its answer alone; `hca check` has no rule for either.
#[test]
fn newer_opcodes_alone_are_not_judged() {
    let mut packets = packets("rc_read.pcap");
    let at = nth(&packets, Operation::ReadResponse, 0);
    let (mut flush, mut answer) = (packets.swap_remove(0), packets.swap_remove(at));
    flush.bth.opcode = 0x1C;
    // RC_RDMA_READ_RESPONSE_ONLY.
    (answer.bth.opcode, answer.bth.psn) = (0x10, flush.bth.psn);
    answer.payload.clear();
    answer.extensions = vec![Extension::Aeth(Aeth {
        syndrome: 0x1F,
        msn: 1,
    })];
    judged(&[flush, answer])
        .code(3)
        .stdout(contains("nothing was judged"));
}

/// FLUSH and ATOMIC WRITE take a PSN and are messages.
#[test]
fn opcodes_that_are_newer() {
    let write = packets("rc_write.pcap");
    let ack = nth(&write, Operation::Acknowledge, 0);
    let mut flush = write[0].clone();
    flush.bth.opcode = 0x1C;
    flush.bth.psn = (write[ack].bth.psn + 1) & 0xFF_FFFF;
    flush.payload.clear();
    let mut answer = write[ack].clone();
    answer.bth.opcode = 0x10;
    answer.bth.psn = flush.bth.psn;
    aeth(&mut answer).msn += 1;
    let mut packets = write[..=ack].to_vec();
    let flushed = packets.len();
    packets.extend([flush, answer]);
    for later in &write[ack + 1..] {
        let mut later = later.clone();
        later.bth.psn = (later.bth.psn + 1) & 0xFF_FFFF;
        if later.aeth().is_some() {
            aeth(&mut later).msn += 1;
        }
        packets.push(later);
    }
    judged(&packets)
        .code(0)
        .stdout(contains("no rule is broken; 1 packet of a newer opcode"));
    packets.remove(flushed + 3);
    packets.truncate(flushed + 6);
    judged(&packets).code(1).stdout(contains("CF155"));
}

#[test]
fn what_cannot_be_read_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    check(&folder.path().to_owned())
        .code(2)
        .stderr(contains("Is a directory").and(contains("name a readable file")));
    // No temporary file is needed for a pipe.
    let mut command = Command::cargo_bin("hca").unwrap();
    let judged = command
        .args(["check", "-"])
        .env("TMPDIR", folder.path().join("none"));
    let piped = std::fs::read(field("base.pcap")).unwrap();
    judged.write_stdin(piped).assert().code(0);
}

#[test]
fn a_rule_that_is_explained() {
    let mut command = Command::cargo_bin("hca").unwrap();
    let told = command.args(["check", "--explain", "cf177"]).assert();
    told.code(0)
        .stdout(starts_with("CF177: NAK 60h: resend from NAK PSN"));
    let mut command = Command::cargo_bin("hca").unwrap();
    command
        .args(["check", "--explain", "nothing"])
        .assert()
        .code(2)
        .stdout("");
}

#[test]
fn the_packets_that_lead_to_a_finding() {
    check(&field("implied_nak.pcap")).stdout(contains(
        "\n              1 --> RC_RDMA_READ_REQUEST PSN 1000\n              2 --> RC_SEND_ONLY PSN 1001\n\
         \x20             3 <-- RC_ACKNOWLEDGE PSN 1001 syndrome 1Fh MSN 2\n",
    ));
}

#[test]
fn the_document_alone_on_standard_output() {
    let mut command = Command::cargo_bin("hca").unwrap();
    let told = command
        .args(["check", "--json", "-"])
        .arg(field("implied_nak.pcap"));
    let told = told.assert().code(1).get_output().stdout.clone();
    let document: serde_json::Value = serde_json::from_slice(&told).unwrap();
    assert_eq!(document["findings"][0]["requirement"], "CF133");
    assert_eq!(document["judged"], true);
}
