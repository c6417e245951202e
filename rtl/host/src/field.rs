//! Fields of a word, and names for numbers.

/// Bits `high : low` of a 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in lower case.
    pub name: &'static str,
    /// Highest bit of the field.
    pub high: u8,
    /// Lowest bit of the field.
    pub low: u8,
    /// Text for the documentation.
    pub meaning: &'static str,
}

/// Makes a field of bits `high : low`.
pub const fn field(name: &'static str, high: u8, low: u8, meaning: &'static str) -> Field {
    Field {
        name,
        high,
        low,
        meaning,
    }
}

impl Field {
    /// Returns a word with ones in the bits of the field.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (31 - (self.high - self.low))) << self.low
    }

    /// Returns the largest value of the field.
    pub const fn limit(&self) -> u32 {
        self.mask() >> self.low
    }

    /// Returns a word with this value in the field, truncated to its width, and zeros elsewhere.
    pub const fn word(&self, value: u32) -> u32 {
        (value & self.limit()) << self.low
    }

    /// Returns the value of the field in a word.
    pub const fn of(&self, word: u32) -> u32 {
        (word & self.mask()) >> self.low
    }
}

/// A number and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Name in upper case.
    pub name: &'static str,
    /// The number.
    pub value: u32,
    /// Text for the documentation.
    pub meaning: &'static str,
}

/// Makes a number with its name.
pub const fn code(name: &'static str, value: u32, meaning: &'static str) -> Code {
    Code { name, value, meaning }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_covers_its_bits() {
        assert_eq!(field("whole", 31, 0, "").mask(), 0xFFFF_FFFF);
        assert_eq!(field("one", 31, 31, "").mask(), 0x8000_0000);
        assert_eq!(field("some", 18, 16, "").mask(), 0x0007_0000);
        assert_eq!(field("some", 18, 16, "").of(0xFFFA_1234), 2);
        assert_eq!(field("some", 18, 16, "").limit(), 7);
        assert_eq!(field("some", 18, 16, "").word(0xFA), 0x0002_0000);
    }
}
