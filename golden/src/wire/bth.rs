//! Base transport header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// BTH, 12 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Bth {
    /// Opcode, as in `opcodes.csv`.
    pub opcode: u8,
    /// Solicited event.
    #[deku(bits = 1)]
    pub se: bool,
    /// Migration state.
    #[deku(bits = 1)]
    pub m: bool,
    /// Number of zero bytes after the payload, 2 bits.
    #[deku(bits = 2, assert = "*pad_cnt < 1 << 2")]
    pub pad_cnt: u8,
    /// Transport version, 4 bits; 0 is the only one defined.
    #[deku(bits = 4, assert = "*tver < 1 << 4")]
    pub tver: u8,
    pub p_key: u16,
    /// FECN. Like B and Resv6 it is outside the ICRC; it is 0 without congestion control.
    #[deku(bits = 1)]
    pub f: bool,
    /// BECN.
    #[deku(bits = 1)]
    pub b: bool,
    /// Reserved, 6 bits, 0.
    #[deku(bits = 6, assert = "*resv6 < 1 << 6")]
    pub resv6: u8,
    /// Destination QP, 24 bits.
    #[deku(bits = 24, assert = "*dest_qp < 1 << 24")]
    pub dest_qp: u32,
    /// Acknowledge request.
    #[deku(bits = 1)]
    pub a: bool,
    /// Reserved, 7 bits, 0.
    #[deku(bits = 7, assert = "*resv7 < 1 << 7")]
    pub resv7: u8,
    /// Packet sequence number, 24 bits.
    #[deku(bits = 24, assert = "*psn < 1 << 24")]
    pub psn: u32,
}

impl HeaderFormat for Bth {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    /// BTH of V1 in `crc_vectors.csv`: RC Write only, 2 pad bytes.
    #[test]
    fn fields_stand_where_the_table_says() {
        let bytes = [
            0x0A, 0x20, 0x24, 0x87, 0x00, 0x87, 0xB1, 0xB3, 0x00, 0x0D, 0xEC, 0x2A,
        ];
        let bth = Bth {
            opcode: 0x0A,
            pad_cnt: 2,
            p_key: 0x2487,
            dest_qp: 0x87_B1B3,
            psn: 0x0D_EC2A,
            ..Bth::default()
        };
        stands_for(&bth, &bytes);
        every_bit_survives::<Bth>();
    }
}
