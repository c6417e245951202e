//! Fields to bytes and back.
use super::strategy::{link_of, packet, raw, seeded};
use hca_golden::port::Link;
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::{Packet, Route};
use hca_golden::wire::roce::Network;
use proptest::prelude::*;

proptest! {
    #![proptest_config(seeded(1000))]

    #[test]
    fn encode_and_decode_are_inverse(p in packet()) {
        let bytes = p.encode().unwrap();
        let decoded = Frame::decode(link_of(&p), &bytes).unwrap();
        prop_assert_eq!(decoded.encode().unwrap(), bytes);
        prop_assert_eq!(decoded, Frame::Iba(p.completed().unwrap()));
    }

    #[test]
    fn encode_and_decode_are_inverse_of_raw_packets(r in raw()) {
        let bytes = r.encode().unwrap();
        let decoded = Frame::decode(Link::InfiniBand, &bytes).unwrap();
        prop_assert_eq!(decoded.encode().unwrap(), bytes);
        prop_assert_eq!(decoded, Frame::Raw(r.completed().unwrap()));
    }

    /// CF038.
    #[test]
    fn a_flipped_bit_is_found_unless_nothing_covers_it(p in packet(), at in any::<prop::sample::Index>()) {
        let mut bytes = p.encode().unwrap();
        let bit = at.index(bytes.len() * 8);
        bytes[bit / 8] ^= 0x80 >> (bit % 8);
        let found = Frame::decode(link_of(&p), &bytes).is_err();
        prop_assert_eq!(found, !uncovered(&p, bit), "bit {}", bit);
    }
}

/// Bits that neither CRC nor checksum of the frame protects, counted from the first of the frame.
fn uncovered(packet: &Packet, bit: usize) -> bool {
    // Both MACs are for the FCS to protect.
    const MACS: std::ops::Range<usize> = 0..12;
    let byte = bit / 8;
    match &packet.route {
        Route::Local(_) | Route::Global(..) => false,
        // The UDP checksum is not looked at; Resv8a is masked. TOS and TTL are masked too, but the checksum of the
        // IPv4 header covers them.
        Route::Roce(roce) => match roce.network {
            Network::Ipv4(_) => MACS.contains(&byte) || matches!(byte, 40 | 41 | 46),
            // Traffic class, flow label and hop limit: IPv6 has no header checksum.
            Network::Ipv6(_) => {
                let first_word = (14 * 8 + 4..18 * 8).contains(&bit);
                MACS.contains(&byte) || first_word || matches!(byte, 21 | 60 | 61 | 66)
            }
        },
    }
}
