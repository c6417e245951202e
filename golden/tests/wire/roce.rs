//! The checks of a RoCEv2 port, in their order (`responder.md` section 1, steps 1 to 4; `headers.md` section 7).
use super::bytes;
use hca_golden::arbitration::Arbitration;
use hca_golden::decision::link::judge;
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::Pmtu;
use hca_golden::wire::crc::icrc_roce_v2;
use hca_golden::wire::frame::Frame;

const V4: PortConfig = PortConfig {
    number: 1,
    link: Link::Roce,
    lid: 0,
    lmc: 0,
    gid: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 168, 0, 2],
    guids: [0; 3],
    mac: [2, 0, 0, 0, 0, 2],
    mtu: Pmtu::B4096,
    data_vls: 1,
    sl_to_vl: [0; 16],
    arbitration: Arbitration::of(1),
    p_keys: [0; 4],
};
const V6: PortConfig = PortConfig {
    gid: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    ..V4
};

/// RC Send only of one byte over IPv4.
const SEND: &str = "020000000002 020000000001 0800
    4502003012344000 4011a733 c0a80001 c0a80002 c00012b7001c0000
    0430ffff0000001280000064 a1000000 14025c5b";
/// RC Send only of nothing over IPv4: 58 bytes.
const EMPTY: &str = "020000000002 020000000001 0800
    4502002c12344000 4011a737 c0a80001 c0a80002 c00012b700180000
    0400ffff0000001280000064 816ea37c";
/// RC Acknowledge over IPv6.
const ACK: &str = "020000000002 020000000001 86dd 6a5bcdef001c1140
    fe800000000000000000000000000001 fe800000000000000000000000000002 c00112b7001cbeef
    1100ffff0000001200000064 1f000001 e7e06c13";

/// Bytes of Ethernet, IPv4 and UDP.
const IP: usize = 14;
const UDP: usize = 34;

fn reason(port: &PortConfig, frame: &[u8]) -> DropReason {
    judge(port, frame).unwrap_err().reason
}

/// The frame with some bytes changed; the ICRC is right, the IPv4 checksum as it was.
fn changed(frame: &str, changes: &[(usize, u8)]) -> Vec<u8> {
    let mut frame = bytes(frame);
    for &(at, byte) in changes {
        frame[at] = byte;
    }
    frame.truncate(frame.len() - 4);
    let icrc = icrc_roce_v2(&frame[IP..]);
    frame.extend(icrc);
    frame
}

/// With the IPv4 checksum right.
fn with_checksum(mut frame: Vec<u8>) -> Vec<u8> {
    frame[IP + 10..IP + 12].fill(0);
    let words = frame[IP..UDP].chunks(2);
    let sum: u32 = words.map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    frame[IP + 10..IP + 12].copy_from_slice(&(!folded as u16).to_be_bytes());
    frame
}

#[test]
fn sound_frames_pass() {
    for (port, frame) in [(V4, SEND), (V4, EMPTY), (V6, ACK)] {
        let frame = bytes(frame);
        let judged = judge(&port, &frame).unwrap();
        assert_eq!(judged.encode().unwrap(), frame);
        assert_eq!(Frame::decode(Link::Roce, &frame), Ok(Frame::Iba(judged)));
    }
}

/// A frame over IPv4 that fails every check from this one on.
fn failing_from(first: usize) -> Vec<u8> {
    let mut changes = Vec::new();
    let mut fault = |number: usize, at: usize, byte: u8| {
        if first <= number {
            changes.push((at, byte));
        }
    };
    fault(14, 43, 0x31); // TVer
    fault(12, 33, 3); // DGID
    fault(10, UDP + 5, 0x1E); // UDP length no multiple of 4
    fault(10, IP + 3, 0x32); // TotLen to match
    fault(9, IP + 3, 0x31); // TotLen
    fault(8, UDP + 3, 0xB8); // UDP port
    fault(7, IP + 9, 6); // protocol
    fault(5, IP + 6, 0x20); // MF
    fault(4, IP, 0x46); // IHL
    fault(3, IP, 0x66); // version
    fault(2, 13, 6); // EtherType
    fault(1, 5, 3); // MAC
    let mut frame = with_checksum(changed(SEND, &changes));
    if first <= 13 {
        let end = frame.len();
        frame[end - 1] ^= 1;
    }
    if first <= 11 {
        frame.extend([0; 4]);
    }
    if first <= 6 {
        frame[IP + 11] ^= 1;
    }
    if first == 0 {
        frame.truncate(57);
    }
    frame
}

