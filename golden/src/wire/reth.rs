//! RDMA extended transport header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// RETH, 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Reth {
    /// Virtual address.
    pub va: u64,
    pub r_key: u32,
    /// Length of the whole message in bytes, 0 to 2^31.
    pub dma_len: u32,
}

impl HeaderFormat for Reth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = Reth {
            va: 0x0102_0304_0506_0708,
            r_key: 0x090A_0B0C,
            dma_len: 0x8000_0000,
        };
        stands_for(&header, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x80, 0, 0, 0]);
        every_bit_survives::<Reth>();
    }
}
