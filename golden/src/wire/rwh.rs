//! Raw header, behind an LRH with LNH 00.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// RWH, 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Rwh {
    /// Reserved, 0.
    pub resv16: u16,
    pub ether_type: u16,
}

impl HeaderFormat for Rwh {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = Rwh {
            resv16: 0x0102,
            ether_type: 0x0800,
        };
        stands_for(&header, &[1, 2, 0x08, 0]);
        every_bit_survives::<Rwh>();
    }
}
