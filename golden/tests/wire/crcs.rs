//! What the CRCs cover, bit by bit, on rows of `crc_vectors.csv`; the vectors themselves are conformance cases.
use super::bytes;
use hca_golden::port::Link;
use hca_golden::wire::crc::{icrc, icrc_roce_v1, icrc_roce_v2, vcrc};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::raw::RawHeader;
use hca_golden::wire::rwh::Rwh;
use std::ops::Range;

/// V1 of `crc_vectors.csv`: IB local, to the byte before the ICRC.
const V1: &str = "
    7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc069
    0ed40000
";
/// V2 of `crc_vectors.csv`: IB global, to the byte before the ICRC.
const V2: &str = "
    7013375c001817d260000000003200100000000000000125000000000000002600000000000001170000000000000096
    0a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000
";
/// V4 of `crc_vectors.csv`: IB global, VL/SL/TClass/FlowLabel/HopLmt/Resv8a changed, to the byte before the ICRC.
const V4: &str = "
    2043375c001817d26abcdef1003200050000000000000125000000000000002600000000000001170000000000000096
    0a202487c087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000
";
/// V5 of `crc_vectors.csv`: raw EtherType (LNH 00), to the byte before the VCRC.
const V5: &str = "
    2000000400050003000008000001020304050607
";
/// V6 of `crc_vectors.csv`: RoCEv1 (GRH..pad), to the byte before the ICRC.
const V6: &str = "
    6020000000281b4000000000000000000000ffff0f00000200000000000000000000ffff0f0000020a70ffff0000010a
    80a788bc000055d4c0726000000047b3000000050000000001000000
";
/// V9 of `crc_vectors.csv`: RoCEv2 IPv4 (IP..pad), to the byte before the ICRC.
const V9: &str = "
    45010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460ffff000000d300cf17104630818be28935d9
    0e9a95505401be885e500000
";
/// V10 of `crc_vectors.csv`: RoCEv2 IPv6 (IPv6..pad), to the byte before the ICRC.
const V10: &str = "
    6e21face002c11ff2022000000000000000000000000102320230000000000000000000000001024c00012b7002ce7c5
    2460ffff000000d300cf17104630818be28935d90e9a95505401be885e500000
";

/// crc.md section 2.
#[test]
fn vcrc_of_the_check_string() {
    assert_eq!(vcrc(b"123456789"), [0x3D, 0x0A]);
}

/// V4 is V2 with all of them changed; then each bit of each alone.
#[test]
fn what_the_icrc_of_a_global_packet_does_not_cover() {
    assert_eq!(icrc(&bytes(V4))[..], bytes("1493ec46"));
    let vl_sl_and_all_of_the_lrh = (0..64).filter(|bit| ![14, 15].contains(bit));
    let tclass_and_flow_label = 68..96;
    let hop_lmt = 120..128;
    let bth_byte_4 = 416..424;
    for bit in vl_sl_and_all_of_the_lrh
        .chain(tclass_and_flow_label)
        .chain(hop_lmt)
        .chain(bth_byte_4)
    {
        let mut packet = bytes(V2);
        packet[bit / 8] ^= 0x80 >> (bit % 8);
        assert_eq!(icrc(&packet)[..], bytes("1493ec46"), "bit {bit}");
    }
}

/// Bits of the row that the ICRC does not cover, each flipped alone; all others change it.
fn not_covered(row: &str, of: fn(&[u8]) -> [u8; 4], variant: &[Range<usize>]) {
    let right = of(&bytes(row));
    for bit in 0..bytes(row).len() * 8 {
        let mut packet = bytes(row);
        packet[bit / 8] ^= 0x80 >> (bit % 8);
        let masked = variant.iter().any(|bits| bits.contains(&bit));
        assert_eq!(of(&packet) == right, masked, "bit {bit}");
    }
}

/// VL, and byte 4 of the BTH.
#[test]
fn what_the_icrc_of_a_local_packet_does_not_cover() {
    not_covered(V1, icrc, &[0..4, 96..104]);
}

/// TClass and FlowLabel, HopLmt, and byte 4 of the BTH, from the GRH on.
#[test]
fn what_the_icrc_of_roce_v1_does_not_cover() {
    not_covered(V6, icrc_roce_v1, &[4..32, 56..64, 352..360]);
}

/// TOS, TTL, both checksums, and byte 4 of the BTH.
#[test]
fn what_the_icrc_of_roce_v2_over_ipv4_does_not_cover() {
    not_covered(V9, icrc_roce_v2, &[8..16, 64..72, 80..96, 208..224, 256..264]);
}

/// Traffic class and flow label, hop limit, UDP checksum, and byte 4 of the BTH.
#[test]
fn what_the_icrc_of_roce_v2_over_ipv6_does_not_cover() {
    not_covered(V10, icrc_roce_v2, &[4..32, 56..64, 368..384, 416..424]);
}

/// V5 and its VCRC: 20 bytes in PktLen, 22 on the wire, the last 8 before the VCRC payload.
#[test]
fn a_raw_packet_has_a_vcrc_and_no_icrc() {
    let frame = [bytes(V5), bytes("27ca")].concat();
    let Ok(Frame::Raw(raw)) = Frame::decode(Link::InfiniBand, &frame) else {
        panic!("no raw packet");
    };
    assert_eq!((raw.lrh.pkt_len, frame.len()), (5, 22));
    let rwh = Rwh {
        resv16: 0,
        ether_type: 0x0800,
    };
    assert_eq!(raw.header, RawHeader::EtherType(rwh));
    assert_eq!(raw.payload, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(raw.encode().unwrap(), frame);
}
