//! Atomic extended transport header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// AtomicETH, 28 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct AtomicEth {
    /// Virtual address, a multiple of 8.
    pub va: u64,
    pub r_key: u32,
    /// Swap data, or the addend of a FetchAdd (CF019).
    pub swap_dt_add_dt: u64,
    /// Compare data; unused by FetchAdd.
    pub cmp_dt: u64,
}

impl HeaderFormat for AtomicEth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = AtomicEth {
            va: 0x0102_0304_0506_0708,
            r_key: 0x090A_0B0C,
            swap_dt_add_dt: 0x1112_1314_1516_1718,
            cmp_dt: 0x2122_2324_2526_2728,
        };
        stands_for(
            &header,
            &[
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, // VA, R_Key
                0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, // SwapDt_AddDt
                0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, // CmpDt
            ],
        );
        every_bit_survives::<AtomicEth>();
    }
}
