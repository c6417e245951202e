//! Global route header. It has the layout of an IPv6 header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// GRH, 40 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Grh {
    /// IP version, 4 bits; 6 is the only one defined.
    #[deku(bits = 4, assert = "*ipver < 1 << 4")]
    pub ipver: u8,
    /// Traffic class.
    #[deku(bits = 8)]
    pub tclass: u8,
    /// Flow label, 20 bits.
    #[deku(bits = 20, assert = "*flow_label < 1 << 20")]
    pub flow_label: u32,
    /// Number of bytes after the GRH, ICRC included, VCRC not.
    pub pay_len: u16,
    /// Next header; 1Bh is the IBA transport.
    pub nxt_hdr: u8,
    pub hop_lmt: u8,
    /// Source GID.
    pub sgid: [u8; 16],
    /// Destination GID.
    pub dgid: [u8; 16],
}

/// IPVer of every GRH.
pub const IPVER: u8 = 6;
/// NxtHdr of a GRH before a BTH.
pub const NXTHDR_IBA: u8 = 0x1B;

impl HeaderFormat for Grh {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    /// GRH of V4 in `crc_vectors.csv`.
    #[test]
    fn fields_stand_where_the_table_says() {
        let bytes = [
            0x6A, 0xBC, 0xDE, 0xF1, 0x00, 0x32, 0x00, 0x05, // IPVer to HopLmt
            0, 0, 0, 0, 0, 0, 0x01, 0x25, 0, 0, 0, 0, 0, 0, 0, 0x26, // SGID
            0, 0, 0, 0, 0, 0, 0x01, 0x17, 0, 0, 0, 0, 0, 0, 0, 0x96, // DGID
        ];
        let grh = Grh {
            ipver: 6,
            tclass: 0xAB,
            flow_label: 0xC_DEF1,
            pay_len: 50,
            nxt_hdr: 0,
            hop_lmt: 5,
            sgid: 0x0125_0000_0000_0000_0026_u128.to_be_bytes(),
            dgid: 0x0117_0000_0000_0000_0096_u128.to_be_bytes(),
        };
        stands_for(&grh, &bytes);
        every_bit_survives::<Grh>();
    }
}
