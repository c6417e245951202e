use super::*;
use crate::wire::immdt::ImmDt;
use crate::wire::opcode::Header;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn packet() -> impl Strategy<Value = Packet> {
    let opcode = prop::sample::select(vec![
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x0B, 0x10, 0x11, 0x12, 0x64, 0x65,
    ]);
    let lrh = (0..16_u8, 0..16_u8, 0..4_u8, any::<u16>(), 0..32_u8, any::<u16>());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let bth = (any::<u16>(), any::<u8>(), 0..=psn_max(), 0..128_u8, 0..=psn_max());
    let payload = prop::collection::vec(any::<u8>(), 0..600);
    (lrh, (opcode, flags, bth), any::<[u8; 64]>(), payload).prop_map(|(l, (opcode, f, b), ext, payload)| {
        let row = Opcode::of(opcode).unwrap();
        let mut p = Packet {
            lrh: Lrh {
                vl: l.0,
                lver: 0,
                sl: l.1,
                resv2: l.2,
                lnh: LNH_LOCAL,
                dlid: l.3,
                resv5: l.4,
                pkt_len: 0,
                slid: l.5,
            },
            bth: Bth {
                opcode,
                se: f.0,
                m: f.1,
                pad_cnt: length::pad(payload.len()) as u8,
                tver: 0,
                p_key: b.0,
                resv8a: b.1,
                dest_qp: b.2,
                a: f.2,
                resv7: b.3,
                psn: b.4,
            },
            extensions: row
                .headers
                .iter()
                .map(|&h| Extension::parse(h, &ext[..h.bytes()]).unwrap())
                .collect(),
            payload,
        };
        p.lrh.pkt_len = ((8 + 12 + row.header_bytes() + p.payload.len()).div_ceil(4) + 1) as u16;
        p
    })
}

fn psn_max() -> u32 {
    0xFF_FFFF
}

/// Both CRCs of changed bytes made right again.
fn reseal(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len() - ICRC_BYTES - VCRC_BYTES);
    bytes.extend(icrc(bytes));
    bytes.extend(vcrc(bytes));
}

fn only(payload: &[u8]) -> Packet {
    Packet {
        lrh: Lrh {
            lnh: LNH_LOCAL,
            dlid: 2,
            slid: 1,
            ..Lrh::default()
        },
        bth: Bth {
            opcode: 4,
            p_key: 0xFFFF,
            dest_qp: 3,
            ..Bth::default()
        },
        extensions: Vec::new(),
        payload: payload.to_vec(),
    }
}

/// The same cases on every machine.
fn seeded() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn round_trip(p in packet()) {
        prop_assert_eq!(Packet::decode(&p.encode()), Ok(p));
    }

    #[test]
    fn decode_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Packet::decode(&bytes).is_err());
    }

    /// Arbitrary content behind CRCs and a PktLen that are right.
    #[test]
    fn decode_never_panics_behind_the_crcs(words in 6_usize..40, mut bytes in prop::collection::vec(any::<u8>(), 162)) {
        bytes.truncate(words * 4 + 2);
        bytes[0] &= 0xF0;
        bytes[1] = bytes[1] & 0xFC | LNH_LOCAL;
        bytes[4] = 0;
        bytes[5] = words as u8;
        reseal(&mut bytes);
        match Packet::decode(&bytes) {
            Ok(p) => prop_assert_eq!(p.bth.tver, 0),
            Err(e) => prop_assert!(matches!(e.reason(), DropReason::TransportVersion | DropReason::HeaderIncomplete)),
        }
    }

    /// CF038.
    #[test]
    fn every_flipped_bit_is_found(p in packet(), at in any::<prop::sample::Index>()) {
        let mut bytes = p.encode();
        let bit = at.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(Packet::decode(&bytes).is_err());
    }
}

