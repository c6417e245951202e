//! The checks of a native port, in their order (`responder.md` section 1, steps 1 to 4).
use super::bytes;
use hca_golden::arbitration::Arbitration;
use hca_golden::decision::link::judge;
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::verbs::Pmtu;
use hca_golden::wire::crc::{icrc, vcrc};
use hca_golden::wire::frame::Frame;

/// LIDs 2 and 3, GID fe80::2.
const PORT: PortConfig = PortConfig {
    number: 1,
    link: Link::InfiniBand,
    lid: 2,
    lmc: 1,
    gid: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    guids: [0; 3],
    mac: [0; 6],
    mtu: Pmtu::B4096,
    data_vls: 15,
    sl_to_vl: [0; 16],
    arbitration: Arbitration::of(15),
    p_keys: [0; 4],
};

/// RC Acknowledge, to before the ICRC.
const LOCAL: &str = "0032000200070001 1100ffff0000001200000064 1f000001";
/// RC Acknowledge with a GRH, to before the ICRC.
const GLOBAL: &str = "0033000200110001
    6a5bcdef00141b40 fe800000000000000000000000000001 fe800000000000000000000000000002
    1100ffff0000001200000064 1f000001";

/// Returns the packet with both CRCs.
fn sealed(mut packet: Vec<u8>) -> Vec<u8> {
    packet.extend(icrc(&packet));
    packet.extend(vcrc(&packet));
    packet
}

/// With a VCRC that is right for whatever is before it.
fn with_vcrc(mut packet: Vec<u8>) -> Vec<u8> {
    packet.extend(vcrc(&packet));
    packet
}

fn reason(packet: &[u8]) -> DropReason {
    judge(&PORT, packet).unwrap_err().reason
}

/// The local packet with some bytes changed, both CRCs right.
fn local(changes: &[(usize, u8)]) -> Vec<u8> {
    let mut packet = bytes(LOCAL);
    for &(at, byte) in changes {
        packet[at] = byte;
    }
    sealed(packet)
}

#[test]
fn sound_packets_pass() {
    for packet in [LOCAL, GLOBAL] {
        let packet = sealed(bytes(packet));
        let judged = judge(&PORT, &packet).unwrap();
        assert_eq!(judged.encode().unwrap(), packet);
        assert_eq!(Frame::decode(Link::InfiniBand, &packet), Ok(Frame::Iba(judged)));
    }
}

/// A packet that fails every check from this one on.
fn failing_from(first: usize) -> Vec<u8> {
    let mut packet = bytes(GLOBAL);
    let mut fault = |number: usize, at: usize, byte: u8| {
        if first <= number {
            packet[at] = byte;
        }
    };
    fault(13, 49, 0x30); // PadCnt 3, nothing behind the AETH
    fault(12, 48, 0x12); // the AtomicAckETH is missing
    fault(11, 48, 0x66);
    fault(10, 49, 0x31); // TVer
    fault(8, 47, 3); // DGID
    fault(7, 13, 0x15); // PayLen
    fault(6, 14, 0x11); // NxtHdr
    fault(5, 8, 0x4A); // IPVer
    fault(4, 3, 4); // DLID
    fault(3, 5, 0x12); // PktLen
    fault(2, 0, 1); // LVer
    let mut packet = sealed(packet);
    let end = packet.len();
    if first <= 9 {
        packet[end - 3] ^= 1;
        packet.truncate(end - 2);
        packet = with_vcrc(packet);
    }
    if first <= 1 {
        packet[end - 1] ^= 1;
    }
    if first == 0 {
        packet.push(0);
    }
    packet
}

#[test]
fn the_first_failing_check_is_the_reason() {
    use DropReason::*;
    let reasons = [
        Length, Vcrc, LinkVersion, Length, Dlid, Grh, Grh, Length, Dgid, Icrc, TransportVersion, Opcode,
        HeaderIncomplete, PadCount,
    ];
    for (number, expected) in reasons.into_iter().enumerate() {
        assert_eq!(reason(&failing_from(number)), expected, "from check {number} on");
    }
    assert!(judge(&PORT, &failing_from(reasons.len())).is_ok());
}

/// The shortest packet has 22 bytes. A length that is not whole words plus 2 is no packet.
#[test]
fn every_runt_length() {
    let packet = sealed(bytes(GLOBAL));
    for size in 0..packet.len() {
        let expected = if size >= 22 && size % 4 == 2 {
            DropReason::Vcrc
        } else {
            DropReason::Length
        };
        assert_eq!(reason(&packet[..size]), expected, "{size} bytes");
    }
}

/// LRH, BTH and ICRC are 6 words, with a GRH 16; a raw packet has 5.
#[test]
fn too_few_words_for_the_lnh() {
    let of = |words: usize, lnh: u8| {
        let mut packet = bytes(GLOBAL);
        packet.truncate(4 * words - 4);
        (packet[1], packet[5]) = (0x30 | lnh, words as u8);
        sealed(packet)
    };
    assert_eq!(reason(&of(5, 0b10)), DropReason::Length);
    assert_eq!(reason(&of(15, 0b11)), DropReason::Length);
    assert_eq!(reason(&of(5, 0b00)), DropReason::NetworkHeader);
    assert_eq!(reason(&of(5, 0b01)), DropReason::NetworkHeader);
}

