//! Ethernet, IP and UDP (`headers.md` section 7).
use super::super::judge::reason;
use super::super::packet::{sum_ipv4, Packet, Route};
use super::{changed, Case};

pub fn cases() -> Vec<Case> {
    [
        ethernet(),
        padding(),
        ipv4(),
        ipv6(),
        udp(Route::Ipv4, 34),
        udp(Route::Ipv6, 54),
    ]
    .concat()
}

/// A packet with a change that nothing makes good.
fn spoilt(packet: &Packet, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = packet.bytes();
    change(&mut bytes);
    bytes
}

fn ethernet() -> Vec<Case> {
    let send = Packet::send(Route::Ipv4, 21);
    let kind = |kind: u16| spoilt(&send, |b| b[12..14].copy_from_slice(&kind.to_be_bytes()));
    let mut tagged = send.bytes();
    tagged.splice(12..12, [0x81, 0x00, 0x00, 0x05]);
    vec![
        (
            "another's MAC address",
            spoilt(&send, |b| b[5] ^= 1),
            Some(reason::DLID),
        ),
        ("multicast", spoilt(&send, |b| b[0] |= 1), Some(reason::DLID)),
        (
            "an IPv4 group",
            spoilt(&send, |b| b[..3].copy_from_slice(&[0x01, 0x00, 0x5E])),
            None,
        ),
        ("an IPv6 group", spoilt(&send, |b| b[..2].fill(0x33)), None),
        (
            "broadcast",
            spoilt(&send, |b| b[..6].fill(0xFF)),
            Some(reason::DLID),
        ),
        (
            "any source, ICRC not touched",
            spoilt(&send, |b| b[6..12].fill(0xEE)),
            None,
        ),
        ("ARP", kind(0x0806), Some(reason::NETWORK_HEADER)),
        ("RoCEv1", kind(0x8915), Some(reason::NETWORK_HEADER)),
        ("VLAN tag", tagged, Some(reason::NETWORK_HEADER)),
        ("IPv4 said to be IPv6", kind(0x86DD), Some(reason::GRH)),
        (
            "MAC address before EtherType",
            spoilt(&send, |b| {
                b[0] ^= 2;
                b[12] = 0;
            }),
            Some(reason::DLID),
        ),
    ]
}

/// Frames below 60 bytes come filled up to that.
fn padding() -> Vec<Case> {
    let shortest = Packet::send(Route::Ipv4, 0).bytes();
    assert_eq!(shortest.len(), 58);
    let filled = |length, with| {
        let mut bytes = shortest.clone();
        bytes.resize(length, with);
        bytes
    };
    // A BTH that lacks its last word, and an ICRC.
    let mut stunted = filled(60, 0);
    stunted[17] = 20 + 20;
    stunted[39] = 20;
    sum_ipv4(&mut stunted[14..34]);
    let mut ack = Packet::ack(Route::Ipv4, 1).bytes();
    ack.extend([0; 4]);
    vec![
        ("nothing", vec![], Some(reason::LENGTH)),
        (
            "a byte less than the shortest",
            shortest[..57].to_vec(),
            Some(reason::LENGTH),
        ),
        ("the shortest", shortest.clone(), None),
        ("a byte of padding", filled(59, 0), Some(reason::LENGTH)),
        ("filled up to 60 bytes", filled(60, 0), None),
        ("filled up with anything", filled(60, 0xA7), None),
        ("filled up, too short for a BTH", stunted, Some(reason::LENGTH)),
        ("filled beyond", filled(61, 0), Some(reason::LENGTH)),
        ("filled up to 64 bytes", filled(64, 0), Some(reason::LENGTH)),
        ("a word behind 62 bytes", ack, Some(reason::LENGTH)),
    ]
}