#[test]
fn reasons_by_priority() {
    let good = only(&[1, 2, 3]).encode();
    let reason = |b: &[u8]| Packet::decode(b).unwrap_err().reason();
    for size in 0..good.len() {
        let expected = if size >= 26 && size % 4 == 2 {
            DropReason::Vcrc
        } else {
            DropReason::Length
        };
        assert_eq!(reason(&good[..size]), expected, "{size} bytes");
    }
    let broken = |change: fn(&mut Vec<u8>)| {
        let mut b = good.clone();
        change(&mut b);
        b
    };
    let revcrc = |mut b: Vec<u8>| {
        b.truncate(b.len() - VCRC_BYTES);
        b.extend(vcrc(&b));
        b
    };
    assert_eq!(reason(&broken(|b| b[0] ^= 1)), DropReason::Vcrc);
    assert_eq!(reason(&revcrc(broken(|b| b[0] ^= 1))), DropReason::LinkVersion);
    assert_eq!(reason(&revcrc(broken(|b| b[5] += 1))), DropReason::Length);
    assert_eq!(reason(&revcrc(broken(|b| b[1] ^= 1))), DropReason::NetworkHeader);
    assert_eq!(reason(&revcrc(broken(|b| b[1] ^= 2))), DropReason::NetworkHeader);
    assert_eq!(reason(&revcrc(broken(|b| b[20] ^= 1))), DropReason::Icrc);
    let tver = |b: &mut Vec<u8>| {
        b[9] ^= 1;
        reseal(b);
    };
    assert_eq!(reason(&broken(tver)), DropReason::TransportVersion);
    // FB17: a pad count that the packet has no room for.
    let forged = |b: &mut Vec<u8>| {
        *b = only(&[]).encode();
        b[9] |= 0x30;
        reseal(b);
    };
    assert_eq!(reason(&broken(forged)), DropReason::HeaderIncomplete);
    let no_aeth = |b: &mut Vec<u8>| {
        *b = only(&[]).encode();
        b[8] = 0x11;
        reseal(b);
    };
    assert_eq!(reason(&broken(no_aeth)), DropReason::HeaderIncomplete);
}

#[test]
fn the_largest_packet() {
    let mut p = only(&[0xA5; 4096]);
    assert_eq!(Packet::decode(&p.encode()).unwrap().payload.len(), 4096);
    p.payload.resize(4096 + 100, 0);
    assert_eq!(p.encode().len(), MAX_PACKET_BYTES);
    assert!(Packet::decode(&p.encode()).is_ok());
    p.payload.push(0);
    assert_eq!(
        Packet::decode(&p.encode()),
        Err(Malformed::Size(MAX_PACKET_BYTES + 4))
    );
}

/// CF005: an ack, byte by byte.
#[test]
fn an_ack_stands_as_written() {
    let ack = Packet {
        lrh: Lrh {
            sl: 3,
            dlid: 0x0102,
            slid: 0x0304,
            ..Lrh::default()
        },
        bth: Bth {
            opcode: 0x11,
            p_key: 0xFFFF,
            dest_qp: 0x0A_0B0C,
            psn: 100,
            ..Bth::default()
        },
        extensions: vec![Extension::Aeth(Aeth {
            syndrome: 0x1F,
            msn: 1,
        })],
        payload: Vec::new(),
    };
    let expected = [
        0x00, 0x32, 0x01, 0x02, 0x00, 0x07, 0x03, 0x04, // LRH
        0x11, 0x00, 0xFF, 0xFF, 0x00, 0x0A, 0x0B, 0x0C, 0x00, 0x00, 0x00, 0x64, // BTH
        0x1F, 0x00, 0x00, 0x01, // AETH
    ];
    let bytes = ack.encode();
    assert_eq!(bytes[..24], expected);
    assert_eq!(bytes.len(), 30);
}

/// CF020.
#[test]
fn immediate_data_is_carried_unchanged() {
    let mut p = only(&[]);
    p.bth.opcode = 0x05;
    p.extensions = vec![Extension::ImmDt(ImmDt([0xDE, 0xAD, 0xBE, 0xEF]))];
    let bytes = p.encode();
    assert_eq!(bytes[20..24], [0xDE, 0xAD, 0xBE, 0xEF]);
    let decoded = Packet::decode(&bytes).unwrap();
    assert_eq!(decoded.immediate(), Some([0xDE, 0xAD, 0xBE, 0xEF]));
    assert_eq!(decoded.extensions[0].kind(), Header::ImmDt);
}
