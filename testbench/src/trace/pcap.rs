//! Writes packets as pcap: native InfiniBand as ERF records of TYPE_INFINIBAND, which Wireshark reads; RoCE as
//! Ethernet.
use super::PacketRecord;
use crate::capture::erf::{HEADER_BYTES as ERF_HEADER_BYTES, TYPE_INFINIBAND as ERF_TYPE_INFINIBAND};
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

    /// Appends a packet of the trace's link. In ERF the capture interface is the device that sent it.
    pub fn packet(&mut self, packet: &PacketRecord) -> io::Result<()> {
        let record = match self.link {
            Link::InfiniBand => erf_record(packet, self.clock_hz),
            Link::Roce => packet.bytes.clone(),
        };
        let time = Duration::from_nanos(
            (u128::from(packet.cycle) * 1_000_000_000 / u128::from(self.clock_hz)) as u64,
        );
        self.writer
            .write_packet(&PcapPacket::new(time, record.len() as u32, &record))
            .map_err(into_io)?;
        Ok(())
    }

    /// Returns the underlying writer, after all data was written to it.
    pub fn into_inner(self) -> W {
        self.writer.into_writer()
    }
}

/// Returns ERF header and packet. The header has: timestamp in 2^-32 s (the only little-endian field), type, flags,
/// record length, colour (unused), wire length.
fn erf_record(packet: &PacketRecord, clock_hz: u64) -> Vec<u8> {
    let timestamp = ((u128::from(packet.cycle) << 32) / u128::from(clock_hz)) as u64;
    let wire_length = packet.bytes.len() as u16;
    let record_length = wire_length + ERF_HEADER_BYTES as u16;
    let mut record = Vec::with_capacity(usize::from(record_length));
    record.extend(timestamp.to_le_bytes());
    record.push(ERF_TYPE_INFINIBAND);
    record.push(ERF_VARYING_LENGTH | packet.from as u8);
    record.extend(record_length.to_be_bytes());
    record.extend([0, 0]);
    record.extend(wire_length.to_be_bytes());
    record.extend(&packet.bytes);
    record
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

    #[test]
    fn erf_header_is_laid_out_as_wireshark_reads_it() {
        let record = erf_record(
            &PacketRecord {
                cycle: 125_000_000,
                from: Side::Y,
                link: Link::InfiniBand,
                bytes: vec![0xAB; 34],
            },
            125_000_000,
        );
        assert_eq!(record[..16], [0, 0, 0, 0, 1, 0, 0, 0, 21, 5, 0, 50, 0, 0, 0, 34]);
        assert_eq!(record.len(), 50);
    }
}
