//! Immediate data: four bytes that adapters do not interpret (CF020).
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// ImmDt, 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct ImmDt {
    /// The bytes as they stand on the wire.
    pub imm_data: [u8; 4],
}

impl HeaderFormat for ImmDt {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    #[test]
    fn fields_stand_where_the_table_says() {
        let header = ImmDt {
            imm_data: [0xDE, 0xAD, 0xBE, 0xEF],
        };
        stands_for(&header, &[0xDE, 0xAD, 0xBE, 0xEF]);
        every_bit_survives::<ImmDt>();
    }
}
