//! ICRC and VCRC (`protocol/crc.md`).
use super::header::HeaderFormat;
use super::lrh::{Lrh, LNH_GLOBAL};
use crc::{Algorithm, Crc, Table, CRC_32_ISO_HDLC};

/// Length of an ICRC in bytes.
pub const ICRC_BYTES: usize = 4;
/// Length of a VCRC in bytes.
pub const VCRC_BYTES: usize = 2;

/// The algorithm of the VCRC (section 2).
const VCRC_ALGORITHM: Algorithm<u16> = Algorithm {
    width: 16,
    poly: 0x100B,
    init: 0xFFFF,
    refin: true,
    refout: true,
    xorout: 0xFFFF,
    check: 0x0A3D,
    residue: 0x556F,
};

/// Section 1: polynomial, start and final complement are those of Ethernet.
static ICRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);
static VCRC: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&VCRC_ALGORITHM);

/// Bits that are replaced by ones for the ICRC: offset of each byte, and its bits.
type Mask = [(usize, u8)];

/// VL and Resv8a, from the LRH on.
const LOCAL: [(usize, u8); 2] = [(0, 0xF0), (12, 0xFF)];
/// TClass, FlowLabel, HopLmt and Resv8a, from the GRH on.
const GLOBAL: [(usize, u8); 6] = [(0, 0x0F), (1, 0xFF), (2, 0xFF), (3, 0xFF), (7, 0xFF), (44, 0xFF)];
/// TOS, TTL, both checksums and Resv8a, from the IP header on.
const ROCE_V2_IPV4: [(usize, u8); 7] = [
    (1, 0xFF),
    (8, 0xFF),
    (10, 0xFF),
    (11, 0xFF),
    (26, 0xFF),
    (27, 0xFF),
    (32, 0xFF),
];
/// Traffic class, flow label, hop limit, UDP checksum and Resv8a, from the IP header on.
const ROCE_V2_IPV6: [(usize, u8); 8] = [
    (0, 0x0F),
    (1, 0xFF),
    (2, 0xFF),
    (3, 0xFF),
    (7, 0xFF),
    (46, 0xFF),
    (47, 0xFF),
    (52, 0xFF),
];
/// Bytes that replace the LRH if it is masked as a whole, or missing.
const ONES: [u8; Lrh::BYTES] = [0xFF; Lrh::BYTES];

/// Returns the ICRC of a native packet, in the order of the wire. `covered` is everything from the first LRH byte to
/// the last pad byte. The LNH decides which bits are masked.
pub fn icrc(covered: &[u8]) -> [u8; ICRC_BYTES] {
    match covered.split_at_checked(Lrh::BYTES) {
        Some((lrh, rest)) if lrh[1] & 0x3 == LNH_GLOBAL => masked(&ONES, rest, &GLOBAL),
        _ => masked(&[], covered, &LOCAL),
    }
}

/// Returns the ICRC of a RoCEv1 packet. `covered` is everything from the first GRH byte to the last pad byte.
pub fn icrc_roce_v1(covered: &[u8]) -> [u8; ICRC_BYTES] {
    masked(&ONES, covered, &GLOBAL)
}

/// Returns the ICRC of a RoCEv2 packet. `covered` is everything from the first byte of the IP header, which has no
/// options, to the last pad byte. The IP version decides which bits are masked.
pub fn icrc_roce_v2(covered: &[u8]) -> [u8; ICRC_BYTES] {
    let mask: &Mask = match covered.first() {
        Some(first) if first >> 4 == 6 => &ROCE_V2_IPV6,
        _ => &ROCE_V2_IPV4,
    };
    masked(&ONES, covered, mask)
}

fn masked(before: &[u8], covered: &[u8], mask: &Mask) -> [u8; ICRC_BYTES] {
    let headers = mask.iter().map(|(at, _)| at + 1).max().unwrap_or(0);
    let (head, rest) = covered.split_at(headers.min(covered.len()));
    let mut head = head.to_vec();
    for &(at, ones) in mask {
        if let Some(byte) = head.get_mut(at) {
            *byte |= ones;
        }
    }
    let mut digest = ICRC.digest();
    digest.update(before);
    digest.update(&head);
    digest.update(rest);
    digest.finalize().to_le_bytes()
}

/// Returns the VCRC, in the order of the wire. `covered` is everything from the first LRH byte to the byte before the
/// VCRC.
pub fn vcrc(covered: &[u8]) -> [u8; VCRC_BYTES] {
    VCRC.checksum(covered).to_le_bytes()
}
