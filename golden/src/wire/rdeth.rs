//! Reliable datagram extended transport header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// RDETH, 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Rdeth {
    /// Reserved, 0.
    pub resv8: u8,
    /// End-to-end context, 24 bits.
    #[deku(bits = 24, assert = "*ee_context < 1 << 24")]
    pub ee_context: u32,
}

impl HeaderFormat for Rdeth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = Rdeth {
            resv8: 0xA1,
            ee_context: 0xB2_C3D4,
        };
        stands_for(&header, &[0xA1, 0xB2, 0xC3, 0xD4]);
        every_bit_survives::<Rdeth>();
    }
}
