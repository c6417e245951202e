//! Atomic acknowledge extended transport header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// AtomicAckETH, 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct AtomicAckEth {
    /// Value that the memory held before the operation.
    pub orig_rem_dt: u64,
}

impl HeaderFormat for AtomicAckEth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = AtomicAckEth {
            orig_rem_dt: 0x0102_0304_0506_0708,
        };
        stands_for(&header, &[1, 2, 3, 4, 5, 6, 7, 8]);
        every_bit_survives::<AtomicAckEth>();
    }
}
