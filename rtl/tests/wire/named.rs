//! Packets whose fate is written down, not computed.
use crate::packet::{self, judge, reason, reseal, reseal_link};
use crate::plain;
use crate::receive::{self, Manners, Outcome};
use hca_sim::verilated::Library;

/// The published sample packet (crc.md V1), and with its VL changed (V3); a raw packet (V5).
const V1: &str = "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000\
                  9625b75a45fa";
const V3: &str = "3012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000\
                  9625b75a7797";
const V5: &str = "200000040005000300000800000102030405060727ca";

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal"))
        .collect()
}

/// Packets whose fate is written down here.
pub fn named(library: &Library, bytes: usize) {
    let good = plain(5).bytes();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut packet = good.clone();
        change(&mut packet);
        packet
    };
    let ack_without_room = {
        let mut packet = plain(0).bytes();
        packet[8] = 0x11;
        reseal(&mut packet);
        packet
    };
    let pad_without_payload = {
        let mut packet = plain(0).bytes();
        packet[9] |= 0x10;
        reseal(&mut packet);
        packet
    };
    let cases: Vec<(&str, Vec<u8>, Option<u64>)> = vec![
        ("good", good.clone(), None),
        (
            "VL and reserved bits change on the way",
            with(&|p| {
                p[0] = 0x50;
                p[12] = 0xC0;
                reseal_link(p)
            }),
            None,
        ),
        (
            "VCRC",
            with(&|p| *p.last_mut().expect("bytes") ^= 1),
            Some(reason::VCRC),
        ),
        ("sample packet for another port", hex(V1), Some(reason::DLID)),
        ("the same on another VL", hex(V3), Some(reason::DLID)),
        ("raw packet, a runt here", hex(V5), Some(reason::LENGTH)),
        (
            "LVer",
            with(&|p| {
                p[0] = 1;
                reseal(p)
            }),
            Some(reason::LINK_VERSION),
        ),
        (
            "PktLen",
            with(&|p| {
                p[5] += 1;
                reseal(p)
            }),
            Some(reason::LENGTH),
        ),
        (
            "DLID 0",
            with(&|p| {
                p[2] = 0;
                p[3] = 0;
                reseal(p)
            }),
            Some(reason::DLID),
        ),
        (
            "next port's DLID",
            with(&|p| {
                p[3] += 4;
                reseal(p)
            }),
            Some(reason::DLID),
        ),
        (
            "last path bits of ours",
            with(&|p| {
                p[3] += 3;
                reseal(p)
            }),
            None,
        ),
        (
            "multicast DLID",
            with(&|p| {
                p[2] = 0xC0;
                reseal(p)
            }),
            Some(reason::DLID),
        ),
        (
            "LNH 11",
            with(&|p| {
                p[1] |= 1;
                reseal(p)
            }),
            Some(reason::NETWORK_HEADER),
        ),
        (
            "LNH 00, ICRC not looked at",
            with(&|p| {
                p[1] = 0;
                reseal_link(p)
            }),
            Some(reason::NETWORK_HEADER),
        ),
        (
            "ICRC",
            with(&|p| {
                p[20] ^= 1;
                reseal_link(p)
            }),
            Some(reason::ICRC),
        ),
        (
            "TVer",
            with(&|p| {
                p[9] |= 1;
                reseal(p)
            }),
            Some(reason::TRANSPORT_VERSION),
        ),
        (
            "no room for the AETH",
            ack_without_room,
            Some(reason::HEADER_INCOMPLETE),
        ),
        (
            "pad without payload",
            pad_without_payload,
            Some(reason::HEADER_INCOMPLETE),
        ),
        ("shortest", plain(0).bytes(), None),
        ("longest", plain(4196).bytes(), None),
        ("a word longer", plain(4200).bytes(), Some(reason::LENGTH)),
        ("after it", plain(1).bytes(), None),
    ];
    let packets: Vec<_> = cases.iter().map(|case| case.1.clone()).collect();
    let (outcomes, _) = receive::run(library, bytes, &packets, Manners::EAGER, 31);
    for ((name, packet, expected), outcome) in cases.iter().zip(outcomes) {
        let outcome = match outcome {
            Outcome::Dropped(reason) => Some(reason),
            _ => None,
        };
        assert_eq!(outcome, *expected, "{name}");
        assert_eq!(judge(packet).err(), *expected, "the bench on {name}");
    }
}

/// The published packets, at the port that they were sent to.
pub fn published(library: &Library, bytes: usize) {
    let packets = [hex(V1), hex(V3)];
    let (outcomes, _) = receive::run_at((0x375C, 0), library, bytes, &packets, Manners::EAGER, 41);
    for (outcome, packet) in outcomes.iter().zip(packets) {
        let Outcome::Accepted(header) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!((header.slid, header.opcode, header.psn), (0x17D2, 0x0A, 0x0DEC2A));
        assert_eq!(header.payload, packet[36..50]);
    }
}

#[test]
fn the_bench_knows_the_published_crcs() {
    let v1 = hex(V1);
    let n = v1.len();
    assert_eq!(packet::icrc(&v1[..n - 6]), [0x96, 0x25, 0xB7, 0x5A]);
    assert_eq!(packet::vcrc(&v1[..n - 2]), [0x45, 0xFA]);
    let v3 = hex(V3);
    assert_eq!(packet::icrc(&v3[..n - 6]), [0x96, 0x25, 0xB7, 0x5A]);
    assert_eq!(packet::vcrc(&v3[..n - 2]), [0x77, 0x97]);
    let v5 = hex(V5);
    assert_eq!(packet::vcrc(&v5[..20]), [0x27, 0xCA]);
}
