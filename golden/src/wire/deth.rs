//! Datagram extended transport header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// DETH, 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Deth {
    /// Q_Key; 80010000h for QP1.
    pub q_key: u32,
    /// Reserved, 0.
    pub resv8: u8,
    /// Source QP, 24 bits.
    #[deku(bits = 24, assert = "*src_qp < 1 << 24")]
    pub src_qp: u32,
}

impl HeaderFormat for Deth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = Deth {
            q_key: 0x8001_0000,
            resv8: 0xE5,
            src_qp: 0x12_3456,
        };
        stands_for(&header, &[0x80, 0x01, 0, 0, 0xE5, 0x12, 0x34, 0x56]);
        every_bit_survives::<Deth>();
    }
}
