//! What was lost, came again, or was not captured whole.
use super::*;
use hca_golden::wire::opcode::Header;

/// A message of five packets and its ack, and one more of each.
fn two_messages() -> Vec<Packet> {
    let packets = packets("rc_send.pcap");
    let second = nth(&packets, Operation::Acknowledge, 1);
    packets[..=second].to_vec()
}

fn nak(like: &Packet, syndrome: u8, psn: u32, msn: u32) -> Packet {
    let mut nak = like.clone();
    nak.bth.psn = psn;
    let aeth = aeth(&mut nak);
    (aeth.syndrome, aeth.msn) = (syndrome, msn);
    nak
}

/// The third packet is lost before it is captured; a NAK names it, and the requester goes back.
fn lost_on_the_way() -> Vec<Packet> {
    let packets = two_messages();
    let ack = nth(&packets, Operation::Acknowledge, 0);
    let before = packets[ack].aeth().unwrap().msn - 1;
    let nak = nak(&packets[ack], 0x60, packets[2].bth.psn, before);
    let mut lossy = vec![packets[0].clone(), packets[1].clone(), packets[3].clone(), nak];
    lossy.extend_from_slice(&packets[2..]);
    lossy
}

#[test]
fn what_a_nak_asks_for_is_no_fault() {
    judged(&lost_on_the_way())
        .code(0)
        .stdout(contains("no rule is broken"));
}

#[test]
fn going_back_to_another_psn() {
    let mut packets = lost_on_the_way();
    // PSNs 0, 1 and 2 are captured, and 3; the NAK is for 2.
    packets.insert(2, packets[4].clone());
    packets.remove(5);
    // The acks show that the responder has had 2: the capture alone lacks it.
    judged(&packets).code(0);
    packets.truncate(nth(&packets, Operation::Acknowledge, 1));
    finds(&packets, 6, "CF177");
}

#[test]
fn a_nak_of_what_was_acknowledged() {
    let mut packets = two_messages();
    let last = packets.last().unwrap().clone();
    let msn = last.aeth().unwrap().msn;
    packets.push(nak(&last, 0x60, last.bth.psn, msn));
    finds(&packets, packets.len(), "CF059");
}

#[test]
fn a_nak_with_another_msn() {
    let mut packets = two_messages();
    let at = packets.len() - 1;
    let (psn, msn) = (packets[at - 1].bth.psn, packets[at].aeth().unwrap().msn);
    packets[at] = nak(&packets[at], 0x60, psn, msn - 1);
    judged(&packets).code(0);
    packets[at] = nak(&packets[at], 0x60, psn, msn + 5);
    finds(&packets, at + 1, "CF067");
}

/// Both are sent again, and answered with the MSN of now.
#[test]
fn answers_that_were_lost() {
    let read = packets("rc_read.pcap");
    let psns = read[1].bth.psn - read[0].bth.psn;
    let mut packets = read;
    let first = packets[0].bth.psn;
    packets.retain(|packet| packet.bth.psn - first < psns);
    let writes = super::packets("rc_send.pcap");
    let mut only = writes[0].clone();
    only.bth.opcode = 0x04;
    only.bth.a = true;
    only.bth.dest_qp = packets[0].bth.dest_qp;
    only.route = packets[0].route.clone();
    only.bth.psn = packets.last().unwrap().bth.psn + 1;
    only.bth.p_key = packets[0].bth.p_key;
    let responses = packets[1..].to_vec();
    let mut ack = responses[0].clone();
    ack.bth.opcode = 0x11;
    ack.payload.clear();
    ack.bth.psn = only.bth.psn;
    let msn = aeth(&mut ack).msn + 1;
    aeth(&mut ack).msn = msn;
    packets.extend([only.clone(), ack.clone()]);
    judged(&packets).code(0);
    packets.extend([packets[0].clone(), only]);
    for mut again in responses {
        if again.aeth().is_some() {
            aeth(&mut again).msn = msn;
        }
        packets.push(again);
    }
    packets.push(ack);
    judged(&packets).code(0);
}