#[test]
fn the_first_failing_check_is_the_reason() {
    use DropReason::*;
    let reasons = [
        Length, Dlid, NetworkHeader, Grh, Grh, Grh, Grh, NetworkHeader, NetworkHeader, Length, Length,
        Length, Dgid, Icrc, TransportVersion,
    ];
    for (number, expected) in reasons.into_iter().enumerate() {
        assert_eq!(
            reason(&V4, &failing_from(number)),
            expected,
            "from check {number} on"
        );
    }
    assert!(judge(&V4, &failing_from(reasons.len())).is_ok());
}

#[test]
fn the_same_over_ipv6() {
    use DropReason::*;
    let cases: [(&[(usize, u8)], _); 8] = [
        (&[(5, 3)], Dlid),
        (&[(12, 0x08), (13, 0)], Grh),
        (&[(IP, 0x4A)], Grh),
        (&[(IP + 6, 6)], NetworkHeader),
        (&[(57, 0xB8)], NetworkHeader),
        (&[(IP + 5, 0x1D)], Length),
        (&[(53, 3)], Dgid),
        (&[(63, 0x01)], TransportVersion),
    ];
    for (changes, expected) in cases {
        assert_eq!(reason(&V6, &changed(ACK, changes)), expected, "{changes:?}");
    }
    for size in 0..bytes(ACK).len() {
        assert_eq!(reason(&V6, &bytes(ACK)[..size]), Length, "{size} bytes");
    }
}

#[test]
fn fragments_and_options_are_none() {
    let of = |changes: &[(usize, u8)]| with_checksum(changed(SEND, changes));
    for (at, byte) in [(IP + 6, 0x20), (IP + 6, 0x41), (IP + 7, 0x01)] {
        assert_eq!(reason(&V4, &of(&[(at, byte)])), DropReason::Grh);
    }
    for ihl in [0, 4, 6, 15] {
        assert_eq!(
            reason(&V4, &of(&[(IP, 0x40 | ihl)])),
            DropReason::Grh,
            "IHL {ihl}"
        );
    }
    // DF clear and another identification are as good.
    assert!(judge(&V4, &of(&[(IP + 6, 0), (IP + 4, 0x77)])).is_ok());
}

#[test]
fn what_ip_says_of_the_route() {
    let v4 = with_checksum(changed(SEND, &[(IP + 1, 0xB7), (IP + 8, 0x21)]));
    let judged = judge(&V4, &v4).unwrap();
    let network = &judged.roce().unwrap().network;
    assert_eq!((network.traffic_class(), network.hop_limit()), (0xB7, 0x21));
    assert_eq!(network.flow_label(), 0);
    assert_eq!(network.sgid()[10..], [0xFF, 0xFF, 192, 168, 0, 1]);

    let judged = judge(&V6, &bytes(ACK)).unwrap();
    let network = &judged.roce().unwrap().network;
    assert_eq!((network.traffic_class(), network.hop_limit()), (0xA5, 0x40));
    assert_eq!(network.flow_label(), 0xB_CDEF);
    assert_eq!((network.sgid()[15], network.dgid()[15]), (1, 2));
}

/// A tag is another EtherType.
#[test]
fn vlan_tags_have_no_receiver() {
    let mut frame = bytes(SEND);
    frame.splice(12..12, [0x81, 0x00, 0x00, 0x05]);
    assert_eq!(reason(&V4, &frame), DropReason::NetworkHeader);
}

