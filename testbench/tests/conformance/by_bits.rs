//! Both CRCs of native packets, bit by bit as `crc.md` has them: for cases that change a literal packet.

/// Reflected polynomials.
const ICRC: u32 = 0xEDB8_8320;
const VCRC: u32 = 0xD008;

/// The register after these bytes, each from its least significant bit.
fn register(polynomial: u32, ones: u32, bytes: &[u8]) -> u32 {
    let bits = bytes
        .iter()
        .flat_map(|byte| (0..8).map(move |bit| u32::from(byte >> bit) & 1));
    bits.fold(ones, |register, bit| {
        let carry = (register ^ bit) & 1;
        (register >> 1) ^ (polynomial * carry)
    })
}

/// ICRC of a packet from LRH to pad.
pub fn icrc(packet: &[u8]) -> [u8; 4] {
    let mut covered = packet.to_vec();
    let global = packet[1] & 0x3 == 0x3;
    let masks: &[(usize, u8)] = match global {
        false => &[(0, 0xF0), (12, 0xFF)],
        true => &[
            (8, 0x0F),
            (9, 0xFF),
            (10, 0xFF),
            (11, 0xFF),
            (15, 0xFF),
            (52, 0xFF),
        ],
    };
    if global {
        covered[..8].fill(0xFF);
    }
    for &(at, mask) in masks {
        covered[at] |= mask;
    }
    (!register(ICRC, u32::MAX, &covered)).to_le_bytes()
}

/// VCRC of a packet from LRH to the byte before it.
pub fn vcrc(packet: &[u8]) -> [u8; 2] {
    (!register(VCRC, 0xFFFF, packet) as u16).to_le_bytes()
}

/// The packet with both CRCs behind it.
pub fn sealed(mut packet: Vec<u8>) -> Vec<u8> {
    packet.extend(icrc(&packet));
    with_vcrc(packet)
}

/// The packet with its VCRC behind it.
pub fn with_vcrc(mut packet: Vec<u8>) -> Vec<u8> {
    packet.extend(vcrc(&packet));
    packet
}

#[test]
fn the_published_vectors() {
    use super::vectors::{V1, V2, V2_GRH, V3, V4, V4_GRH, V5};
    use super::wire_bench::bytes;
    for vector in [V1, V2, V2_GRH, V3, V4, V4_GRH].map(bytes) {
        assert_eq!(sealed(vector[..vector.len() - 6].to_vec()), vector);
    }
    let raw = bytes(V5);
    assert_eq!(with_vcrc(raw[..20].to_vec()), raw);
}
