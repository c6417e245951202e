//! LRH and GRH (`responder.md` section 1 steps 1 to 3, `link.md` section 2).
use super::super::crc::vcrc;
use super::super::judge::reason;
use super::super::packet::{reseal_link, Packet, Route};
use super::{changed, Case};

pub fn cases() -> Vec<Case> {
    [lengths(), link(), network()].concat()
}

/// A packet with a change, its VCRC made right again.
fn on_the_way(packet: &Packet, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = packet.bytes();
    change(&mut bytes);
    reseal_link(true, &mut bytes);
    bytes
}

/// A packet of this first word and length, zeros else, its VCRC right.
fn bare(lnh: u8, words: u8) -> Vec<u8> {
    let mut bytes = vec![0; usize::from(words) * 4];
    bytes[..6].copy_from_slice(&[0, lnh, 0x12, 0x30, 0, words]);
    bytes.extend(vcrc(&bytes));
    bytes
}

fn lengths() -> Vec<Case> {
    let send = |payload| Packet::send(Route::Local, payload);
    let cut = |bytes: usize| {
        let mut packet = send(40).bytes();
        packet.truncate(packet.len() - bytes);
        packet
    };
    vec![
        ("nothing", vec![], Some(reason::LENGTH)),
        ("one byte", vec![0x5A], Some(reason::LENGTH)),
        ("a VCRC", vec![0xFF, 0xFF], Some(reason::LENGTH)),
        ("four words, raw", bare(0, 4), Some(reason::LENGTH)),
        ("five words, raw", bare(0, 5), Some(reason::NETWORK_HEADER)),
        ("five words, local", bare(2, 5), Some(reason::LENGTH)),
        ("six words, local, no ICRC", bare(2, 6), Some(reason::ICRC)),
        ("15 words, global", bare(3, 15), Some(reason::LENGTH)),
        ("16 words, global, no GRH", bare(3, 16), Some(reason::GRH)),
        ("a byte short", cut(1), Some(reason::LENGTH)),
        ("two bytes short", cut(2), Some(reason::LENGTH)),
        ("a word short", cut(4), Some(reason::VCRC)),
        (
            "a word short, VCRC right",
            on_the_way(&send(40), |b| b.truncate(b.len() - 4)),
            Some(reason::LENGTH),
        ),
        (
            "a word too many, VCRC right",
            on_the_way(&send(40), |b| b.extend([0; 4])),
            Some(reason::LENGTH),
        ),
        ("PktLen", changed(&send(5), |b| b[5] += 1), Some(reason::LENGTH)),
        (
            "reserved bits above PktLen",
            changed(&send(5), |b| b[4] |= 0xF8),
            None,
        ),
        ("1055 words", send(4196).bytes(), Some(reason::PAYLOAD_LENGTH)),
        ("1056 words", send(4197).bytes(), Some(reason::LENGTH)),
        (
            "1056 words, DLID 0",
            changed(&send(4197), |b| b[2..4].fill(0)),
            Some(reason::LENGTH),
        ),
    ]
}

fn link() -> Vec<Case> {
    let send = Packet::send(Route::Local, 5);
    let dlid = |dlid: u16| {
        let packet = Packet { dlid, ..send.clone() };
        packet.bytes()
    };
    vec![
        (
            "VL and reserved bits change on the way",
            on_the_way(&send, |b| {
                b[0] = 0x50;
                b[12] = 0xC0;
            }),
            None,
        ),
        (
            "SL does not",
            on_the_way(&send, |b| b[1] |= 0x10),
            Some(reason::ICRC),
        ),
        (
            "VCRC",
            {
                let mut bytes = send.bytes();
                *bytes.last_mut().expect("bytes") ^= 1;
                bytes
            },
            Some(reason::VCRC),
        ),
        (
            "VCRC before LVer",
            {
                let mut bytes = changed(&send, |b| b[0] |= 1);
                bytes[9] ^= 1;
                bytes
            },
            Some(reason::VCRC),
        ),
        ("LVer", changed(&send, |b| b[0] |= 1), Some(reason::LINK_VERSION)),
        (
            "LVer before PktLen",
            changed(&send, |b| {
                b[0] |= 8;
                b[5] += 1;
            }),
            Some(reason::LINK_VERSION),
        ),
        ("DLID 0", dlid(0), Some(reason::DLID)),
        ("the port before", dlid(0x122F), Some(reason::DLID)),
        ("last path bits of ours", dlid(0x1233), None),
        ("the next port", dlid(0x1234), Some(reason::DLID)),
        ("multicast", dlid(0xD230), None),
        ("the last of multicast", dlid(0xFFFE), None),
        ("permissive", dlid(0xFFFF), Some(reason::DLID)),
        (
            "LNH 00, ICRC not looked at",
            on_the_way(&send, |b| b[1] &= !3),
            Some(reason::NETWORK_HEADER),
        ),
        (
            "LNH 01",
            on_the_way(&send, |b| b[1] = (b[1] & !3) | 1),
            Some(reason::NETWORK_HEADER),
        ),
        (
            "DLID before LNH",
            on_the_way(&send, |b| {
                b[1] &= !3;
                b[3] += 4;
            }),
            Some(reason::DLID),
        ),
    ]
}

fn network() -> Vec<Case> {
    let send = Packet::send(Route::Global, 21);
    vec![
        (
            "TClass, flow label and hop limit change on the way, and all of the LRH",
            on_the_way(&send, |b| {
                b[0] = 0xD0;
                b[1] |= 0x70;
                b[8] = 0x6A;
                b[9..12].fill(0x5C);
                b[15] = 1;
                b[52] = 0xFF;
            }),
            None,
        ),
        (
            "SGID does not",
            on_the_way(&send, |b| b[20] ^= 1),
            Some(reason::ICRC),
        ),
        ("IPVer", changed(&send, |b| b[8] ^= 0x10), Some(reason::GRH)),
        ("NxtHdr", changed(&send, |b| b[14] = 17), Some(reason::GRH)),
        (
            "NxtHdr before ICRC and PayLen",
            on_the_way(&send, |b| {
                b[14] = 17;
                b[13] += 4;
            }),
            Some(reason::GRH),
        ),
        ("PayLen", changed(&send, |b| b[13] += 4), Some(reason::LENGTH)),
        (
            "PayLen, upper byte",
            changed(&send, |b| b[12] += 0x20),
            Some(reason::LENGTH),
        ),
        (
            "DGID, first byte",
            changed(&send, |b| b[32] ^= 0x80),
            Some(reason::DGID),
        ),
        (
            "DGID, last byte",
            on_the_way(&send, |b| b[47] ^= 1),
            Some(reason::DGID),
        ),
        (
            "GRH, LNH 10",
            on_the_way(&send, |b| b[1] &= !1),
            Some(reason::ICRC),
        ),
    ]
}
