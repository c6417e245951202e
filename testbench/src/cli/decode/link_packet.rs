//! A captured link packet, with everything that is known about it.
use super::crc::Crc;
use crate::capture::layer::Layer;
use crate::capture::Record;
use crate::trace::dissection::Field;
use crate::trace::link;
use hca_golden::wire::flow_control::{Defect, FlowControl};
use std::time::Duration;

/// A link packet of native InfiniBand.
pub struct LinkPacket {
    pub number: u64,
    /// Times since 1970 of this packet and of the capture's first packet.
    pub time: Duration,
    pub start: Duration,
    /// The port that it crossed, if it is not the first.
    pub port: Option<Layer>,
    /// Number of bytes of the packet that were kept, and number on the wire.
    pub kept: usize,
    pub wire_length: usize,
    pub fields: Vec<Field>,
    pub lpcrc: Crc,
    pub soundness: Soundness,
}

/// How a port would judge a link packet. The VL is left out: whether a port takes it depends on the port's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soundness {
    Sound,
    Malformed(Defect),
    /// Not all of the packet was kept, so it cannot be judged.
    Truncated,
}

impl LinkPacket {
    /// Examines the record of a link packet.
    pub fn of(record: &Record) -> LinkPacket {
        let soundness = match FlowControl::decode(&record.bytes) {
            _ if record.bytes.len() < record.wire_length => Soundness::Truncated,
            Ok(_) => Soundness::Sound,
            Err(defect) => Soundness::Malformed(defect),
        };
        LinkPacket {
            number: record.number,
            time: record.time,
            start: record.start,
            port: record.port,
            kept: record.bytes.len(),
            wire_length: record.wire_length,
            fields: link::dissect(&record.bytes),
            lpcrc: Crc::of_link_packet(&record.bytes),
            soundness,
        }
    }

    /// Returns the name of its Op, or its number if it has none.
    pub fn name(&self) -> String {
        link::name(self.fields.first().map(|op| op.value))
    }
}

/// Returns the name of the check that a link packet fails.
pub fn reason(defect: Defect) -> &'static str {
    match defect {
        Defect::Lpcrc { .. } => "LPCRC",
        Defect::Op(_) => "LINK_OP",
        Defect::Length(_) => "LINK_LENGTH",
    }
}