fn ipv4() -> Vec<Case> {
    let send = Packet::send(Route::Ipv4, 21);
    // The header's sum made right, then the ICRC.
    let header = |at: usize, value: u8| {
        changed(&send, |b| {
            b[at] = value;
            sum_ipv4(&mut b[14..34]);
        })
    };
    vec![
        ("version 5", header(14, 0x55), Some(reason::GRH)),
        ("options", header(14, 0x46), Some(reason::GRH)),
        ("more fragments", header(20, 0x20), Some(reason::GRH)),
        ("fragment offset", header(21, 0x01), Some(reason::GRH)),
        ("may be fragmented, is not", header(20, 0), None),
        ("checksum", changed(&send, |b| b[25] ^= 1), Some(reason::GRH)),
        (
            "TTL changes, checksum does not",
            changed(&send, |b| b[22] -= 1),
            Some(reason::GRH),
        ),
        (
            "TOS and TTL change on the way, and the checksum",
            spoilt(&send, |b| {
                b[15] ^= 0xFF;
                b[22] = 1;
                sum_ipv4(&mut b[14..34]);
            }),
            None,
        ),
        (
            "identification does not",
            spoilt(&send, |b| {
                b[18] ^= 1;
                sum_ipv4(&mut b[14..34]);
            }),
            Some(reason::ICRC),
        ),
        ("TCP", header(23, 6), Some(reason::NETWORK_HEADER)),
        ("TotLen", header(17, 20 + 8 + 12 + 24), Some(reason::LENGTH)),
        ("TotLen, upper byte", header(16, 1), Some(reason::LENGTH)),
        ("another's address", header(33, 4), Some(reason::DGID)),
        (
            "another's address, first byte",
            header(30, 11),
            Some(reason::DGID),
        ),
        (
            "header before port",
            spoilt(&send, |b| {
                b[24] ^= 1;
                b[36] = 0;
            }),
            Some(reason::GRH),
        ),
    ]
}

fn ipv6() -> Vec<Case> {
    let send = Packet::send(Route::Ipv6, 21);
    let header = |at: usize, value: u8| changed(&send, |b| b[at] = value);
    vec![
        ("version 4", header(14, 0x40), Some(reason::GRH)),
        (
            "traffic class, flow label and hop limit change on the way",
            spoilt(&send, |b| {
                b[14] = 0x6F;
                b[15..18].fill(0x99);
                b[21] = 1;
            }),
            None,
        ),
        (
            "source does not",
            spoilt(&send, |b| b[22] ^= 1),
            Some(reason::ICRC),
        ),
        ("fragment header", header(20, 44), Some(reason::NETWORK_HEADER)),
        (
            "native next header",
            header(20, 0x1B),
            Some(reason::NETWORK_HEADER),
        ),
        ("PayLen", header(19, 8 + 12 + 24), Some(reason::LENGTH)),
        ("PayLen, upper byte", header(18, 1), Some(reason::LENGTH)),
        ("another's address", header(38, 1), Some(reason::DGID)),
        ("another's address, last byte", header(53, 4), Some(reason::DGID)),
        ("58 bytes", send.bytes()[..58].to_vec(), Some(reason::LENGTH)),
        ("60 bytes", send.bytes()[..60].to_vec(), Some(reason::LENGTH)),
    ]
}

fn udp(route: Route, udp: usize) -> Vec<Case> {
    let send = Packet::send(route, 21);
    // Sets both lengths, whose bytes are at hand.
    let length = |length: u16| {
        changed(&send, |b| {
            b[udp + 4..udp + 6].copy_from_slice(&length.to_be_bytes());
            if route == Route::Ipv4 {
                b[16..18].copy_from_slice(&(length + 20).to_be_bytes());
                sum_ipv4(&mut b[14..34]);
            } else {
                b[18..20].copy_from_slice(&length.to_be_bytes());
            }
        })
    };
    let whole = 8 + 12 + 24 + 4;
    vec![
        ("both lengths as they are", length(whole), None),
        (
            "both lengths a word more",
            length(whole + 4),
            Some(reason::LENGTH),
        ),
        (
            "both lengths a word less",
            length(whole - 4),
            Some(reason::LENGTH),
        ),
        (
            "both lengths no whole words",
            length(whole + 1),
            Some(reason::LENGTH),
        ),
        (
            "both lengths too small for a BTH",
            length(20),
            Some(reason::LENGTH),
        ),
        (
            "any checksum",
            spoilt(&send, |b| b[udp + 6..udp + 8].fill(0x3C)),
            None,
        ),
        ("source port", spoilt(&send, |b| b[udp] ^= 1), Some(reason::ICRC)),
        (
            "destination port",
            changed(&send, |b| b[udp + 3] ^= 1),
            Some(reason::NETWORK_HEADER),
        ),
        (
            "longest",
            Packet {
                opcode: 0x53,
                extended: vec![1; 40],
                ..Packet::send(route, 4096 + 20)
            }
            .bytes(),
            Some(reason::PAYLOAD_LENGTH),
        ),
        (
            "a word more than that",
            Packet::send(route, 4180 - 24 + 4).bytes(),
            Some(reason::LENGTH),
        ),
        (
            "no whole words arrived",
            spoilt(&send, |b| b.truncate(b.len() - 2)),
            Some(reason::LENGTH),
        ),
    ]
}
