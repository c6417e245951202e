//! Flow-control packets of a native link (`protocol/link.md` section 4).
use super::crc::vcrc;
use super::header::{HeaderFormat, Unencodable};
use deku::{DekuRead, DekuSize, DekuWrite};
use thiserror::Error;

/// What a flow-control packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The port is Armed or Active.
    Normal = 0,
    /// The port is in Init.
    Initialise = 1,
}

/// The fields before the LPCRC, 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite, DekuSize)]
#[deku(endian = "big")]
pub struct FlowControl {
    /// Operation, 4 bits; see [`Op`].
    #[deku(bits = 4, assert = "*op < 1 << 4")]
    pub op: u8,
    /// Flow control total blocks sent, 12 bits.
    #[deku(bits = 12, assert = "*fctbs < 1 << 12")]
    pub fctbs: u16,
    /// VL, 4 bits.
    #[deku(bits = 4, assert = "*vl < 1 << 4")]
    pub vl: u8,
    /// Flow control credit limit, 12 bits.
    #[deku(bits = 12, assert = "*fccl < 1 << 12")]
    pub fccl: u16,
}

impl HeaderFormat for FlowControl {
    const BYTES: usize = Self::SIZE_BYTES.unwrap();
}

/// Length of a flow-control packet in bytes, LPCRC included.
pub const BYTES: usize = FlowControl::BYTES + 2;

/// Why bytes are not a flow-control packet (section 4.1, steps 1 to 3). A receiver uses no part of such bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Defect {
    #[error("LPCRC is {}, computed {} (link.md section 4)", hex(.received), hex(.computed))]
    Lpcrc { received: [u8; 2], computed: [u8; 2] },
    #[error("Op is {0}, neither 0 nor 1 (link.md section 4.1)")]
    Op(u8),
    #[error("{0} bytes came; a flow-control packet has 6 (link.md section 4.1)")]
    Length(usize),
}

impl FlowControl {
    /// Returns the operation; `None` for a value above 1.
    pub fn op(&self) -> Option<Op> {
        match self.op {
            0 => Some(Op::Normal),
            1 => Some(Op::Initialise),
            _ => None,
        }
    }

    /// Returns the bytes of the packet, LPCRC included. The LPCRC is computed like a VCRC, over 4 bytes.
    pub fn encode(&self) -> Result<Vec<u8>, Unencodable> {
        let mut bytes = Vec::with_capacity(BYTES);
        self.emit(&mut bytes)?;
        let lpcrc = vcrc(&bytes);
        bytes.extend(lpcrc);
        Ok(bytes)
    }

    /// Decodes a flow-control packet.
    pub fn decode(bytes: &[u8]) -> Result<FlowControl, Defect> {
        let length = Defect::Length(bytes.len());
        let (fields, rest) = bytes.split_at_checked(FlowControl::BYTES).ok_or(length)?;
        let received = *rest.first_chunk().ok_or(length)?;
        let computed = vcrc(fields);
        if received != computed {
            return Err(Defect::Lpcrc { received, computed });
        }
        let packet = FlowControl::parse(fields).ok_or(length)?;
        match packet.op() {
            None => Err(Defect::Op(packet.op)),
            Some(_) if bytes.len() != BYTES => Err(length),
            Some(_) => Ok(packet),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::header::tests::every_bit_survives;
    use super::*;

    /// `fcp_vectors.csv`: op, FCTBS, VL, FCCL, and the packet.
    const VECTORS: [(u8, u16, u8, u16, [u8; BYTES]); 6] = [
        (1, 0, 0, 64, [0x10, 0x00, 0x00, 0x40, 0x5C, 0x6D]),
        (0, 291, 3, 1110, [0x01, 0x23, 0x34, 0x56, 0xD1, 0x9F]),
        (0, 4095, 14, 2047, [0x0F, 0xFF, 0xE7, 0xFF, 0x04, 0x84]),
        (1, 0, 0, 0, [0x10, 0x00, 0x00, 0x00, 0x58, 0x05]),
        (0, 4095, 0, 63, [0x0F, 0xFF, 0x00, 0x3F, 0x69, 0xA6]),
        (0, 32, 1, 2080, [0x00, 0x20, 0x18, 0x20, 0x29, 0x8F]),
    ];

    #[test]
    fn every_bit_of_the_fields_survives() {
        every_bit_survives::<FlowControl>();
    }

    /// CF439.
    #[test]
    fn the_vectors_are_written_and_read() {
        for (op, fctbs, vl, fccl, bytes) in VECTORS {
            let packet = FlowControl { op, fctbs, vl, fccl };
            assert_eq!(packet.encode().unwrap(), bytes);
            assert_eq!(FlowControl::decode(&bytes), Ok(packet));
        }
    }

    /// CF440.
    #[test]
    fn a_single_wrong_bit_is_seen() {
        for (.., bytes) in VECTORS {
            for bit in 0..8 * BYTES {
                let mut wrong = bytes;
                wrong[bit / 8] ^= 0x80 >> (bit % 8);
                let found = FlowControl::decode(&wrong);
                assert!(
                    matches!(found, Err(Defect::Lpcrc { .. })),
                    "bit {bit} of {bytes:02X?}"
                );
            }
        }
    }

    /// CF441: another Op, or a shorter or longer packet.
    #[test]
    fn another_op_or_length_is_no_packet() {
        for op in 2..16 {
            let packet = FlowControl {
                op,
                fctbs: 7,
                vl: 1,
                fccl: 9,
            };
            let bytes = packet.encode().unwrap();
            assert_eq!(FlowControl::decode(&bytes), Err(Defect::Op(op)));
        }
        let (.., bytes) = VECTORS[0];
        for length in 0..BYTES {
            let found = FlowControl::decode(&bytes[..length]);
            assert_eq!(found, Err(Defect::Length(length)));
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(FlowControl::decode(&longer), Err(Defect::Length(7)));
    }

    #[test]
    fn a_field_beyond_its_bits_is_refused() {
        let packet = FlowControl {
            vl: 16,
            ..FlowControl::default()
        };
        assert!(packet.encode().is_err());
    }
}