#[test]
fn an_acknowledgement_given_again() {
    let mut packets = two_messages();
    let (first, second) = (nth(&packets, Operation::Acknowledge, 0), packets.len() - 1);
    let msn = packets[second].aeth().unwrap().msn;
    let again = nak(&packets[first], 0x1F, packets[first].bth.psn, msn);
    packets.extend([packets[first - 1].clone(), again]);
    judged(&packets).code(0);
}

/// Judges the capture with each record cut to `kept` bytes.
fn cut_short(packets: &[Packet], kept: usize) -> assert_cmd::assert::Assert {
    let records = packets.iter().map(|packet| {
        let bytes = packet.encode().unwrap();
        let kept = bytes.len().min(kept);
        (bytes[..kept].to_vec(), bytes.len())
    });
    recorded(records)
}

#[test]
fn packets_without_their_payload_are_judged() {
    for name in ["rc_send.pcap", "rc_write.pcap", "rc_read.pcap", "rc_cas.pcap"] {
        let mut packets = packets(name);
        cut_short(&packets, 96)
            .code(0)
            .stdout(contains(format!("{} packets of RC", packets.len())).and(contains("no rule is broken")));
        packets[0].bth.se = true;
        let row = if name == "rc_send.pcap" { "CF160" } else { "CF161" };
        cut_short(&packets, 96).code(1).stdout(contains(row));
    }
}

#[test]
fn headers_that_are_cut_are_told() {
    let packets = packets("rc_write.pcap");
    let reths = packets
        .iter()
        .filter(|packet| packet.opcode().unwrap().headers.contains(&Header::Reth))
        .count();
    // Enough for Ethernet, IPv4, UDP and BTH, and for an AETH.
    cut_short(&packets, 60).code(0).stdout(contains(format!(
        "{reths} packets cut short within their headers: not judged"
    )));
}

#[test]
fn frames_with_a_vlan_tag_are_judged() {
    let mut packets = packets("rc_send.pcap");
    packets.remove(3);
    let records = packets[..4].iter().map(|packet| {
        let mut bytes = packet.encode().unwrap();
        bytes.splice(12..12, [0x81, 0x00, 0x00, 0x05]);
        let length = bytes.len();
        (bytes, length)
    });
    recorded(records).code(1).stdout(starts_with("      4  CF155"));
}

#[test]
fn a_packet_that_nobody_could_read_is_one_finding() {
    let packets = packets("rc_send.pcap");
    let records = packets.iter().enumerate().map(|(n, packet)| {
        let mut bytes = packet.encode().unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= u8::from(n == 2);
        let length = bytes.len();
        (bytes, length)
    });
    recorded(records)
        .code(1)
        .stdout(starts_with("      3  CF034").and(contains("1 finding")));
}

#[test]
fn without_a_packet_of_rc_nothing_is_said_to_hold() {
    recorded([(vec![0; 60], 60)])
        .code(3)
        .stdout(contains("nothing was judged: no packet of RC").and(contains("no rule is broken").not()));
}

/// Judges a Send, an RNR NAK that asks for 10 us, and the Send again at `again` microseconds.
fn not_ready(again: u64) -> assert_cmd::assert::Assert {
    let packets = packets("rc_send.pcap");
    let ack = &packets[nth(&packets, Operation::Acknowledge, 0)];
    let mut send = packets[0].clone();
    (send.bth.opcode, send.bth.a) = (0x04, true);
    let nak = nak(ack, 0x21, send.bth.psn, 0);
    let times = [1, 3, again];
    let frames = [&send, &nak, &send].map(|packet| packet.encode().unwrap());
    recorded_at(
        times
            .into_iter()
            .zip(frames)
            .map(|(time, bytes)| (Duration::from_micros(time), bytes.len(), bytes)),
    )
}

#[test]
fn a_requester_that_does_not_wait_as_long_as_an_rnr_nak_says() {
    not_ready(5).code(1).stdout(starts_with("      3  CF112"));
    // The NAK may have been lost, and the ack timer have expired.
    not_ready(10).code(0);
    not_ready(13).code(0);
}

