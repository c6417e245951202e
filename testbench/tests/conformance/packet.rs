//! Rows of the area `packet` that a whole device shows: what it sends and takes byte by byte (`headers.md`).
use super::bench::{on_both, response, Bench, FIRST_PSN, UNTOUCHED};
use super::wire_bench::bytes;
use hca_golden::verbs::{QpState, Status};
use std::ops::Range;

on_both!(
    cf006_cf007_cf013_cf015_cf021_segments,
    cf008_only_packets,
    cf009_full_last_packets,
    cf010_cf011_pad_and_pkt_len,
    cf010_cf011_received,
    cf010_pad_bytes_that_are_not_zero,
    cf016_reserved_fields_set,
    cf022_2_to_the_31_bytes,
    cf022_one_byte_more,
);

/// A packet to LID 1: LRH and BTH, bytes of the message, both CRCs.
type Sent = (&'static str, Range<usize>, &'static str);

/// The first bytes that messages of the bench have.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + i / 251) as u8).collect()
}

/// Sends messages of these lengths, which leave as these packets, byte by byte. PSNs count up from 2000; the first
/// packet of a message asks for an acknowledgement as the last does (`requester.md` section 2 leaves that free).
fn leaves_as(y: &mut Bench, lengths: &[u32], packets: &[Sent]) {
    y.connect(100);
    for (wr_id, &length) in (0..).zip(lengths) {
        y.post_send(wr_id, length);
    }
    let expected: Vec<_> = packets
        .iter()
        .map(|(headers, range, crcs)| {
            let payload = &message(range.end)[range.clone()];
            let pad = vec![0; payload.len().next_multiple_of(4) - payload.len()];
            [&bytes(headers), payload, &pad, &bytes(crcs)].concat()
        })
        .collect();
    assert_eq!(y.packets(), expected);
    let last = FIRST_PSN + packets.len() as u32 - 1;
    y.receive(&[response(last, 0x1F, lengths.len() as u32)]);
    let done = lengths
        .iter()
        .zip(0..)
        .map(|(_, wr_id)| (wr_id, Status::Success, 0));
    assert_eq!(y.completions(), done.collect::<Vec<_>>());
}

/// LNH 10, and no GRH; LVer, TVer and all reserved fields are 0.
fn cf006_cf007_cf013_cf015_cf021_segments(y: &mut Bench) {
    let packets = [
        (
            "0002000100460002 0000ffff00000a12800007d0",
            0..256,
            "44ef6cc31605",
        ),
        (
            "0002000100460002 0100ffff00000a12000007d1",
            256..512,
            "a7b780a62f5f",
        ),
        (
            "00020001001c0002 0200ffff00000a12800007d2",
            512..600,
            "51fb316e76a6",
        ),
        (
            "0002000100460002 0000ffff00000a12800007d3",
            0..256,
            "9f97e4d78cc3",
        ),
        (
            "0002000100070002 0230ffff00000a12800007d4",
            256..257,
            "c36fccc502c6",
        ),
    ];
    leaves_as(y, &[600, 257], &packets);
}

fn cf008_only_packets(y: &mut Bench) {
    let packets = [
        ("0002000100060002 0400ffff00000a12800007d0", 0..0, "f8df670847e1"),
        ("0002000100070002 0430ffff00000a12800007d1", 0..1, "32ee01e6de4d"),
        (
            "0002000100460002 0400ffff00000a12800007d2",
            0..256,
            "64f012d8dea1",
        ),
    ];
    leaves_as(y, &[0, 1, 256], &packets);
}

fn cf009_full_last_packets(y: &mut Bench) {
    let packets = [
        (
            "0002000100460002 0000ffff00000a12800007d0",
            0..256,
            "44ef6cc31605",
        ),
        (
            "0002000100460002 0200ffff00000a12800007d1",
            256..512,
            "d5a81b40b63e",
        ),
        (
            "0002000100460002 0000ffff00000a12800007d2",
            0..256,
            "d6bf9cdbfa81",
        ),
        (
            "0002000100460002 0100ffff00000a12000007d3",
            256..512,
            "35e770bec3db",
        ),
        (
            "0002000100460002 0200ffff00000a12800007d4",
            512..768,
            "88f81265f967",
        ),
    ];
    leaves_as(y, &[512, 768], &packets);
}

fn cf010_cf011_pad_and_pkt_len(y: &mut Bench) {
    let packets = [
        ("0002000100070002 0420ffff00000a12800007d0", 0..2, "484e4c9aa8ec"),
        ("0002000100070002 0410ffff00000a12800007d1", 0..3, "a7eb08f54c0b"),
        ("0002000100070002 0400ffff00000a12800007d2", 0..4, "d3ea179b6034"),
        ("0002000100080002 0430ffff00000a12800007d3", 0..5, "b538fc9dfe08"),
    ];
    leaves_as(y, &[2, 3, 4, 5], &packets);
}

