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

/// The same, where the side that answers numbers its queue pairs downwards.
fn crosswise(packets: &[Packet], psns: u32) -> Vec<Packet> {
    let mut moved = elsewhere(packets, psns);
    for packet in &mut moved {
        if packet.opcode().unwrap().is_response() {
            packet.bth.dest_qp -= 2;
        }
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

/// Of the same PSNs, one in messages of five packets, the other of one: the MSN tells whose acks they are.
#[test]
fn connections_with_the_same_psns() {
    let packets = packets("rc_send.pcap");
    let mut ack = packets[nth(&packets, Operation::Acknowledge, 0)].clone();
    for step in [1, 0xFF_FFFF] {
        let mut both = Vec::new();
        let mut msn = 0;
        for packet in &packets {
            both.push(packet.clone());
            if operation(packet) == Operation::Acknowledge {
                continue;
            }
            let mut only = packet.clone();
            only.bth.opcode = 0x04;
            only.bth.a = true;
            only.bth.dest_qp = (packets[0].bth.dest_qp + step) & 0xFF_FFFF;
            ack.bth.psn = only.bth.psn;
            ack.bth.dest_qp = 0x33;
            msn += 1;
            aeth(&mut ack).msn = msn;
            both.extend([only, ack.clone()]);
        }
        judged(&both)
            .code(0)
            .stdout(contains("2 directions: no rule is broken"));
    }
}

/// Its answers fit the other one too, but not the other's.
#[test]
fn a_connection_that_does_half_of_what_another_does() {
    let whole = packets("rc_send.pcap");
    for (long, short) in [
        (whole.clone(), crosswise(&whole[..60], 0)),
        (crosswise(&whole, 0), whole[..60].to_vec()),
    ] {
        let both = [interleaved(&long[..60], &short), long[60..].to_vec()].concat();
        judged(&both)
            .code(0)
            .stdout(contains("2 directions: no rule is broken"));
    }
}

/// Of one PSN a message each: answers are of their requests' kind.
#[test]
fn connections_that_differ_in_kind() {
    let captured = packets("rc_cas.pcap");
    let first = captured[0].bth.psn;
    let of = |packet: &Packet, step: u32| (packet.bth.psn - first) == step;
    let atomics: Vec<Packet> = (0..20)
        .flat_map(|step| captured.iter().filter(move |packet| of(packet, step)).cloned())
        .collect();
    let sends = |like: Vec<Packet>| -> Vec<Packet> {
        let plain = |mut packet: Packet| {
            let answers = packet.opcode().unwrap().is_response();
            packet.bth.opcode = if answers { 0x11 } else { 0x04 };
            packet.extensions.truncate(usize::from(answers));
            packet
        };
        like.into_iter().map(plain).collect()
    };
    for (a, b) in [
        (atomics.clone(), sends(crosswise(&atomics, 0))),
        (crosswise(&atomics, 0), sends(atomics.clone())),
    ] {
        judged(&interleaved(&a, &b))
            .code(0)
            .stdout(contains("2 directions: no rule is broken"));
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
    judged(&packets)
        .code(3)
        .stdout(contains(told).and(contains("nothing was judged")));
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
        judged(&packets).code(1).stdout(
            starts_with("      3  CF155")
                .and(contains(format!("\n{:>7}  CF135", at + 1)))
                .and(contains("2 findings")),
        );
    }
    let mut packets = original;
    packets[2].bth.psn += 0x800;
    // RC_SEND_MIDDLE.
    packets[3].bth.opcode = 0x01;
    judged(&packets)
        .code(1)
        .stdout(starts_with("      3  CF155").and(contains("\n      4  CF157")));
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

/// What it asks for is what it asked for before.
#[test]
fn a_queue_pair_that_does_the_same_again() {
    let first = packets("rc_send.pcap");
    judged(&[first.clone(), first].concat())
        .code(0)
        .stdout(contains("no rule is broken"));
}

/// The ack that tells of no message shows that it begins anew, be it with what it did in the middle before.
#[test]
fn a_queue_pair_that_says_that_it_begins_anew() {
    let first = packets("rc_send.pcap");
    let at = nth(&first, Operation::Acknowledge, 0) + 1;
    let mut initial = first[at - 1].clone();
    aeth(&mut initial).msn = 0;
    let mut again = first[at..].to_vec();
    for packet in &mut again {
        if packet.aeth().is_some() {
            aeth(packet).msn -= 1;
        }
    }
    judged(&[first, vec![initial], again].concat())
        .code(0)
        .stdout(contains("no rule is broken"));
}

/// Two side by side, with the same PSNs first, with far ones then, which tell whose answers are whose.
#[test]
fn connections_that_are_reset() {
    let first = packets("rc_send.pcap");
    let second = crosswise(&first, 0);
    let far = |packets: &[Packet], psns: u32| {
        let mut moved = packets.to_vec();
        for packet in &mut moved {
            packet.bth.psn = (packet.bth.psn + psns) & 0xFF_FFFF;
        }
        moved
    };
    let again = interleaved(&far(&first, 0xD0_0000), &far(&second, 0xC0_0000));
    judged(&[interleaved(&first, &second), again].concat())
        .code(0)
        .stdout(contains("2 directions: no rule is broken"));
}

/// Nobody knows the PMTU: the response tells that the Read is over.
#[test]
fn a_queue_pair_that_is_reset_behind_a_short_read() {
    let captured = packets("rc_read.pcap");
    let life = |va: u64| {
        let mut read = captured[0].clone();
        for extension in &mut read.extensions {
            if let Extension::Reth(reth) = extension {
                (reth.va, reth.dma_len) = (va, 300);
            }
        }
        let mut response = captured[nth(&captured, Operation::ReadResponse, 0)].clone();
        response.bth.opcode = 0x10;
        response.payload.truncate(300);
        [read, response]
    };
    judged(&[life(0x1000), life(0x2000)].concat())
        .code(0)
        .stdout(contains("no rule is broken"));
}
