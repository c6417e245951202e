//! Connections side by side, and which answers are for which requests.
use super::*;

/// The same traffic between other queue pairs, with PSNs moved on by so many.
fn elsewhere(packets: &[Packet], psns: u32) -> Vec<Packet> {
    let mut moved = packets.to_vec();
    for packet in &mut moved {
        packet.bth.dest_qp += 1;
        packet.bth.psn = (packet.bth.psn + psns) & 0xFF_FFFF;
    }
    moved
}

fn interleaved(a: &[Packet], b: &[Packet]) -> Vec<Packet> {
    let pairs = a.iter().zip(b);
    pairs.flat_map(|(a, b)| [a.clone(), b.clone()]).collect()
}

#[test]
fn connections_between_the_same_ports() {
    let packets = packets("rc_send.pcap");
    for psns in [1_000_000, 7] {
        let both = interleaved(&packets, &elsewhere(&packets, psns));
        for begin in 0..60 {
            judged(&both[begin..])
                .code(0)
                .stdout(contains("no rule is broken"));
        }
    }
}

#[test]
fn answers_that_fit_no_connection() {
    let packets = packets("rc_send.pcap");
    let mut both = interleaved(&packets, &elsewhere(&packets, 0));
    for packet in &mut both {
        if operation(packet) == Operation::Acknowledge {
            packet.bth.psn += 1000;
        }
    }
    judged(&both).code(1).stdout(contains("CF128"));
}

#[test]
fn an_answer_to_another_queue_pair() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 2);
    packets[at].bth.dest_qp = 0x77;
    finds(&packets, at + 1, "CF130");
}

#[test]
fn answers_without_requests_are_counted() {
    let mut packets = packets("rc_send.pcap");
    packets.retain(|packet| operation(packet) == Operation::Acknowledge);
    let told = format!(
        "{} answers to requests that the capture does not hold",
        packets.len()
    );
    judged(&packets).code(0).stdout(contains(told));
}

/// Every operation on two dozen connections at once.
#[test]
fn the_models_break_no_rule() {
    let folder = tempfile::tempdir().unwrap();
    for link in ["ib", "roce"] {
        let path = folder.path().join(link);
        let mut cosim = Command::cargo_bin("hca").unwrap();
        cosim
            .args(["cosim", "rc-mixed", "--golden-only", "--link", link, "--pcap"])
            .arg(&path);
        cosim.assert().success();
        check(&path)
            .code(0)
            .stdout(contains("24 directions: no rule is broken"));
    }
}

#[test]
fn a_packet_astray_hides_no_other_fault() {
    let original = packets("rc_write.pcap");
    for psns in [0x800, 0x40_0000] {
        let mut packets = original.clone();
        packets[2].bth.psn = (packets[2].bth.psn + psns) & 0xFF_FFFF;
        let at = nth(&packets, Operation::Acknowledge, 4);
        aeth(&mut packets[at]).msn += 40;
        judged(&packets)
            .code(1)
            .stdout(contains("      3  CF155").and(contains(format!("{:>7}  CF135", at + 1))));
    }
}

/// Moves a packet to the queue pairs of this connection.
fn reroute(packet: &mut Packet, connection: &[Packet]) {
    let like = match packet.opcode().unwrap().is_response() {
        true => &connection[nth(connection, Operation::Acknowledge, 0)],
        false => &connection[0],
    };
    packet.route = like.route.clone();
    packet.bth.dest_qp = like.bth.dest_qp;
}

/// The PSN alone tells where the second life begins, if it is one; from there on all is judged.
#[test]
fn a_queue_pair_that_begins_anew() {
    for second in ["rc_write.pcap", "rc_send.pcap"] {
        let first = packets(match second {
            "rc_send.pcap" => "rc_write.pcap",
            _ => "rc_send.pcap",
        });
        let mut both = first.clone();
        let mut again = packets(second);
        for packet in &mut again {
            reroute(packet, &first);
            if packet.aeth().is_some() {
                aeth(packet).msn += 500;
            }
        }
        both.extend(again.clone());
        judged(&both)
            .code(1)
            .stdout(starts_with(format!("{:>7}  CF155", first.len() + 1)).and(contains("1 finding")));
        let at = nth(&again, Operation::Acknowledge, 5);
        aeth(&mut again[at]).msn += 40;
        let both = [first.clone(), again].concat();
        judged(&both)
            .code(1)
            .stdout(contains(format!("{:>7}  CF135", first.len() + at + 1)));
    }
}

/// The MSN counts from 0 again: that tells, wherever the PSNs are.
#[test]
fn a_queue_pair_that_is_reset() {
    let first = packets("rc_send.pcap");
    for (name, psns) in [
        ("rc_send.pcap", 0xFF_FFE0),
        ("rc_send.pcap", 7),
        ("rc_write.pcap", 0),
    ] {
        let mut again = packets(name);
        let mut msn = 0;
        for packet in &mut again {
            reroute(packet, &first);
            packet.bth.psn = (packet.bth.psn + psns) & 0xFF_FFFF;
            if packet.aeth().is_some() {
                msn += 1;
                aeth(packet).msn = msn;
            }
        }
        judged(&[first.clone(), again].concat())
            .code(0)
            .stdout(contains("no rule is broken"));
    }
}
