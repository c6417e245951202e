//! ERF records: a header that says what the packet is, optional extensions, and the packet.
use super::fault::Trouble;

/// Length of an ERF header without extensions, in bytes.
pub const HEADER_BYTES: usize = 16;
/// Length of each extension in bytes.
const EXTENSION_BYTES: usize = 8;
/// Record type of a native InfiniBand packet, LRH to VCRC.
pub const TYPE_INFINIBAND: u8 = 21;
/// Record type of a link packet of native InfiniBand.
pub const TYPE_INFINIBAND_LINK: u8 = 25;
/// What follows a link packet in a record of this project. For its columns Wireshark 4.0 reads a link packet as if it
/// began with an LRH, up to 48 bytes, and calls a shorter one malformed. FFh is no opcode that it has a name for.
pub const LINK_FILLER: [u8; 42] = [0xFF; 42];
/// Record types of an Ethernet frame, which follows two bytes of offset and pad.
pub const TYPES_ETHERNET: [u8; 4] = [2, 11, 16, 20];
const ETHERNET_OFFSET_BYTES: usize = 2;
/// Bits of the flags that hold the number of the capture interface.
const INTERFACE: u8 = 0b11;
/// Bit of the type, and of an extension's first byte, that announces another extension.
const MORE: u8 = 0x80;

/// Returns the number of the capture interface for what crosses a port of this number, 1 or 2, in one direction or the
/// other, 0 or 1.
pub fn interface(port: u8, direction: u8) -> u8 {
    (port.saturating_sub(1) << 1 | direction) & INTERFACE
}

/// The contents of an ERF record.
#[derive(Debug, PartialEq, Eq)]
pub struct Erf<'a> {
    pub kind: u8,
    /// Number of the capture interface, 0 to 3. Two of them, the higher bit alike, are the directions of one link.
    pub interface: u8,
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

    /// Returns the kept part of the link packet of a record that holds one, and its length on the wire in bytes. One
    /// that another program wrote has no filler.
    pub fn link_packet(&self) -> (&'a [u8], usize) {
        match self.packet.strip_suffix(&LINK_FILLER) {
            Some(packet) if self.packet.len() == self.wire_length => (packet, packet.len()),
            _ => (self.packet, self.wire_length),
        }
    }

    /// Returns the number of the port that the packet crossed, from 1.
    pub fn port(&self) -> u8 {
        (self.interface >> 1) + 1
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
            interface: header[9] & INTERFACE,
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
    fn a_link_packet_ends_before_its_filler() {
        let link_packet = |bytes: &[u8], wire_length: u8| {
            let mut record = vec![0; 8];
            record.extend([25, 4, 0, 16 + bytes.len() as u8, 0, 0, 0, wire_length]);
            record.extend(bytes);
            let erf = Erf::parse(&record).unwrap();
            let (packet, length) = erf.link_packet();
            (packet.to_vec(), length)
        };
        // Longer and shorter ones than there should be, too.
        for length in 0..10 {
            let packet = vec![7; length];
            let filled = [&packet[..], &[0xFF; 42]].concat();
            assert_eq!(link_packet(&filled, length as u8 + 42), (packet.clone(), length));
            assert_eq!(link_packet(&packet, length as u8), (packet, length));
        }
        // What is padding by the record's own length, and what was cut.
        assert_eq!(link_packet(&[7, 7, 7, 7, 7, 7, 0, 0], 6), (vec![7; 6], 6));
        assert_eq!(link_packet(&[0xFF; 46], 48), (vec![0xFF; 46], 48));
    }

    #[test]
    fn two_interfaces_are_the_directions_of_a_port() {
        for (flags, port) in [(0x04, 1), (0x05, 1), (0x06, 2), (0xFF, 2)] {
            let mut record = vec![0; 8];
            record.extend([21, flags, 0, 17, 0, 0, 0, 1, 7]);
            let erf = Erf::parse(&record).unwrap();
            assert_eq!((erf.interface, erf.port()), (flags & 3, port));
            assert_eq!(interface(port, flags & 1), flags & 3);
        }
    }

    #[test]
    fn extensions_and_padding_are_no_part_of_the_packet() {
        let mut record = vec![0; 8];
        record.extend([0x95, 0, 0, 0, 0, 0, 0, 3]);
        record.extend([0x80, 1, 1, 1, 1, 1, 1, 1]);
        record.extend([0x00, 2, 2, 2, 2, 2, 2, 2]);
        record.extend([7, 8, 9, 0, 0]);
        let erf = Erf::parse(&record).unwrap();
        assert_eq!((erf.kind, erf.packet, erf.wire_length), (21, &[7, 8, 9][..], 3));
        assert_eq!(erf.interface, 0);
        for cut in 0..32 {
            assert!(Erf::parse(&record[..cut]).is_err(), "{cut} bytes");
        }
    }
}
