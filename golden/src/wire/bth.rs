//! Base transport header.

/// BTH, 12 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bth {
    /// `opcodes.csv`.
    pub opcode: u8,
    /// Solicited event.
    pub se: bool,
    /// Migration state.
    pub m: bool,
    /// Zero bytes after the payload, 2 bits.
    pub pad_cnt: u8,
    /// Transport version, 4 bits; 0 is the only one defined.
    pub tver: u8,
    pub p_key: u16,
    /// F, B and Resv6: outside the ICRC, 0 without congestion control.
    pub resv8a: u8,
    /// Destination QP, 24 bits.
    pub dest_qp: u32,
    /// Acknowledge request.
    pub a: bool,
    /// 7 bits, 0.
    pub resv7: u8,
    /// Packet sequence number, 24 bits.
    pub psn: u32,
}

impl Bth {
    /// Bytes on the wire.
    pub const BYTES: usize = 12;

    /// Reads the header.
    pub fn parse(bytes: &[u8; Self::BYTES]) -> Bth {
        let b = bytes;
        Bth {
            opcode: b[0],
            se: b[1] & 0x80 != 0,
            m: b[1] & 0x40 != 0,
            pad_cnt: b[1] >> 4 & 0x3,
            tver: b[1] & 0xF,
            p_key: u16::from_be_bytes([b[2], b[3]]),
            resv8a: b[4],
            dest_qp: u32::from_be_bytes([0, b[5], b[6], b[7]]),
            a: b[8] & 0x80 != 0,
            resv7: b[8] & 0x7F,
            psn: u32::from_be_bytes([0, b[9], b[10], b[11]]),
        }
    }

    /// Writes the header.
    pub fn emit(&self) -> [u8; Self::BYTES] {
        let flags =
            u8::from(self.se) << 7 | u8::from(self.m) << 6 | (self.pad_cnt & 0x3) << 4 | self.tver & 0xF;
        let p_key = self.p_key.to_be_bytes();
        let [_, qp2, qp1, qp0] = self.dest_qp.to_be_bytes();
        let [_, psn2, psn1, psn0] = self.psn.to_be_bytes();
        let ack = u8::from(self.a) << 7 | self.resv7 & 0x7F;
        [
            self.opcode,
            flags,
            p_key[0],
            p_key[1],
            self.resv8a,
            qp2,
            qp1,
            qp0,
            ack,
            psn2,
            psn1,
            psn0,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(Bth::parse(&bytes), bth);
        assert_eq!(bth.emit(), bytes);
    }

    #[test]
    fn every_bit_survives() {
        for bit in 0..96 {
            let mut bytes = [0; Bth::BYTES];
            bytes[bit / 8] = 0x80 >> (bit % 8);
            assert_eq!(Bth::parse(&bytes).emit(), bytes, "bit {bit}");
        }
    }
}
