//! ICRC and VCRC (`protocol/crc.md`).
use super::bth::Bth;
use super::lrh::{Lrh, LNH_GLOBAL};
use crc::{Algorithm, Crc, Table, CRC_32_ISO_HDLC};

/// Bytes of an ICRC.
pub const ICRC_BYTES: usize = 4;
/// Bytes of a VCRC.
pub const VCRC_BYTES: usize = 2;

/// Section 2.
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

/// Bytes of a GRH.
const GRH_BYTES: usize = 40;

/// ICRC of a native packet: `covered` is everything from the first LRH byte to the last pad byte. The LNH decides
/// what is masked. In the order of the wire.
pub fn icrc(covered: &[u8]) -> [u8; ICRC_BYTES] {
    let global = covered.get(1).is_some_and(|b| b & 0x3 == LNH_GLOBAL);
    let headers = if global {
        Lrh::BYTES + GRH_BYTES
    } else {
        Lrh::BYTES
    } + Bth::BYTES;
    let (head, rest) = covered.split_at(headers.min(covered.len()));
    let mut head = head.to_vec();
    if global {
        mask(&mut head, &[(0, 0xFF), (1, 0xFF), (2, 0xFF), (3, 0xFF)]);
        mask(&mut head, &[(4, 0xFF), (5, 0xFF), (6, 0xFF), (7, 0xFF)]);
        // TClass, FlowLabel, HopLmt.
        mask(
            &mut head,
            &[(8, 0x0F), (9, 0xFF), (10, 0xFF), (11, 0xFF), (15, 0xFF)],
        );
        mask(&mut head, &[(Lrh::BYTES + GRH_BYTES + 4, 0xFF)]);
    } else {
        // VL, Resv8a.
        mask(&mut head, &[(0, 0xF0), (Lrh::BYTES + 4, 0xFF)]);
    }
    let mut digest = ICRC.digest();
    digest.update(&head);
    digest.update(rest);
    digest.finalize().to_le_bytes()
}

/// VCRC: `covered` is everything from the first LRH byte to the byte before the VCRC. In the order of the wire.
pub fn vcrc(covered: &[u8]) -> [u8; VCRC_BYTES] {
    VCRC.checksum(covered).to_le_bytes()
}

/// Sets bits that the ICRC takes as ones.
fn mask(bytes: &mut [u8], ones: &[(usize, u8)]) {
    for &(at, bits) in ones {
        if let Some(b) = bytes.get_mut(at) {
            *b |= bits;
        }
    }
}

#[cfg(test)]
#[path = "crc_tests.rs"]
mod tests;