#[test]
fn udp_lengths() {
    let of = |length: u8| {
        with_checksum(changed(
            SEND,
            &[(UDP + 5, length), (IP + 3, length.wrapping_add(20))],
        ))
    };
    for length in [0, 8, 20, 23, 25, 26, 27] {
        assert_eq!(
            reason(&V4, &of(length)),
            DropReason::Length,
            "UDP length {length}"
        );
    }
    for length in [0x1B, 0x1D] {
        let changes = [(IP + 3, length + 20)];
        assert_eq!(
            reason(&V4, &with_checksum(changed(SEND, &changes))),
            DropReason::Length
        );
    }
    // All lengths agree, but the transport is no whole words.
    let mut odd = bytes(SEND);
    odd.splice(54..54, [0xA2, 0xA3]);
    (odd[UDP + 5], odd[IP + 3]) = (0x1E, 0x32);
    let odd = with_checksum(odd);
    assert_eq!(odd.len(), 14 + 0x32);
    assert_eq!(reason(&V4, &odd), DropReason::Length);
    // 8 + 12 + 4096 + 4, the most that a payload makes; then the most that is a length at all.
    let long = |payload: usize| {
        let mut frame = changed(SEND, &[(43, 0)]);
        frame.resize(54 + payload, 0);
        let udp = 8 + 12 + payload as u16 + 4;
        frame[UDP + 4..UDP + 6].copy_from_slice(&udp.to_be_bytes());
        frame[IP + 2..IP + 4].copy_from_slice(&(udp + 20).to_be_bytes());
        let icrc = icrc_roce_v2(&frame[IP..]);
        frame.extend(icrc);
        frame[43] = 0;
        with_checksum(frame)
    };
    assert_eq!(judge(&V4, &long(4096)).unwrap().payload.len(), 4096);
    assert_eq!(reason(&V4, &long(4100)), DropReason::PayloadLength);
    assert_eq!(reason(&V4, &long(4156)), DropReason::PayloadLength);
    assert_eq!(reason(&V4, &long(4160)), DropReason::Length);
}

/// Ethernet fills up to 60 bytes with anything; longer tails and others are a wrong length.
#[test]
fn ethernet_padding_is_no_part_of_the_packet() {
    for padding in [[0, 0], [0xA5, 0x5A]] {
        let padded = [bytes(EMPTY), padding.to_vec()].concat();
        let judged = judge(&V4, &padded).unwrap();
        assert!(judged.payload.is_empty());
        assert_eq!(judged.encode().unwrap(), bytes(EMPTY));
    }
    for extra in [1, 3, 4, 6] {
        let frame = [bytes(EMPTY), vec![0; extra]].concat();
        assert_eq!(reason(&V4, &frame), DropReason::Length, "{extra} bytes of tail");
    }
}

/// The checksum of IPv4 must be right, that of UDP is not looked at, and the source port is free.
#[test]
fn checksums_and_ports() {
    let mut wrong = bytes(SEND);
    wrong[IP + 10] ^= 0x80;
    assert_eq!(reason(&V4, &wrong), DropReason::Grh);
    let udp = changed(SEND, &[(UDP, 0x12), (UDP + 6, 0xBE), (UDP + 7, 0xEF)]);
    let judged = judge(&V4, &udp).unwrap();
    assert_eq!(judged.roce().unwrap().udp.checksum, 0xBEEF);
    assert_eq!(judged.encode().unwrap(), udp);
}

/// Ones' complement has two zeros, and a receiver that adds up takes either.
#[test]
fn either_zero_is_a_right_checksum() {
    // The identification that makes the checksum 0.
    let zero = changed(SEND, &[(IP + 4, 0xB9), (IP + 5, 0x67)]);
    let of = |checksum: [u8; 2]| {
        let mut frame = zero.clone();
        frame[IP + 10..IP + 12].copy_from_slice(&checksum);
        judge(&V4, &frame)
    };
    assert_eq!(with_checksum(zero.clone())[IP + 10..IP + 12], [0, 0]);
    assert!(of([0, 0]).is_ok() && of([0xFF, 0xFF]).is_ok());
    assert_eq!(of([0, 1]).unwrap_err().reason, DropReason::Grh);
}
