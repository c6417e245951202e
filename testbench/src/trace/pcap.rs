//! Writes packets as pcap: native InfiniBand as ERF records of TYPE_INFINIBAND and TYPE_INFINIBAND_LINK, which
//! Wireshark reads; RoCE as Ethernet.
use super::{LinkRecord, PacketRecord};
use crate::capture::erf::{
    self, HEADER_BYTES as ERF_HEADER_BYTES, LINK_FILLER, TYPE_INFINIBAND as ERF_TYPE_INFINIBAND,
    TYPE_INFINIBAND_LINK as ERF_TYPE_INFINIBAND_LINK,
};
use hca_golden::port::Link;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, Endianness, PcapError, TsResolution};
use std::io::{self, Write};
use std::time::Duration;

/// ERF flag: records differ in length.
const ERF_VARYING_LENGTH: u8 = 1 << 2;
/// Length of the largest record in bytes: a 4096-byte payload, 124 bytes of headers and ICRC, VCRC, and the ERF header.
const SNAP_LENGTH: u32 = 4096 + 124 + 2 + ERF_HEADER_BYTES as u32;

/// A trace that is being written. Its time is 0 at the first clock cycle.
pub struct PcapTrace<W: Write> {
    writer: PcapWriter<W>,
    link: Link,
    clock_hz: u64,
}

impl<W: Write> PcapTrace<W> {
    /// Writes the file header. `clock_hz` converts cycles to time.
    pub fn new(writer: W, link: Link, clock_hz: u64) -> io::Result<Self> {
        let header = PcapHeader {
            snaplen: SNAP_LENGTH,
            datalink: match link {
                Link::InfiniBand => DataLink::ERF,
                Link::Roce => DataLink::ETHERNET,
            },
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        let writer = PcapWriter::with_header(writer, header).map_err(into_io)?;
        Ok(PcapTrace {
            writer,
            link,
            clock_hz,
        })
    }

    /// Appends a packet of the trace's link. In ERF the capture interface says which device sent it, and by which port:
    /// 0 and 1 are X and Y at port 1, 2 and 3 at port 2.
    pub fn packet(&mut self, packet: &PacketRecord) -> io::Result<()> {
        let PacketRecord {
            cycle,
            from,
            port,
            bytes,
            ..
        } = packet;
        let record = match self.link {
            Link::InfiniBand => {
                let interface = erf::interface(*port, *from as u8);
                self.erf_record(ERF_TYPE_INFINIBAND, *cycle, interface, &[bytes])
            }
            Link::Roce => bytes.clone(),
        };
        self.record(*cycle, &record)
    }

    /// Appends a link packet, which only a native link has, as [`packet`](Self::packet) does, with filler
    /// behind it.
    pub fn link_packet(&mut self, packet: &LinkRecord) -> io::Result<()> {
        let LinkRecord {
            cycle,
            from,
            port,
            bytes,
        } = packet;
        let interface = erf::interface(*port, *from as u8);
        let parts: [&[u8]; 2] = [bytes, &LINK_FILLER];
        let record = self.erf_record(ERF_TYPE_INFINIBAND_LINK, *cycle, interface, &parts);
        self.record(*cycle, &record)
    }

    fn record(&mut self, cycle: u64, record: &[u8]) -> io::Result<()> {
        let time =
            Duration::from_nanos((u128::from(cycle) * 1_000_000_000 / u128::from(self.clock_hz)) as u64);
        self.writer
            .write_packet(&PcapPacket::new(time, record.len() as u32, record))
            .map_err(into_io)?;
        Ok(())
    }

    /// Returns ERF header and packet. The header has: timestamp in 2^-32 s (the only little-endian field), type, flags,
    /// record length, colour (unused), wire length.
    fn erf_record(&self, kind: u8, cycle: u64, interface: u8, parts: &[&[u8]]) -> Vec<u8> {
        let timestamp = ((u128::from(cycle) << 32) / u128::from(self.clock_hz)) as u64;
        let wire_length = parts.iter().map(|part| part.len() as u16).sum::<u16>();
        let record_length = wire_length + ERF_HEADER_BYTES as u16;
        let mut record = Vec::with_capacity(usize::from(record_length));
        record.extend(timestamp.to_le_bytes());
        record.push(kind);
        record.push(ERF_VARYING_LENGTH | interface);
        record.extend(record_length.to_be_bytes());
        record.extend([0, 0]);
        record.extend(wire_length.to_be_bytes());
        parts.iter().for_each(|part| record.extend(*part));
        record
    }

    /// Returns the underlying writer, after all data was written to it.
    pub fn into_inner(self) -> W {
        self.writer.into_writer()
    }
}

fn into_io(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(e) => e,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;

    /// Clock cycles a second.
    const CLOCK: u64 = 125_000_000;

    /// Returns the file behind its header and the header of its record.
    fn record(write: impl FnOnce(&mut PcapTrace<Vec<u8>>)) -> Vec<u8> {
        let mut trace = PcapTrace::new(Vec::new(), Link::InfiniBand, CLOCK).unwrap();
        write(&mut trace);
        trace.into_inner().split_off(24 + 16)
    }

    #[test]
    fn erf_header_is_laid_out_as_wireshark_reads_it() {
        let packet = PacketRecord {
            cycle: CLOCK,
            from: Side::Y,
            port: 1,
            link: Link::InfiniBand,
            bytes: vec![0xAB; 34],
        };
        let record = record(|trace| trace.packet(&packet).unwrap());
        assert_eq!(record[..16], [0, 0, 0, 0, 1, 0, 0, 0, 21, 5, 0, 50, 0, 0, 0, 34]);
        assert_eq!(record[16..], [0xAB; 34]);
    }

    #[test]
    fn the_interface_says_side_and_port() {
        let flags = [(Side::X, 1), (Side::Y, 1), (Side::X, 2), (Side::Y, 2)].map(|(from, port)| {
            let packet = PacketRecord {
                cycle: 0,
                from,
                port,
                link: Link::InfiniBand,
                bytes: vec![0xAB; 34],
            };
            record(|trace| trace.packet(&packet).unwrap())[9]
        });
        assert_eq!(flags, [4, 5, 6, 7]);
    }

    #[test]
    fn a_link_packet_is_filled_up_to_48_bytes() {
        let packet = LinkRecord {
            cycle: 2 * CLOCK,
            from: Side::X,
            port: 2,
            bytes: vec![0xAB; 6],
        };
        let record = record(|trace| trace.link_packet(&packet).unwrap());
        assert_eq!(record[..16], [0, 0, 0, 0, 2, 0, 0, 0, 25, 6, 0, 64, 0, 0, 0, 48]);
        assert_eq!(record[16..22], [0xAB; 6]);
        assert_eq!(record[22..], [0xFF; 42]);
    }
}
