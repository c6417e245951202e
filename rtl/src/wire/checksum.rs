//! CRC arithmetic at elaboration: constants that the CRC blocks hold.

/// Register `state` of a reflected CRC after `bytes` further zero bytes.
pub fn advance(polynomial: u64, state: u64, bytes: usize) -> u64 {
    (0..8 * bytes).fold(state, |s, _| (s >> 1) ^ (if s & 1 == 1 { polynomial } else { 0 }))
}

/// The `width`-bit register as wire bytes: bits 7:0 first, at the most significant end.
pub fn wire(width: usize, register: u64) -> u64 {
    (0..width / 8).fold(0, |wire, byte| wire << 8 | (register >> (8 * byte) & 0xFF))
}

/// Bytes of a last beat of `width` bits behind its whole words, for each number of whole words (`end_word`).
///
/// The last beat of a native packet may hold nothing but the VCRC, that of a frame 16 words, which read as 0.
pub fn fills(width: usize, ib: usize) -> impl Iterator<Item = usize> {
    let (bytes, words) = (width / 8, width / 32);
    let (ends, all) = match ib {
        1 => (words, bytes + 1),
        _ => (words + 1, bytes),
    };
    (0..ends.min(16)).map(move |end| (bytes - 4 * end) % all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_order_is_low_byte_first() {
        assert_eq!(wire(32, 0x0403_0201), 0x0102_0304);
        assert_eq!(wire(16, 0x0201), 0x0102);
    }
}