/// 1055 words are the largest PMTU and 124 bytes. A payload of more than the PMTU is found behind all other checks.
#[test]
fn the_longest_packets() {
    let only = |payload: usize| {
        let mut packet = bytes("0032000200000001 0400ffff0000001200000064");
        packet.resize(20 + payload, 0);
        let words = (packet.len() as u16 + 4) / 4;
        packet[4..6].copy_from_slice(&words.to_be_bytes());
        sealed(packet)
    };
    assert_eq!(judge(&PORT, &only(4096)).unwrap().payload.len(), 4096);
    assert_eq!(reason(&only(4100)), DropReason::PayloadLength);
    assert_eq!(only(4196).len(), 4222);
    assert_eq!(reason(&only(4196)), DropReason::PayloadLength);
    assert_eq!(reason(&only(4200)), DropReason::Length);
    let mut broken = only(4200);
    broken[100] ^= 1;
    assert_eq!(reason(&broken), DropReason::Vcrc);
}

/// CF055, CF012: one more and one less than came.
#[test]
fn lengths_that_do_not_agree() {
    let global = |at: usize, byte: u8| {
        let mut packet = bytes(GLOBAL);
        packet[at] = byte;
        reason(&sealed(packet))
    };
    for words in [6, 8] {
        assert_eq!(
            reason(&local(&[(5, words)])),
            DropReason::Length,
            "PktLen {words}"
        );
    }
    for pay_len in [0x13, 0x15] {
        assert_eq!(global(13, pay_len), DropReason::Length, "PayLen {pay_len}");
    }
}

/// Pad counts from 0 to the bytes of the payload, and one more (FB17).
#[test]
fn pad_counts() {
    for pad in 0..4_u8 {
        // A Send of 4 bytes, then an ack, which has no payload.
        let send = local(&[(8, 0x04), (9, pad << 4)]);
        let payload = 4 - usize::from(pad);
        assert_eq!(judge(&PORT, &send).unwrap().payload.len(), payload);
        let ack = judge(&PORT, &local(&[(9, pad << 4)]));
        assert_eq!(ack.is_ok(), pad == 0);
    }
    assert_eq!(reason(&local(&[(9, 0x10)])), DropReason::PadCount);
    // A reserved opcode has a BTH alone; its pad count is checked nevertheless.
    let mut reserved = bytes("0032000200060001 1530ffff0000001200000064");
    assert_eq!(reason(&sealed(reserved.clone())), DropReason::PadCount);
    reserved[9] = 0;
    assert!(judge(&PORT, &sealed(reserved)).is_ok());
}

/// CF046, CF047: unicast LIDs of the port; multicast and permissive have no receiver yet.
#[test]
fn dlids() {
    let to = |dlid: u16| {
        let [high, low] = dlid.to_be_bytes();
        judge(&PORT, &local(&[(2, high), (3, low)]))
    };
    assert!(to(2).is_ok() && to(3).is_ok());
    for dlid in [0, 1, 4, 0x0102, 0xC002, 0xFFFF] {
        assert_eq!(to(dlid).unwrap_err().reason, DropReason::Dlid, "{dlid:04X}h");
    }
}

/// Raw packets are decoded, but no port takes them.
#[test]
fn raw_packets() {
    let ether_type = with_vcrc(bytes("2000000200050003000008000001020304050607"));
    let ipv6 = bytes(
        "20010002000c0003
         6a5bcdef00003b40 fe800000000000000000000000000001 fe800000000000000000000000000002",
    );
    for packet in [ether_type, with_vcrc(ipv6.clone())] {
        assert_eq!(reason(&packet), DropReason::NetworkHeader);
        let raw = Frame::decode(Link::InfiniBand, &packet).unwrap();
        assert!(matches!(raw, Frame::Raw(_)));
        assert_eq!(raw.encode().unwrap(), packet);
    }
    // The DLID comes first.
    let mut elsewhere = ipv6.clone();
    elsewhere[3] = 9;
    assert_eq!(reason(&with_vcrc(elsewhere)), DropReason::Dlid);
    let mut ipv4 = ipv6.clone();
    ipv4[8] = 0x4A;
    let error = Frame::decode(Link::InfiniBand, &with_vcrc(ipv4)).unwrap_err();
    assert_eq!(error.reason, DropReason::NetworkHeader);
    let mut short = ipv6;
    short.truncate(44);
    short[5] = 11;
    let error = Frame::decode(Link::InfiniBand, &with_vcrc(short)).unwrap_err();
    assert_eq!(error.reason, DropReason::HeaderIncomplete);
}

#[test]
fn a_message_names_what_was_found() {
    let mut packet = sealed(bytes(LOCAL));
    packet[29] ^= 0xFF;
    assert_eq!(
        judge(&PORT, &packet).unwrap_err().to_string(),
        "VCRC is 831E, computed 83E1 (responder.md section 1 step 1, crc.md section 4, CF035)"
    );
    let message = |packet: Vec<u8>| judge(&PORT, &packet).unwrap_err().fault.to_string();
    assert_eq!(
        message(local(&[(3, 9)])),
        "DLID is 0009h, the port's are 0002h and those that differ in the low 1 bits"
    );
    assert_eq!(
        message(local(&[(8, 0x12)])),
        "the headers of opcode 12h take 24 bytes before the ICRC, 16 came"
    );
}
