//! Local route header.

/// LRH, 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lrh {
    /// Virtual lane, 4 bits.
    pub vl: u8,
    /// Link version, 4 bits; 0 is the only one defined.
    pub lver: u8,
    /// Service level, 4 bits.
    pub sl: u8,
    /// 2 bits, 0.
    pub resv2: u8,
    /// Link next header, 2 bits (`lnh.csv`).
    pub lnh: u8,
    /// Destination LID.
    pub dlid: u16,
    /// 5 bits, 0.
    pub resv5: u8,
    /// Length in 4-byte words, first LRH byte to last ICRC byte; 11 bits.
    pub pkt_len: u16,
    /// Source LID.
    pub slid: u16,
}

/// LNH of a local IBA packet.
pub const LNH_LOCAL: u8 = 0b10;
/// LNH of an IBA packet with a GRH.
pub const LNH_GLOBAL: u8 = 0b11;

impl Lrh {
    /// Bytes on the wire.
    pub const BYTES: usize = 8;

    /// Reads the header.
    pub fn parse(bytes: &[u8; Self::BYTES]) -> Lrh {
        let w = u64::from_be_bytes(*bytes);
        Lrh {
            vl: (w >> 60) as u8,
            lver: (w >> 56) as u8 & 0xF,
            sl: (w >> 52) as u8 & 0xF,
            resv2: (w >> 50) as u8 & 0x3,
            lnh: (w >> 48) as u8 & 0x3,
            dlid: (w >> 32) as u16,
            resv5: (w >> 27) as u8 & 0x1F,
            pkt_len: (w >> 16) as u16 & 0x7FF,
            slid: w as u16,
        }
    }

    /// Writes the header.
    pub fn emit(&self) -> [u8; Self::BYTES] {
        let w = u64::from(self.vl & 0xF) << 60
            | u64::from(self.lver & 0xF) << 56
            | u64::from(self.sl & 0xF) << 52
            | u64::from(self.resv2 & 0x3) << 50
            | u64::from(self.lnh & 0x3) << 48
            | u64::from(self.dlid) << 32
            | u64::from(self.resv5 & 0x1F) << 27
            | u64::from(self.pkt_len & 0x7FF) << 16
            | u64::from(self.slid);
        w.to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let bytes = [0x70, 0x12, 0x37, 0x5C, 0x00, 0x0E, 0x17, 0xD2];
        assert_eq!(Lrh::parse(&bytes), local);
        assert_eq!(local.emit(), bytes);
        let global = Lrh::parse(&[0x70, 0x13, 0x37, 0x5C, 0x00, 0x18, 0x17, 0xD2]);
        assert_eq!((global.lnh, global.pkt_len), (LNH_GLOBAL, 24));
    }

    #[test]
    fn every_bit_survives() {
        for bit in 0..64 {
            let bytes = (1_u64 << bit).to_be_bytes();
            assert_eq!(Lrh::parse(&bytes).emit(), bytes, "bit {bit}");
        }
    }
}
