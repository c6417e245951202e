//! ERF records: a header that says what the packet is, perhaps extensions, then the packet.
use super::fault::Trouble;

/// Bytes of an ERF header without extensions.
pub const HEADER_BYTES: usize = 16;
/// Bytes of each extension.
const EXTENSION_BYTES: usize = 8;
/// Record type of a native InfiniBand packet, LRH to VCRC.
pub const TYPE_INFINIBAND: u8 = 21;
/// Record types of an Ethernet frame behind two bytes of offset and pad.
pub const TYPES_ETHERNET: [u8; 4] = [2, 11, 16, 20];
const ETHERNET_OFFSET_BYTES: usize = 2;
/// In the type, and in an extension's first byte: another extension follows.
const MORE: u8 = 0x80;

/// What an ERF record holds.
#[derive(Debug, PartialEq, Eq)]
pub struct Erf<'a> {
    pub kind: u8,
    /// As much of the packet as was kept.
    pub packet: &'a [u8],
    /// The same with what fills the record up.
    padded: &'a [u8],
    /// Bytes of the packet on the wire.
    pub wire_length: usize,
}

impl<'a> Erf<'a> {
    /// The Ethernet frame, if it is a record of one.
    pub fn frame(&self) -> &'a [u8] {
        let frame = self.padded.get(ETHERNET_OFFSET_BYTES..).unwrap_or(&[]);
        &frame[..frame.len().min(self.wire_length)]
    }

    /// Takes a record apart: type in byte 8, wire length in bytes 14 and 15.
    pub fn parse(record: &'a [u8]) -> Result<Erf<'a>, Trouble> {
        let short = || Trouble::ErfHeader(record.len());
        let (header, mut rest) = record.split_first_chunk::<HEADER_BYTES>().ok_or_else(short)?;
        let mut more = header[8] & MORE != 0;
        while more {
            let (extension, after) = rest.split_first_chunk::<EXTENSION_BYTES>().ok_or_else(short)?;
            more = extension[0] & MORE != 0;
            rest = after;
        }
        let wire_length = usize::from(u16::from_be_bytes([header[14], header[15]]));
        Ok(Erf {
            kind: header[8] & !MORE,
            // Records are padded.
            packet: &rest[..rest.len().min(wire_length)],
            padded: rest,
            wire_length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_padding_are_no_part_of_the_packet() {
        let mut record = vec![0; 8];
        record.extend([0x95, 0, 0, 0, 0, 0, 0, 3]);
        record.extend([0x80, 1, 1, 1, 1, 1, 1, 1]);
        record.extend([0x00, 2, 2, 2, 2, 2, 2, 2]);
        record.extend([7, 8, 9, 0, 0]);
        let erf = Erf::parse(&record).unwrap();
        assert_eq!((erf.kind, erf.packet, erf.wire_length), (21, &[7, 8, 9][..], 3));
        for cut in 0..32 {
            assert!(Erf::parse(&record[..cut]).is_err(), "{cut} bytes");
        }
    }
}
