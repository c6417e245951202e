//! A session as a capture.
use super::noise::Way;
use crate::trace::output::{OutputError, OutputFile};
use crate::trace::pcap::PcapTrace;
use crate::trace::PacketRecord;
use crate::Side;
use hca_golden::port::{Link, FIRST};
use std::path::{Path, PathBuf};

/// A capture that is being written. Its time is that of the adapter's clock.
pub struct Capture {
    path: PathBuf,
    trace: PcapTrace<OutputFile>,
}

impl Capture {
    /// Begins the file. `clock_hz` converts cycles to time.
    pub fn create(path: &Path, clock_hz: u64) -> Result<Capture, OutputError> {
        let trace = PcapTrace::new(OutputFile::create(path)?, Link::Roce, clock_hz)
            .map_err(|e| OutputFile::error(path, e))?;
        Ok(Capture {
            path: path.to_owned(),
            trace,
        })
    }

    /// Appends a frame that crosses the adapter's port.
    pub fn frame(&mut self, cycle: u64, way: Way, bytes: &[u8]) -> Result<(), OutputError> {
        let from = match way {
            Way::Out => Side::X,
            Way::In => Side::Y,
        };
        let record = PacketRecord {
            cycle,
            from,
            port: FIRST,
            link: Link::Roce,
            bytes: bytes.to_vec(),
        };
        self.trace
            .packet(&record)
            .map_err(|e| OutputFile::error(&self.path, e))
    }

    /// Ends the capture and gives the file its name.
    pub fn finish(self) -> Result<(), OutputError> {
        self.trace.into_inner().finish()
    }
}
