//! Extended reliable connection transport header. Only its format is here, because no opcode in scope carries it.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// XRCETH, 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Xrceth {
    /// Reserved, 0.
    pub resv8: u8,
    /// Shared receive queue, 24 bits.
    #[deku(bits = 24, assert = "*xrcsrq < 1 << 24")]
    pub xrcsrq: u32,
}

impl HeaderFormat for Xrceth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = Xrceth {
            resv8: 0x01,
            xrcsrq: 0x02_0304,
        };
        stands_for(&header, &[1, 2, 3, 4]);
        every_bit_survives::<Xrceth>();
    }
}
