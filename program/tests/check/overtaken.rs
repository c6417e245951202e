//! Packets that others overtake before the capture, and copies that the link makes. Sound traffic of these shapes is
//! silent; its twins stand in `replays`.
use super::replays::{answer, sends, ACK, SEQUENCE_NAK};
use super::*;

fn is_silent(packets: &[Packet]) {
    judged(packets).code(0);
}

/// 101 comes behind 102. The requester has the NAK only later, and goes back then.
#[test]
fn a_new_packet_is_overtaken_and_the_requester_goes_back_later() {
    let packets = [
        sends([100]),
        vec![answer(100, ACK, 1)],
        sends([102]),
        vec![answer(101, SEQUENCE_NAK, 1)],
        sends([101]),
        vec![answer(101, ACK, 2)],
        sends([103]),
        vec![answer(102, SEQUENCE_NAK, 2)],
        sends([104]),
        sends(101..105),
        vec![answer(104, ACK, 5)],
    ];
    is_silent(&packets.concat());
    // With no more than the packet that the NAK named, the requester has left out the ones behind it.
    finds(&packets[..8].concat(), 7, "CF177");
}

/// The same of what is sent again: 102 comes behind 103.
#[test]
fn a_packet_of_a_replay_is_overtaken() {
    let packets = [
        sends([100]),
        vec![answer(100, ACK, 1)],
        sends(101..105),
        vec![answer(101, SEQUENCE_NAK, 1)],
        sends([101]),
        vec![answer(101, ACK, 2)],
        sends([103]),
        vec![answer(102, SEQUENCE_NAK, 2)],
        sends([102]),
        vec![answer(102, ACK, 3)],
        sends([104]),
        vec![answer(103, SEQUENCE_NAK, 3)],
        sends(102..105),
        vec![answer(104, ACK, 5)],
    ];
    is_silent(&packets.concat());
    finds(&packets[..12].concat(), 10, "CF177");
}

/// The second NAK comes before the first one.
#[test]
fn a_nak_overtakes_a_nak() {
    let with = |naks: [u32; 2]| {
        [
            sends(100..105),
            naks.map(|psn| answer(psn, SEQUENCE_NAK, psn - 100)).to_vec(),
            sends(103..105),
            vec![answer(104, ACK, 5)],
        ]
        .concat()
    };
    is_silent(&with([103, 102]));
    let acknowledged = [vec![answer(102, ACK, 3), answer(102, SEQUENCE_NAK, 3)]].concat();
    finds(&[sends(100..105), acknowledged].concat(), 7, "CF059");
}

/// An ack that was sent twice; the answer to the next request comes between the two.
#[test]
fn an_ack_that_is_sent_twice_is_overtaken() {
    let packets = [
        sends([100]),
        vec![answer(100, ACK, 1)],
        sends([101]),
        vec![answer(101, ACK, 2), answer(100, ACK, 1)],
        sends([102]),
        vec![answer(102, ACK, 3)],
    ];
    is_silent(&packets.concat());
}

/// Responses of a Read that the link doubles, or that change places.
#[test]
fn a_read_response_comes_twice_or_late() {
    let captured = packets("rc_read.pcap");
    let middle = nth(&captured, Operation::ReadResponse, 1);
    let mut twice = captured.clone();
    twice.insert(middle, captured[middle].clone());
    is_silent(&twice);
    let mut late = captured.clone();
    late.swap(middle, middle + 1);
    is_silent(&late);
    let mut lost = captured;
    lost.remove(middle);
    finds(&lost[..middle + 2], middle + 1, "CF140");
}