/// Sends of 0 to 5 bytes, and the acks in full.
fn cf010_cf011_received(y: &mut Bench) {
    let packets = [
        (
            "0002000200060001 0400ffff00000b2380000064 734b6732 15de",
            "0002000100070002 1100ffff00000a1200000064 1f000001 32e9bc5f 1c96",
        ),
        (
            "0002000200070001 0430ffff00000b2380000065 a1000000 f6689815 d0ec",
            "0002000100070002 1100ffff00000a1200000065 1f000002 3891d5fb 3b5f",
        ),
        (
            "0002000200070001 0420ffff00000b2380000066 a1a20000 6704a6cc b7ee",
            "0002000100070002 1100ffff00000a1200000066 1f000003 7edb72cb 41a4",
        ),
        (
            "0002000200070001 0410ffff00000b2380000067 a1a2a300 2c634bb8 513b",
            "0002000100070002 1100ffff00000a1200000067 1f000004 6d677668 d1a2",
        ),
        (
            "0002000200070001 0400ffff00000b2380000068 a1a2a3a4 430cc2af d882",
            "0002000100070002 1100ffff00000a1200000068 1f000005 2ac0219d d63b",
        ),
        (
            "0002000200080001 0430ffff00000b2380000069 a1a2a3a4a5000000 fcb15230 c65c",
            "0002000100070002 1100ffff00000a1200000069 1f000006 20b84839 f1f2",
        ),
    ];
    y.connect(100);
    for (length, (send, ack)) in packets.into_iter().enumerate() {
        let at = 16 * length as u64;
        y.post_receive(length as u64, at, 16);
        y.receive(&[bytes(send)]);
        assert_eq!(y.packets(), [bytes(ack)]);
        assert_eq!(y.completions(), [(length as u64, Status::Success, length as u32)]);
        let mut payload = vec![0xA1, 0xA2, 0xA3, 0xA4, 0xA5];
        payload.truncate(length);
        payload.resize(16, UNTOUCHED);
        assert_eq!(y.buffer(at, 16), payload);
    }
}

/// One byte is taken, and acknowledged.
fn one_byte(y: &mut Bench, send: &str, payload: &[u8]) {
    y.connect(100);
    y.post_receive(1, 0, 16);
    y.receive(&[bytes(send)]);
    assert_eq!(
        y.packets(),
        [bytes(
            "0002000100070002 1100ffff00000a1200000064 1f000001 32e9bc5f 1c96"
        )]
    );
    assert_eq!(y.completions(), [(1, Status::Success, payload.len() as u32)]);
    assert_eq!(y.buffer(0, payload.len()), payload);
    assert_eq!(y.buffer(4, 12), [UNTOUCHED; 12]);
}

/// The receiver ignores their value (`headers.md` section 4).
fn cf010_pad_bytes_that_are_not_zero(y: &mut Bench) {
    let send = "0002000200070001 0430ffff00000b2380000064 a1ffeedd a005ffae 877b";
    one_byte(y, send, &[0xA1]);
}

/// Resv2 and Resv5 of the LRH; M, F, B, Resv6 and Resv7 of the BTH.
fn cf016_reserved_fields_set(y: &mut Bench) {
    let send = "000e0002f8070001 0440ffffff000b23ff000064 a1a2a3a4 1036b4ec e459";
    one_byte(y, send, &[0xA1, 0xA2, 0xA3, 0xA4]);
}

/// The message is begun as any other, and ended by a NAK of its second packet.
fn cf022_2_to_the_31_bytes(y: &mut Bench) {
    y.connect(100);
    y.interrupt_send(1, 1 << 31, 3, response(2001, 0x61, 0));
    let sent = y.requests();
    assert!(sent.len() >= 3, "{} packets", sent.len());
    for (n, request) in (0..).zip(sent) {
        let opcode = if n == 0 { 0x00 } else { 0x01 };
        assert_eq!(request, (opcode, 2000 + n, 256));
    }
    assert_eq!(y.completions(), [(1, Status::RemInvReqErr, 0)]);
    assert_eq!(y.state(), QpState::Error);
}

/// Refused before anything of it is sent, and the next one is sent as if it had not been.
fn cf022_one_byte_more(y: &mut Bench) {
    y.connect(100);
    y.refused_send((1 << 31) + 1);
    y.settle();
    assert_eq!(y.packets(), Vec::<Vec<u8>>::new());
    y.post_send(2, 4);
    assert_eq!(y.requests(), [(0x04, 2000, 4)]);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(2, Status::Success, 0)]);
    assert_eq!(y.state(), QpState::Rts);
}
