//! Lengths and payload rules (`headers.md` sections 3 and 4).
use super::crc::VCRC_BYTES;
use super::header::Unencodable;
use super::opcode::Position;

/// Largest PMTU (`pmtu.csv`).
pub const MAX_PAYLOAD_BYTES: usize = 4096;
/// Length in bytes of the headers and ICRC that accompany the largest PMTU (section 2).
const MAX_OVERHEAD_BYTES: usize = 124;
/// Smallest PktLen, which is that of a raw packet.
pub const MIN_RAW_WORDS: usize = 5;
/// Largest PktLen.
pub const MAX_WORDS: usize = max_words(MAX_PAYLOAD_BYTES);
/// Length of the largest legal packet in bytes, VCRC included.
pub const MAX_PACKET_BYTES: usize = 4 * MAX_WORDS + VCRC_BYTES;

/// Length of the longest message in bytes (section 3, CF022).
pub const MAX_MESSAGE_BYTES: u64 = 1 << 31;

/// Returns the largest PktLen of a packet on a link of this MTU, in bytes (section 2).
pub const fn max_words(mtu: usize) -> usize {
    (mtu + MAX_OVERHEAD_BYTES) / 4
}

/// Returns the number of pad bytes after a payload of `length` bytes (CF010).
pub fn pad(length: usize) -> usize {
    length.wrapping_neg() % 4
}

/// Returns the PktLen of a packet of `bytes` bytes, VCRC included (CF011).
pub fn pkt_len(bytes: usize) -> usize {
    (bytes - VCRC_BYTES) / 4
}

/// Returns [`pkt_len`] as the value of the 11-bit field.
pub(super) fn pkt_len_field(bytes: usize) -> Result<u16, Unencodable> {
    match u16::try_from(pkt_len(bytes)) {
        Ok(words) if words < 1 << 11 => Ok(words),
        _ => Err(Unencodable::Length(bytes, "PktLen")),
    }
}

/// Returns true if the payload length is legal for the packet's position in its message (section 4, CF078 to CF080).
pub fn payload_is_legal(position: Position, length: usize, pmtu: usize) -> bool {
    match position {
        Position::First | Position::Middle => length == pmtu,
        Position::Last => (1..=pmtu).contains(&length),
        Position::Only => length <= pmtu,
    }
}

/// Returns the number of packets of a message of `length` bytes.
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
        assert_eq!((MAX_WORDS, MAX_PACKET_BYTES), (1055, 4222));
        assert_eq!([256, 512, 1024, 2048].map(max_words), [95, 159, 287, 543]);
        assert_eq!(pkt_len_field(4 * 2047 + 2), Ok(2047));
        assert_eq!(
            pkt_len_field(4 * 2048 + 2),
            Err(Unencodable::Length(8194, "PktLen"))
        );
    }
}
