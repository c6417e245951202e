//! ERF records: a header that says what the packet is, optional extensions, and the packet.
use super::fault::Trouble;

/// Length of an ERF header without extensions, in bytes.
pub const HEADER_BYTES: usize = 16;
/// Length of each extension in bytes.
const EXTENSION_BYTES: usize = 8;
/// Record type of a native InfiniBand packet, LRH to VCRC.
pub const TYPE_INFINIBAND: u8 = 21;
/// Record types of an Ethernet frame, which follows two bytes of offset and pad.
pub const TYPES_ETHERNET: [u8; 4] = [2, 11, 16, 20];
const ETHERNET_OFFSET_BYTES: usize = 2;
/// Bit of the type, and of an extension's first byte, that announces another extension.
const MORE: u8 = 0x80;

/// The contents of an ERF record.
#[derive(Debug, PartialEq, Eq)]
pub struct Erf<'a> {
    pub kind: u8,
    /// The kept part of the packet.
    pub packet: &'a [u8],
    /// The kept part of the packet, with the bytes that pad the record.
    padded: &'a [u8],
    /// Length of the packet on the wire, in bytes.
    pub wire_length: usize,
}

impl<'a> Erf<'a> {
    /// Returns the Ethernet frame of a record that holds one.
    pub fn frame(&self) -> &'a [u8] {
        let frame = self.padded.get(ETHERNET_OFFSET_BYTES..).unwrap_or(&[]);
        &frame[..frame.len().min(self.wire_length)]
    }

    /// Decodes a record: its type is in byte 8, the wire length in bytes 14 and 15.
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
            // The bytes behind the wire length are padding.
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
