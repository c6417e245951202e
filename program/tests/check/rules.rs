//! Copies of real traffic that break one rule each.
use super::*;

/// PSNs that a requester may skip before another life of the queue pair is supposed.
const JUMP: u32 = 1 << 15;

#[test]
fn a_request_that_is_missing() {
    let mut packets = packets("rc_send.pcap");
    packets.remove(3);
    // Until it is acknowledged.
    finds(&packets[..4], 4, "CF155");
    judged(&packets).code(0);
}

#[test]
fn a_message_within_a_message() {
    let mut packets = packets("rc_send.pcap");
    // RC_SEND_FIRST in the place of a middle.
    packets[2].bth.opcode = 0x00;
    finds(&packets, 3, "CF157");
}

#[test]
fn a_write_within_a_send() {
    let mut packets = packets("rc_send.pcap");
    // RC_RDMA_WRITE_MIDDLE.
    packets[2].bth.opcode = 0x07;
    finds(&packets, 3, "CF157");
}

#[test]
fn a_middle_that_is_not_full() {
    let mut packets = packets("rc_write.pcap");
    packets[2].payload.truncate(1000);
    finds(&packets, 3, "CF006");
}

#[test]
fn a_last_packet_without_a_byte() {
    let mut packets = packets("rc_send.pcap");
    packets[4].payload.clear();
    finds(&packets, 5, "CF007");
}

#[test]
fn a_write_of_another_length_than_it_says() {
    let mut packets = packets("rc_write.pcap");
    packets[4].payload.truncate(1020);
    finds(&packets, 5, "CF018");
}

#[test]
fn a_write_that_asks_for_an_event() {
    let mut packets = packets("rc_write.pcap");
    packets[4].bth.se = true;
    finds(&packets, 5, "CF161");
}

#[test]
fn a_last_packet_that_asks_for_no_ack() {
    let mut packets = packets("rc_send.pcap");
    packets[4].bth.a = false;
    finds(&packets, 5, "CF159");
}

#[test]
fn a_packet_that_differs_when_it_comes_again() {
    let mut packets = packets("rc_send.pcap");
    let mut again = packets[1].clone();
    again.payload[5] ^= 1;
    packets.insert(3, again);
    finds(&packets, 4, "CF191");
}

#[test]
fn the_same_packet_again_is_none() {
    let mut packets = packets("rc_send.pcap");
    let again = packets[1].clone();
    packets.insert(3, again);
    judged(&packets).code(0);
}

#[test]
fn an_ack_of_what_was_not_sent() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 0);
    packets[at].bth.psn = (packets[at].bth.psn + 100) & 0xFF_FFFF;
    finds(&packets, at + 1, "CF128");
}

#[test]
fn an_ack_behind_an_older_one() {
    let mut packets = packets("rc_send.pcap");
    let (first, second) = (
        nth(&packets, Operation::Acknowledge, 0),
        nth(&packets, Operation::Acknowledge, 1),
    );
    packets.swap(first, second);
    // They may have changed places before the capture.
    let told = contains("1 ack behind a newer one, right for its place");
    judged(&packets).code(0).stdout(told);
    aeth(&mut packets[second]).msn -= 1;
    finds(&packets, second + 1, "CF134");
}

/// Each where it does not fit the row of the other.
#[test]
fn an_event_in_the_middle_of_a_send() {
    let mut packets = packets("rc_send.pcap");
    packets[2].bth.se = true;
    finds(&packets, 3, "CF160");
    packets[2].bth.se = false;
    packets[4].bth.se = true;
    judged(&packets).code(0);
}

#[test]
fn an_only_packet_that_is_too_long() {
    let mut packets = packets("rc_send.pcap");
    let ack = nth(&packets, Operation::Acknowledge, 0);
    packets.drain(5..ack);
    packets.truncate(6);
    let mut only = packets[4].clone();
    // RC_SEND_ONLY.
    only.bth.opcode = 0x04;
    only.bth.psn = (only.bth.psn + 1) & 0xFF_FFFF;
    packets.push(only);
    judged(&packets).code(0);
    packets[6].payload.push(0);
    finds(&packets, 7, "CF008");
}

#[test]
fn an_msn_that_skips_a_message() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 4);
    aeth(&mut packets[at]).msn += 40;
    finds(&packets, at + 1, "CF135");
}

#[test]
fn an_msn_that_stands_still() {
    let mut packets = packets("rc_write.pcap");
    let (before, at) = (
        nth(&packets, Operation::Acknowledge, 0),
        nth(&packets, Operation::Acknowledge, 1),
    );
    let msn = packets[before].aeth().unwrap().msn;
    aeth(&mut packets[at]).msn = msn;
    finds(&packets, at + 1, "CF135");
}

#[test]
fn a_syndrome_that_there_is_not() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    aeth(&mut packets[at]).syndrome = 0x41;
    finds(&packets, at + 1, "CF183");
    aeth(&mut packets[at]).syndrome = 0x9F;
    finds(&packets, at + 1, "CF138");
}

#[test]
fn an_ack_that_asks_for_an_ack() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    packets[at].bth.a = true;
    finds(&packets, at + 1, "CF131");
}

#[test]
fn a_nak_twice() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    let aeth = aeth(&mut packets[at]);
    (aeth.syndrome, aeth.msn) = (0x60, aeth.msn - 1);
    let again = packets[at].clone();
    packets.truncate(at + 1);
    packets.push(again);
    finds(&packets, at + 2, "CF061");
}

#[test]
fn an_ack_after_the_connection_has_ended() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    let ack = packets[at].clone();
    aeth(&mut packets[at]).syndrome = 0x61;
    packets.truncate(at + 1);
    packets.push(ack);
    finds(&packets, at + 2, "CF092");
}

