//! What is sent again, or answered again, and what of it the capture alone lacks.
use super::*;

/// A Send of one packet.
fn send(psn: u32) -> Packet {
    let captured = packets("rc_send.pcap");
    let mut send = captured[nth(&captured, Operation::Send, 0)].clone();
    // RC_SEND_ONLY.
    (send.bth.opcode, send.bth.a, send.bth.psn) = (0x04, true, psn);
    send.payload.truncate(8);
    send
}

/// An answer to it.
pub fn answer(psn: u32, syndrome: u8, msn: u32) -> Packet {
    let captured = packets("rc_send.pcap");
    let mut ack = captured[nth(&captured, Operation::Acknowledge, 0)].clone();
    ack.bth.psn = psn;
    (aeth(&mut ack).syndrome, aeth(&mut ack).msn) = (syndrome, msn);
    ack
}

pub const ACK: u8 = 0x1F;
pub const SEQUENCE_NAK: u8 = 0x60;

pub fn sends(psns: impl IntoIterator<Item = u32>) -> Vec<Packet> {
    let like = send(0);
    let with = |psn: u32| {
        let mut send = like.clone();
        send.bth.psn = psn;
        send
    };
    psns.into_iter().map(with).collect()
}

/// 100 is acknowledged, 101 lost, and of what is sent again 102 is missing.
fn with_a_hole() -> Vec<Packet> {
    [
        sends([100]),
        vec![answer(100, ACK, 1)],
        sends(101..106),
        vec![answer(101, SEQUENCE_NAK, 1)],
        sends([101, 103, 104, 105]),
    ]
    .concat()
}

#[test]
fn a_hole_that_a_nak_names_stays_a_finding() {
    let named = vec![answer(102, SEQUENCE_NAK, 2)];
    let rest = [
        sends(102..106),
        vec![answer(105, ACK, 6)],
        sends([106]),
        vec![answer(106, ACK, 7)],
    ];
    let packets = [vec![with_a_hole(), named], rest.to_vec()].concat().concat();
    finds(&packets, 10, "CF177");
    let lacks = contains("the capture lacks");
    judged(&packets).stdout(
        contains("PSN 102 is not sent again, nor acknowledged")
            .and(contains(": 1 finding"))
            .and(lacks.not()),
    );
}

#[test]
fn a_hole_that_is_acknowledged_is_the_captures() {
    let packets = [with_a_hole(), vec![answer(105, ACK, 6)]].concat();
    judged(&packets).code(0).stdout(contains(
        "; 1 PSN that was acknowledged, and whose request the capture lacks",
    ));
}

/// The requester goes back to the PSN of the NAK, and that packet alone the capture lacks.
#[test]
fn the_packet_gone_back_to_is_the_captures() {
    let begin = [
        sends([100]),
        vec![answer(100, ACK, 1)],
        sends(101..104),
        vec![answer(101, SEQUENCE_NAK, 1)],
        sends(102..104),
    ]
    .concat();
    let taken = [begin.clone(), vec![answer(103, ACK, 4)]].concat();
    judged(&taken).code(0);
    finds(&begin, 7, "CF177");
    let refused = [
        begin,
        vec![answer(101, SEQUENCE_NAK, 1)],
        sends(101..104),
        vec![answer(103, ACK, 4)],
    ]
    .concat();
    finds(&refused, 7, "CF177");
}

/// As many packets as there may be in a Read, each skipping one: the work for each is as small as for the first.
#[test]
fn gaps_without_an_end() {
    let psns = (0..40_000).map(|n| 2 * n);
    let told = judged(&sends(psns)).code(1).get_output().stdout.len();
    assert!(told > 39_000, "{told}");
}

/// Requests of a capture up to the response that ends the first Read, all of it once more without one response, and
/// what comes behind.
fn read_again(lost: usize) -> Vec<Packet> {
    let captured = packets("rc_read.pcap");
    let first = captured[0].bth.psn;
    let is_of = |packet: &Packet, n: u32| {
        let reads = packet.bth.psn.wrapping_sub(first) / 5;
        reads == n
    };
    let exchange = |n: u32| -> Vec<Packet> { captured.iter().filter(|p| is_of(p, n)).cloned().collect() };
    let whole = exchange(0);
    let mut again = whole.clone();
    again.remove(lost);
    [whole, again, exchange(1)].concat()
}

#[test]
fn a_response_of_a_repeated_read_is_the_captures() {
    let packets = read_again(3);
    judged(&packets).code(0);
    let until = packets.len() - 6;
    finds(&packets[..until], 10, "CF140");
}
