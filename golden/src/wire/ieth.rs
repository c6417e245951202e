//! Invalidate extended transport header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// IETH, 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Ieth {
    /// R_Key to invalidate.
    pub r_key: u32,
}

impl HeaderFormat for Ieth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = Ieth { r_key: 0x0102_0304 };
        stands_for(&header, &[1, 2, 3, 4]);
        every_bit_survives::<Ieth>();
    }
}
