//! Local route header.
use super::header::HeaderFormat;
use deku::{DekuRead, DekuSize, DekuWrite};

/// LRH, 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct Lrh {
    /// Virtual lane, 4 bits.
    #[deku(bits = 4, assert = "*vl < 1 << 4")]
    pub vl: u8,
    /// Link version, 4 bits; 0 is the only one defined.
    #[deku(bits = 4, assert = "*lver < 1 << 4")]
    pub lver: u8,
    /// Service level, 4 bits.
    #[deku(bits = 4, assert = "*sl < 1 << 4")]
    pub sl: u8,
    /// Reserved, 2 bits, 0.
    #[deku(bits = 2, assert = "*resv2 < 1 << 2")]
    pub resv2: u8,
    /// Link next header, 2 bits (`lnh.csv`).
    #[deku(bits = 2, assert = "*lnh < 1 << 2")]
    pub lnh: u8,
    /// Destination LID.
    pub dlid: u16,
    /// Reserved, 5 bits, 0.
    #[deku(bits = 5, assert = "*resv5 < 1 << 5")]
    pub resv5: u8,
    /// Length in 4-byte words, from the first LRH byte to the last byte before the VCRC; 11 bits.
    #[deku(bits = 11, assert = "*pkt_len < 1 << 11")]
    pub pkt_len: u16,
    /// Source LID.
    pub slid: u16,
}

/// Virtual lane of subnet management (`protocol/link.md` section 3).
pub const MANAGEMENT_VL: u8 = 15;

/// The permissive LID. A packet to it is for QP0 only (`protocol/link.md` section 2).
pub const PERMISSIVE_LID: u16 = 0xFFFF;

/// LNH of a raw packet whose RWH names an EtherType.
pub const LNH_RAW: u8 = 0b00;
/// LNH of a raw IPv6 packet.
pub const LNH_RAW_IPV6: u8 = 0b01;
/// LNH of a local IBA packet.
pub const LNH_LOCAL: u8 = 0b10;
/// LNH of an IBA packet with a GRH.
pub const LNH_GLOBAL: u8 = 0b11;

impl HeaderFormat for Lrh {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::tests::{every_bit_survives, stands_for};

    /// First eight bytes of V1 and of V2 in `crc_vectors.csv`.
    #[test]
    fn fields_stand_where_the_table_says() {
        let local = Lrh {
            vl: 7,
            lver: 0,
            sl: 1,
            resv2: 0,
            lnh: LNH_LOCAL,
            dlid: 0x375C,
            resv5: 0,
            pkt_len: 14,
            slid: 0x17D2,
        };
        stands_for(&local, &[0x70, 0x12, 0x37, 0x5C, 0x00, 0x0E, 0x17, 0xD2]);
        let global = Lrh::parse(&[0x70, 0x13, 0x37, 0x5C, 0x00, 0x18, 0x17, 0xD2]).unwrap();
        assert_eq!((global.lnh, global.pkt_len), (LNH_GLOBAL, 24));
        every_bit_survives::<Lrh>();
    }

    #[test]
    fn a_value_wider_than_its_field_is_named() {
        let lrh = Lrh {
            pkt_len: 2048,
            ..Lrh::default()
        };
        let error = lrh.emit(&mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("pkt_len: 2048"), "{error}");
        assert!(
            error.ends_with("Lrh.pkt_len: * pkt_len < 1 << 11 must hold"),
            "{error}"
        );
    }
}
