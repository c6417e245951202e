//! 24-bit serial numbers: PSN, MSN (`protocol/responder.md` section 2).

/// Mask of the 24 bits of a serial number.
pub const MASK: u32 = 0xFF_FFFF;

/// Returns `value + step` modulo 2^24.
pub fn add(value: u32, step: u32) -> u32 {
    value.wrapping_add(step) & MASK
}

/// Returns `value - step` modulo 2^24.
pub fn subtract(value: u32, step: u32) -> u32 {
    value.wrapping_sub(step) & MASK
}

/// Returns the signed 24-bit difference `a - b`, from -2^23 to 2^23 - 1. A distance of exactly 2^23 counts as negative
/// (`responder.md` section 2, adopted reading).
pub fn difference(a: u32, b: u32) -> i32 {
    (a.wrapping_sub(b) << 8) as i32 >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_wraps() {
        assert_eq!(difference(0x00_0000, 0xFF_FFFF), 1);
        assert_eq!(difference(0xFF_FFFF, 0x00_0000), -1);
        assert_eq!(difference(0x7F_FFFF, 0), (1 << 23) - 1);
        assert_eq!(difference(0x80_0000, 0), -(1 << 23));
        assert_eq!(difference(100, 100), 0);
    }

    #[test]
    fn sums_wrap() {
        assert_eq!(add(0xFF_FFFF, 1), 0);
        assert_eq!(subtract(0, 1), 0xFF_FFFF);
    }
}
