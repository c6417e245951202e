//! Queue pairs that are made anew with another partner, between the same two ports.
use super::*;

/// Who asks, who answers, the first PSN, and how many Sends.
type Life = (u32, u32, u32, u32);

/// Sends of one packet in threes, each with one ack, as these queue pairs send them.
fn lives(lives: &[Life]) -> Vec<Packet> {
    let captured = packets("rc_send.pcap");
    let ack = &captured[nth(&captured, Operation::Acknowledge, 0)];
    let mut packets = Vec::new();
    for (at, (asks, answers, first, times)) in lives.iter().enumerate() {
        for n in 0..*times {
            let psn = (first + n) & 0xFF_FFFF;
            let mut send = captured[0].clone();
            (send.bth.opcode, send.bth.psn, send.bth.a) = (0x04, psn, true);
            send.bth.dest_qp = *answers;
            send.payload = vec![at as u8; 64];
            packets.push(send);
            if n % 3 == 2 {
                let mut ack = ack.clone();
                (ack.bth.psn, ack.bth.dest_qp) = (psn, *asks);
                let aeth = aeth(&mut ack);
                (aeth.syndrome, aeth.msn) = (0x1F, n + 1);
                packets.push(ack);
            }
        }
    }
    packets
}

#[test]
fn a_queue_pair_with_another_partner() {
    for second in [1000, 1010, 1030, 1040, 50_000, 900_000] {
        for changed in [(0x11, 0x22), (0x12, 0x21)] {
            let both = lives(&[(0x11, 0x21, 1000, 30), (changed.0, changed.1, second, 30)]);
            judged(&both).code(0).stdout(contains("80 packets of RC"));
        }
    }
}

#[test]
fn partners_that_change_and_come_back() {
    let packets = lives(&[
        (0x11, 0x21, 1000, 30),
        (0x12, 0x22, 90_000, 30),
        (0x11, 0x22, 4000, 30),
        (0x12, 0x21, 1000, 30),
        (0x11, 0x21, 5000, 30),
    ]);
    judged(&packets).code(0);
}

/// Packets after the change of partner are judged: a fault is found, and sound packets have no finding.
#[test]
fn a_fault_of_the_second_life() {
    let mut packets = lives(&[(0x11, 0x21, 1000, 30), (0x11, 0x22, 50_000, 30)]);
    let at = packets.len() - 5;
    assert_eq!(operation(&packets[at]), Operation::Acknowledge);
    aeth(&mut packets[at]).msn += 40;
    finds(&packets, at + 1, "CF135");
}

/// Behind more packets than are looked at ahead.
#[test]
fn partners_that_change_late() {
    let packets = lives(&[
        (0x11, 0x21, 1000, 60_000),
        (0x11, 0x22, 5_000_000, 30_000),
        (0x12, 0x22, 9_000_000, 30_000),
    ]);
    judged(&packets).code(0).stdout(contains(
        "160000 packets of RC, requests of 2 directions: no rule is broken",
    ));
}

/// Both directions begin anew a little ahead, a little behind or where they were, with the same queue pairs.
#[test]
fn both_sides_begin_anew() {
    for second in [1000, 1003, 1013, 990, 40] {
        let of = |first: u32| {
            let there = lives(&[(0x11, 0x21, first, 12)]);
            let mut back = lives(&[(0x21, 0x11, first + 6000, 12)]);
            for packet in &mut back {
                let Some(answer) = there.iter().find(|p| p.aeth().is_some()) else {
                    unreachable!()
                };
                packet.route = match packet.aeth().is_some() {
                    true => there[0].route.clone(),
                    false => answer.route.clone(),
                };
            }
            there
                .into_iter()
                .zip(back)
                .flat_map(|(x, y)| [x, y])
                .collect::<Vec<_>>()
        };
        judged(&[of(1000), of(second)].concat())
            .code(0)
            .stdout(contains("requests of 2 directions: no rule is broken"));
    }
}