/// The answers come again, with what was lost before it was captured.
#[test]
fn answers_that_are_lost_before_they_are_captured() {
    let packets = packets("rc_cas.pcap");
    let (asked, answered) = (
        nth(&packets, Operation::CompareSwap, 1),
        nth(&packets, Operation::AtomicAcknowledge, 1),
    );
    let mut lossy = packets.clone();
    lossy.remove(answered);
    let next = nth(&lossy, Operation::AtomicAcknowledge, 1);
    judged(&lossy[..=next]).code(1);
    lossy.insert(next + 1, packets[asked].clone());
    lossy.insert(next + 2, packets[answered].clone());
    judged(&lossy).code(0);
}

#[test]
fn a_first_packet_that_is_lost_before_it_is_captured() {
    let mut packets = packets("rc_send.pcap");
    let begins = packets
        .iter()
        .enumerate()
        .skip(1)
        .find(|(_, packet)| packet.bth.opcode == 0x00)
        .map(|(at, _)| at)
        .unwrap();
    packets.remove(begins);
    judged(&packets).code(0);
    // Nobody has acknowledged it.
    judged(&packets[..=begins])
        .code(1)
        .stdout(starts_with(format!("{:>7}  CF155", begins + 1)).and(contains("1 finding")));
}

/// The NAK crosses what the requester sends again by itself.
#[test]
fn a_nak_for_what_comes_again_already() {
    let packets = two_messages();
    let ack = nth(&packets, Operation::Acknowledge, 0);
    let before = packets[ack].aeth().unwrap().msn - 1;
    let nak = nak(&packets[ack], 0x60, packets[1].bth.psn, before);
    let sent = &packets[..ack];
    let crossed = [sent, &sent[1..3], &[nak], &sent[3..], &sent[1..], &packets[ack..]].concat();
    judged(&crossed).code(0);
}

/// The missing packet came again behind the capture point: the ack covers all.
#[test]
fn a_nak_that_was_overtaken() {
    let packets = two_messages();
    let ack = nth(&packets, Operation::Acknowledge, 0);
    let before = packets[ack].aeth().unwrap().msn - 1;
    let nak = nak(&packets[ack], 0x60, packets[1].bth.psn, before);
    let sent = &packets[..ack];
    let overtaken = [sent, &[nak], &packets[ack..=ack], &sent[3..], &packets[ack..]].concat();
    judged(&overtaken).code(0);
}

/// A requester goes back at once to a request without an answer, also if an RNR NAK follows the lost answer.
#[test]
fn an_rnr_nak_behind_an_answer_that_was_lost() {
    let atomics = packets("rc_cas.pcap");
    let (asked, answered) = (
        atomics[nth(&atomics, Operation::CompareSwap, 0)].clone(),
        atomics[nth(&atomics, Operation::AtomicAcknowledge, 0)].clone(),
    );
    let mut send = asked.clone();
    send.bth.opcode = 0x04;
    send.bth.psn += 1;
    send.extensions.clear();
    let mut not_ready = answered.clone();
    not_ready.bth.opcode = 0x11;
    not_ready.extensions.truncate(1);
    let not_ready = nak(&not_ready, 0x21, send.bth.psn, answered.aeth().unwrap().msn);
    judged(&[asked.clone(), send.clone(), not_ready, asked, send, answered])
        .code(0)
        .stdout(contains("no rule is broken"));
}

/// All came again and was acknowledged again; what comes out of order later is found still.
#[test]
fn an_old_ack_long_after_all_was_sent_again() {
    let packets = packets("rc_send.pcap");
    // Two messages of five packets.
    let sent = packets
        .iter()
        .filter(|packet| operation(packet) == Operation::Send);
    let mut all: Vec<Packet> = sent.take(10).cloned().collect();
    let last = all.last().unwrap().bth.psn;
    let mut ack = packets[nth(&packets, Operation::Acknowledge, 0)].clone();
    (ack.bth.psn, aeth(&mut ack).msn) = (last, 2);
    let again = [all.clone(), vec![ack.clone()]].concat();
    all = [again.clone(), again].concat();
    let mut next = packets[0].clone();
    (next.bth.opcode, next.bth.a, next.bth.psn) = (0x04, true, last + 1);
    let newest = nak(&ack, 0x1F, last + 1, 3);
    let mut old = ack;
    (old.bth.psn, aeth(&mut old).msn) = (packets[4].bth.psn, 1);
    all.extend([next, newest, old]);
    finds(&all, all.len(), "CF134");
}
