//! Lengths and payload rules (`headers.md` sections 3 and 4).
use super::bth::Bth;
use super::crc::{ICRC_BYTES, VCRC_BYTES};
use super::lrh::Lrh;
use super::opcode::Position;

/// Smallest legal IBA packet: LRH, BTH, ICRC, VCRC.
pub const MIN_PACKET_BYTES: usize = Lrh::BYTES + Bth::BYTES + ICRC_BYTES + VCRC_BYTES;
/// Headers and ICRC that come on top of the largest PMTU (section 1).
const MAX_OVERHEAD_BYTES: usize = 124;
/// Largest legal packet, VCRC included.
pub const MAX_PACKET_BYTES: usize = 4096 + MAX_OVERHEAD_BYTES + VCRC_BYTES;

/// Pad bytes after a payload of `length` bytes (CF010).
pub fn pad(length: usize) -> usize {
    length.wrapping_neg() % 4
}

/// PktLen of a packet of `bytes` bytes, VCRC included (CF011).
pub fn pkt_len(bytes: usize) -> usize {
    (bytes - VCRC_BYTES) / 4
}

/// True if a packet of so many bytes, VCRC included, can be one: whole words and a VCRC, not below the minimum.
pub fn is_whole(bytes: usize) -> bool {
    bytes >= MIN_PACKET_BYTES && (bytes - VCRC_BYTES) % 4 == 0
}

/// Payload rule of a data packet by its position (section 4, CF078 to CF080).
pub fn payload_is_legal(position: Position, length: usize, pmtu: usize) -> bool {
    match position {
        Position::First | Position::Middle => length == pmtu,
        Position::Last => (1..=pmtu).contains(&length),
        Position::Only => length <= pmtu,
    }
}

/// Packets of a message of `length` bytes.
pub fn packets(length: u64, pmtu: usize) -> u32 {
    length.div_ceil(pmtu as u64).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pad_fills_words() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(pad), [0, 3, 2, 1, 0, 3]);
    }

    /// CF008, CF009, CF022.
    #[test]
    fn packet_counts() {
        assert_eq!(
            [0, 1, 2048, 2049, 5120].map(|n| packets(n, 2048)),
            [1, 1, 1, 2, 3]
        );
        assert_eq!(packets(1 << 31, 256), 1 << 23);
    }

    #[test]
    fn payload_rules() {
        use Position::*;
        let legal = |p| [0, 1, 255, 256, 257].map(|n| payload_is_legal(p, n, 256));
        assert_eq!(legal(First), [false, false, false, true, false]);
        assert_eq!(legal(Middle), [false, false, false, true, false]);
        assert_eq!(legal(Last), [false, true, true, true, false]);
        assert_eq!(legal(Only), [true, true, true, true, false]);
    }

    #[test]
    fn sizes() {
        assert_eq!(MIN_PACKET_BYTES, 26);
        assert_eq!(
            [25, 26, 27, 28, 29, 30].map(is_whole),
            [false, true, false, false, false, true]
        );
    }
}