#[test]
fn an_rnr_nak_of_a_write() {
    let mut packets = packets("rc_write.pcap");
    let at = nth(&packets, Operation::Acknowledge, 0);
    aeth(&mut packets[at]).syndrome = 0x21;
    finds(&packets, at + 1, "CF106");
}

#[test]
fn a_read_response_that_is_missing() {
    let mut packets = packets("rc_read.pcap");
    packets.remove(nth(&packets, Operation::ReadResponse, 2));
    let at = nth(&packets, Operation::ReadResponse, 2);
    finds(&packets[..=at], at + 1, "CF140");
}

#[test]
fn a_read_response_that_is_short() {
    let mut packets = packets("rc_read.pcap");
    let at = nth(&packets, Operation::ReadResponse, 2);
    packets[at].payload.truncate(1000);
    finds(&packets, at + 1, "CF184");
}

#[test]
fn an_atomic_answered_by_an_ack() {
    let mut packets = packets("rc_cas.pcap");
    let at = nth(&packets, Operation::AtomicAcknowledge, 1);
    packets[at].bth.opcode = 0x11;
    packets[at].extensions.truncate(1);
    finds(&packets, at + 1, "CF133");
}

#[test]
fn an_atomic_without_an_answer() {
    let mut packets = packets("rc_cas.pcap");
    packets.remove(nth(&packets, Operation::AtomicAcknowledge, 1));
    let at = nth(&packets, Operation::AtomicAcknowledge, 1);
    finds(&packets[..=at], at + 1, "CF133");
}

#[test]
fn an_atomic_answer_to_a_write() {
    let mut packets = packets("rc_write.pcap");
    let at = nth(&packets, Operation::Acknowledge, 0);
    packets[at].bth.opcode = 0x12;
    let original = AtomicAckEth { orig_rem_dt: 0 };
    packets[at].extensions.push(Extension::AtomicAckEth(original));
    finds(&packets, at + 1, "CF185");
}

/// Packets by the million would be needed to see the span grow: the PSN jumps over most of it.
#[test]
fn more_psns_outstanding_than_half_of_them() {
    let mut packets = packets("rc_send.pcap");
    let ack = nth(&packets, Operation::Acknowledge, 0);
    packets.truncate(ack + 2);
    for _ in 0..(1 << 23) / JUMP + 1 {
        let mut jumped = packets.last().unwrap().clone();
        jumped.bth.psn = (jumped.bth.psn + JUMP) & 0xFF_FFFF;
        packets.push(jumped);
    }
    judged(&packets).code(1).stdout(contains("CF286"));
}

#[test]
fn an_ack_with_a_payload() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 1);
    packets[at].payload = vec![0; 4];
    finds(&packets, at + 1, "CF131");
}

#[test]
fn a_write_of_more_than_there_may_be() {
    let mut packets = packets("rc_write.pcap");
    for extension in &mut packets[0].extensions {
        if let Extension::Reth(reth) = extension {
            reth.dma_len = 0x9000_0000;
        }
    }
    finds(&packets, 1, "CF083");
}

#[test]
fn a_request_of_another_partition() {
    let mut packets = packets("rc_send.pcap");
    packets[3].bth.p_key ^= 5;
    finds(&packets, 4, "CF050");
}

#[test]
fn an_opcode_that_there_is_not() {
    let mut packets = packets("rc_send.pcap");
    packets[3].bth.opcode = 0x1F;
    judged(&packets)
        .code(1)
        .stdout(starts_with("      4  CF002").and(contains("1 finding")));
}

#[test]
fn an_atomic_across_words_that_is_executed() {
    let mut packets = packets("rc_cas.pcap");
    let at = nth(&packets, Operation::CompareSwap, 2);
    for extension in &mut packets[at].extensions {
        if let Extension::AtomicEth(atomic) = extension {
            atomic.va += 4;
        }
    }
    let answer = nth(&packets, Operation::AtomicAcknowledge, 2);
    finds(&packets, answer + 1, "CF090");
}

#[test]
fn an_atomic_that_is_executed_again() {
    let mut packets = packets("rc_cas.pcap");
    let (asked, answered) = (
        nth(&packets, Operation::CompareSwap, 0),
        nth(&packets, Operation::AtomicAcknowledge, 0),
    );
    let mut again = packets[answered].clone();
    let original = AtomicAckEth {
        orig_rem_dt: again.atomic_ack_eth().unwrap().orig_rem_dt ^ 1,
    };
    packets.insert(answered + 1, packets[asked].clone());
    packets.insert(answered + 2, packets[answered].clone());
    judged(&packets).code(0);
    again.extensions.truncate(1);
    again.extensions.push(Extension::AtomicAckEth(original));
    packets[answered + 2] = again;
    finds(&packets, answered + 3, "CF122");
}

#[test]
fn an_answer_of_another_partition() {
    let mut packets = packets("rc_send.pcap");
    let at = nth(&packets, Operation::Acknowledge, 2);
    packets[at].bth.p_key ^= 5;
    finds(&packets, at + 1, "CF050");
}

/// One wrong MSN is one finding; what counts otherwise from there on is two.
#[test]
fn an_msn_that_is_wrong_once() {
    let original = packets("rc_write.pcap");
    let acks: Vec<usize> = (0..original.len())
        .filter(|at| operation(&original[*at]) == Operation::Acknowledge)
        .collect();
    for (wrong, findings) in [(&acks[4..5], "1 finding"), (&acks[4..], "2 findings")] {
        let mut packets = original.clone();
        for at in wrong {
            aeth(&mut packets[*at]).msn += 40;
        }
        judged(&packets).code(1).stdout(contains(findings));
    }
}
